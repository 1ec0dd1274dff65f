/** Whether a request proves who sends it, as the requests of the cases do. */
import type { Account } from '../../engine/dispatch/ports.ts';
import { leavesOf } from './document.ts';
import type { SceneRequest } from './requests.ts';
import type { Scenes } from './scenes.ts';

const NAMES = /authorization|api-?key|access-?_?key|token|secret|password|client-id|account-number/i;
/** These are other ones with each request. */
const SIGNED = /signature|hmac|digest|nonce|timestamp/;

/** What stands in the headers and bodies of good requests to prove who sends them. */
export const proofsOf = ({ scenes }: Scenes, { credentials }: Account) => {
  const good = scenes.filter(({ isGood }) => isGood);
  const headers = new Map<string, Set<string>>();
  for (const { request } of good) {
    for (const [name, value] of Object.entries(request.headers)) {
      if (NAMES.test(name) && !SIGNED.test(name)) headers.set(name, (headers.get(name) ?? new Set()).add(value));
    }
  }
  const own = new Set(Object.values(credentials).map(String));
  /** By the shape of the body's path. */
  const bodies = new Map<string, Set<string>>();
  for (const { request } of good) {
    for (const { shape, text } of leavesOf(request.body.tree)) {
      if (own.has(text) || NAMES.test(shape.split('/').at(-1) ?? ''))
        bodies.set(shape, (bodies.get(shape) ?? new Set()).add(text));
    }
  }
  return { headers, bodies, good };
};
export type Proofs = ReturnType<typeof proofsOf>;

/** The name of a header or the place in the body where something else stands. */
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
  return leavesOf(asked.body.tree).find(({ shape, text }) => bodies.get(shape)?.has(text) === false)?.shape;
};
