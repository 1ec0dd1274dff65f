// The control endpoints under /_control: the same that the API of a running simulator offers, over HTTP.
import { parseBehaviour } from './behaviour.ts';
import type { CarrierResponse } from './carrier.ts';
import { parseAdvance, parsePlay } from './progress.ts';
import { at, isObject, json, textAt } from './reply.ts';
import type { Running } from './simulator.ts';

/**
 * `GET` carriers, requests, pushes, shipments, behaviours; `POST` advance, play, behave, push-to, clear.
 * A body is a JSON object with `carrier` and what the API takes.
 */
export async function control(method: string, path: string, body: Buffer, running: Running): Promise<CarrierResponse> {
  if (method === 'GET') return read(path, running);
  if (method !== 'POST') return refuse(405, 'only GET and POST');
  let value: unknown;
  try {
    value = JSON.parse(body.length === 0 ? '{}' : body.toString('utf8'));
  } catch {
    return refuse(400, 'the body is not JSON');
  }
  if (!isObject(value)) return refuse(400, 'the body must be an object');
  if (path === 'clear') {
    running.clear();
    return json(200, {});
  }
  if (path === 'push-to') return setTarget(value, running);
  const carrier = textAt(value, 'carrier');
  const host = running.host(carrier);
  if (!host) return refuse(404, `no carrier "${carrier}"`);
  switch (path) {
    case 'behave': {
      const behaviour = parseBehaviour(value);
      if ('error' in behaviour) return refuse(400, behaviour.error);
      running.behave(carrier, behaviour);
      return json(200, { waiting: host.behaviours.list() });
    }
    case 'advance': {
      const step = parseAdvance(value);
      if ('error' in step) return refuse(400, step.error);
      return await tryIt(() => running.advance(carrier, step));
    }
    case 'play': {
      const spec = parsePlay(value);
      if ('error' in spec) return refuse(400, spec.error);
      return await tryIt(() => running.play(carrier, spec));
    }
    default:
      return refuse(404, `no control "${path}"`);
  }
}

function read(path: string, running: Running): CarrierResponse {
  const codes = Object.keys(running.carriers);
  switch (path) {
    case 'carriers':
      return json(200, running.carriers);
    case 'requests':
      return json(200, running.requests);
    case 'pushes':
      return json(200, running.pushes);
    case 'shipments':
      return json(200, Object.fromEntries(codes.map((code) => [code, running.shipments(code)])));
    case 'behaviours':
      return json(200, Object.fromEntries(codes.map((code) => [code, running.host(code)?.behaviours.list() ?? []])));
    default:
      return refuse(404, `no control "${path}"`);
  }
}

function setTarget(value: Readonly<Record<string, unknown>>, running: Running): CarrierResponse {
  const url = textAt(value, 'url');
  const secrets = at(value, 'secrets') ?? {};
  if (!URL.canParse(url)) return refuse(400, '"url" must be the address of the platform');
  if (!isObject(secrets)) return refuse(400, '"secrets" must be an object, carrier code to token');
  const texts = Object.entries(secrets).map(([code, secret]) => [code, String(secret)] as const);
  running.pushTo({ url, secrets: Object.fromEntries(texts) });
  return json(200, {});
}

async function tryIt(work: () => Promise<unknown>): Promise<CarrierResponse> {
  try {
    return json(200, { events: await work() });
  } catch (error) {
    return refuse(404, error instanceof Error ? error.message : String(error));
  }
}

function refuse(status: number, error: string): CarrierResponse {
  return json(status, { error });
}
