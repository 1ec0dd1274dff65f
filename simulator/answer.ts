// Writes a carrier's answer to the wire, well or as badly as asked.
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Applied } from './behaviour.ts';
import type { CarrierResponse } from './carrier.ts';

/** Sends the answer. `problem` spoils it; `hang` leaves it unsent until the client or the simulator gives up. */
export async function answer(
  response: ServerResponse,
  good: CarrierResponse,
  problem: Applied | null,
  signal: AbortSignal,
): Promise<void> {
  if (problem && problem.ms > 0) await wait(problem.ms, undefined, { signal }).catch(() => {});
  if (response.destroyed) return;
  switch (problem?.do) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'truncated':
      truncate(response, good);
      return;
    case 'malformed':
      send(response, { ...good, body: Buffer.from(`${good.body.toString('utf8').slice(0, -2)},,`) });
      return;
    case 'html':
      send(response, htmlPage(problem.status));
      return;
    case 'status':
      send(response, {
        ...good,
        headers: {
          ...good.headers,
          ...(problem.retryAfterSeconds === null ? {} : { 'retry-after': String(problem.retryAfterSeconds) }),
        },
      });
      return;
    case undefined:
    case 'slow':
    case 'wrong_echo':
    case 'wrong_count':
    case 'label_later':
      send(response, good);
  }
}

function send(response: ServerResponse, good: CarrierResponse): void {
  response.writeHead(good.status, { ...good.headers, 'content-length': good.body.length });
  response.end(good.body);
}

/** Announces the whole body, sends half of it and closes. */
function truncate(response: ServerResponse, good: CarrierResponse): void {
  response.writeHead(good.status, { ...good.headers, 'content-length': good.body.length });
  response.write(good.body.subarray(0, Math.floor(good.body.length / 2)), () => {
    response.socket?.destroy();
  });
}

function htmlPage(status: number): CarrierResponse {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from(`<html><head><title>${status}</title></head><body><h1>${status} Bad Gateway</h1></body></html>`),
  };
}
