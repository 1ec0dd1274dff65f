/** JSON from a routing service, by the engine's transport and its guards. */
import { Failure } from '../../engine/failure.ts';
import type { Transport } from '../../engine/transport/transport.ts';

export interface Service {
  /** `OSRM`, `Valhalla`, `VROOM`: for messages. */
  readonly name: string;
  readonly url: string;
  readonly send: Transport['send'];
  readonly timeoutMs: number;
}

/** A body of 1,000 places by 1,000 is about 20 MB. */
const MAX_BYTES = 64 * 1_048_576;
const SHOWN = 300;

/** Of an answer that is JSON, whatever its status. */
export const askService = async (
  { name, url, send, timeoutMs }: Service,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<unknown> => {
  const refuse = (message: string, help: string): Failure =>
    new Failure(`${name}: ${message}`, { code: 'routing_service_failed', help });
  const outcome = await send(
    {
      method: body === undefined ? 'GET' : 'POST',
      url: `${url.replace(/\/+$/, '')}${path}`,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    },
    { timeoutMs, maxBytes: MAX_BYTES, signal },
  );
  if (outcome.kind !== 'answer') {
    throw refuse(`${outcome.code}: ${outcome.message}`, `Look whether ${name} runs at the configured URL.`);
  }
  const text = outcome.body.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refuse(`HTTP ${outcome.status}, no JSON: ${text.slice(0, SHOWN)}`, `Look at the log of ${name}.`);
  }
};

/** What a service says in JSON that is not what was asked for. */
export const unexpected = (name: string, answer: unknown): Failure =>
  new Failure(`${name} answered ${JSON.stringify(answer).slice(0, SHOWN)}`, {
    code: 'routing_service_failed',
    help: `Look at the log of ${name}, and whether its version and its limits fit.`,
  });
