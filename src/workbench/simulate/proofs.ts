/** Whether a request proves who sends it, as the requests of the cases do. */
import type { Account } from '../../engine/dispatch/ports.ts';
import { leavesOf, textsBy } from './document.ts';
import type { SceneRequest } from './requests.ts';
import type { Scenes } from './scenes.ts';

const NAMES = /authorization|api-?key|access-?_?key|token|secret|password|client-id|account-number/i;
/** These are other ones with each request. */
const SIGNED = /signature|hmac|digest|nonce|timestamp/;

/** What stands in the headers and bodies of good requests to prove who sends them. */
export const proofsOf = ({ scenes }: Scenes, { credentials }: Account) => {
  const good = scenes.filter(({ isGood }) => isGood);
  const own = new Set(Object.values(credentials).map(String));
  const inHeaders = good.flatMap(({ request }) => Object.entries(request.headers));
  const inBodies = good
    .flatMap(({ request }) => leavesOf(request.body.tree))
    .map(({ shape, text }) => [shape, text] as const);
  return {
    good,
    headers: textsBy(inHeaders.filter(([name]) => NAMES.test(name) && !SIGNED.test(name))),
    /** By the shape of the body's path. */
    bodies: textsBy(inBodies.filter(([shape, text]) => own.has(text) || NAMES.test(shape.split('/').at(-1) ?? ''))),
  };
};
export type Proofs = ReturnType<typeof proofsOf>;

/** The name of a header or a field where something else stands. */
export const wrongProof = ({ headers, bodies, good }: Proofs, asked: SceneRequest): string | undefined => {
  const own = good.filter(
    ({ request }) =>
      request.method === asked.method &&
      request.segments.length === asked.segments.length &&
      request.segments[0] === asked.segments[0],
  );
  for (const [name, values] of headers) {
    const value = asked.headers[name];
    const isNeeded = own.length > 0 && own.every(({ request }) => request.headers[name] !== undefined);
    if (value === undefined ? isNeeded : !values.has(value)) return name;
  }
  const wrong = leavesOf(asked.body.tree).find(({ shape, text }) => bodies.get(shape)?.has(text) === false);
  return wrong?.shape.split('/').findLast((name) => name !== '#text');
};
