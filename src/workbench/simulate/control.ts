/** The routes under /_control: what the running simulator offers, over HTTP. */
import { type Static, type TSchema, Type } from 'typebox';
import { Failure } from '../../engine/failure.ts';
import { validator } from '../../engine/validate.ts';
import { isMap } from '../../engine/value.ts';
import { readBehaviour } from './behaviour.ts';
import { type Journey, JOURNEYS } from './progress.ts';
import { ownAnswer, refusal, type SimulatedAnswer } from './wording.ts';
import type { Simulator } from './running.ts';

const ok = (tree: unknown): SimulatedAnswer => ownAnswer(200, tree, 'control');

/** `GET` carriers, accounts, requests, pushes, shipments; `POST` advance, play, behave, push-to, clear. A body is an object, mostly with `carrier`. */
export const control = async (
  method: string,
  path: string,
  body: Buffer,
  running: Simulator,
): Promise<SimulatedAnswer> => {
  try {
    if (method === 'GET') return read(path, running);
    if (method !== 'POST') return refusal(405, 'only GET and POST');
    const given = JSON.parse(body.length === 0 ? '{}' : body.toString()) as unknown;
    return isMap(given) ? await write(path, given, running) : refusal(400, 'the body must be an object');
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return refusal(400, 'the body is not JSON');
    if (!(thrown instanceof Failure)) throw thrown;
    return refusal(thrown.code === 'shipment_unknown' ? 404 : 400, thrown.message);
  }
};

const read = (path: string, { carriers, accounts, requests, pushes, shipments }: Simulator): SimulatedAnswer => {
  switch (path) {
    case '/carriers':
      return ok(carriers);
    case '/accounts':
      return ok(accounts);
    case '/requests':
      return ok(requests);
    case '/pushes':
      return ok(pushes);
    case '/shipments': {
      const shown = Object.keys(carriers).flatMap((carrier) =>
        shipments(carrier).map(({ roles, isCancelled, events }) => ({
          carrier,
          names: Object.fromEntries(roles),
          isCancelled,
          events: [...events].flatMap(([number, told]) =>
            told.map(({ sample, atMs }) => ({ number, status: sample.event.status, at: new Date(atMs).toISOString() })),
          ),
        })),
      );
      return ok(shown);
    }
    default:
      return refusal(404, 'there are carriers, accounts, requests, pushes and shipments');
  }
};

const Target = Type.Object({
  url: Type.String({ format: 'http-url' }),
  secrets: Type.Optional(Type.Record(Type.String(), Type.String())),
});
const Moving = Type.Object({
  number: Type.Optional(Type.String()),
  reference: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  journey: Type.Optional(Type.Enum(Object.keys(JOURNEYS) as Journey[])),
  intervalMs: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600_000 })),
});

/** Throws a `Failure` that names the key and what it may be. */
const checked = <S extends TSchema>(schema: S, given: unknown): Static<S> => {
  const read = validator(schema)(given);
  if (read.ok) return read.value;
  throw new Failure(read.issues.map(({ message }) => message).join('; '), { code: 'control_invalid' });
};

const write = async (
  path: string,
  given: Readonly<Record<string, unknown>>,
  running: Simulator,
): Promise<SimulatedAnswer> => {
  if (path === '/clear') return ok(running.clear() ?? {});
  if (path === '/push-to') {
    const { url, secrets = {} } = checked(Target, given);
    return ok(running.pushTo({ url, secrets }) ?? {});
  }
  const { carrier: code, ...rest } = given;
  if (typeof code !== 'string' || running.carriers[code] === undefined)
    return refusal(404, `there is no carrier ${String(code)}`);
  switch (path) {
    case '/behave':
      return ok(running.behave(code, readBehaviour(rest)) ?? {});
    case '/advance':
      return ok({ events: await running.advance(code, { status: '', ...checked(Moving, rest) }) });
    case '/play':
      return ok({ events: await running.play(code, checked(Moving, rest)) });
    default:
      return refusal(404, 'there are advance, play, behave, push-to and clear');
  }
};
