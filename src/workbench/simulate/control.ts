/** The routes under /_control: what the running simulator offers, over HTTP. */
import { Failure } from '../../engine/failure.ts';
import { isMap } from '../../engine/value.ts';
import { readBehaviour } from './behaviour.ts';
import { plain } from './host.ts';
import { isJourney, JOURNEYS } from './progress.ts';
import { JSON_TYPE, type SimulatedAnswer } from './wording.ts';
import type { Simulator } from './running.ts';

const ok = (tree: unknown): SimulatedAnswer => ({
  status: 200,
  headers: JSON_TYPE,
  body: { kind: 'json', tree },
  from: 'control',
});

/** `GET` carriers, requests, pushes, shipments; `POST` advance, play, behave, push-to, clear. A body is an object, mostly with `carrier`. */
export const control = async (
  method: string,
  path: string,
  body: Buffer,
  running: Simulator,
): Promise<SimulatedAnswer> => {
  try {
    if (method === 'GET') return read(path, running);
    if (method !== 'POST') return plain(405, 'only GET and POST');
    const given = JSON.parse(body.length === 0 ? '{}' : body.toString()) as unknown;
    return isMap(given) ? await write(path, given, running) : plain(400, 'the body must be an object');
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return plain(400, 'the body is not JSON');
    if (!(thrown instanceof Failure)) throw thrown;
    return plain(thrown.code === 'shipment_unknown' ? 404 : 400, thrown.message);
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
      return plain(404, 'there are carriers, accounts, requests, pushes and shipments');
  }
};

const textAt = (given: Readonly<Record<string, unknown>>, key: string): string | undefined => {
  const value = given[key];
  if (value === undefined || typeof value === 'string') return value;
  throw new Failure(`${key} must be text`, { code: 'control_invalid' });
};

const write = async (
  path: string,
  given: Readonly<Record<string, unknown>>,
  running: Simulator,
): Promise<SimulatedAnswer> => {
  if (path === '/clear') return ok(running.clear() ?? {});
  if (path === '/push-to') {
    const [url = '', secrets = {}] = [textAt(given, 'url'), given['secrets']];
    if (!URL.canParse(url) || !isMap(secrets)) return plain(400, 'push-to needs a url, and secrets by carrier');
    return ok(running.pushTo({ url, secrets: secrets as Record<string, string> }) ?? {});
  }
  const { carrier: code, ...rest } = given;
  if (typeof code !== 'string' || running.carriers[code] === undefined)
    return plain(404, `there is no carrier ${String(code)}`);
  const [number, reference] = [textAt(given, 'number'), textAt(given, 'reference')];
  const which = { ...(number === undefined ? {} : { number }), ...(reference === undefined ? {} : { reference }) };
  switch (path) {
    case '/behave':
      return ok(running.behave(code, readBehaviour(rest)) ?? {});
    case '/advance':
      return ok({ events: await running.advance(code, { ...which, status: textAt(given, 'status') ?? '' }) });
    case '/play': {
      const { journey = 'delivered', intervalMs = 1_000 } = given;
      const isInterval = typeof intervalMs === 'number' && intervalMs >= 0 && intervalMs <= 3_600_000;
      if (!isJourney(journey)) return plain(400, `journey must be one of ${Object.keys(JOURNEYS).join(', ')}`);
      if (!isInterval) return plain(400, 'intervalMs must be a number from 0 to 3600000');
      return ok({ events: await running.play(code, { ...which, journey, intervalMs }) });
    }
    default:
      return plain(404, 'there are advance, play, behave, push-to and clear');
  }
};
