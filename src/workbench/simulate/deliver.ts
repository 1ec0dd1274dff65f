/** Writes a carrier's answer to the wire, well or as badly as was asked for. */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Applied } from './behaviour.ts';
import { writeDocument } from './document.ts';
import type { SimulatedAnswer } from './wording.ts';

/** `hang` leaves it unsent until the caller or the simulator gives up. */
export const deliver = async (
  response: ServerResponse,
  { status, headers, body }: SimulatedAnswer,
  problem: Applied | undefined,
  signal: AbortSignal,
): Promise<void> => {
  const ms = problem?.ms ?? (problem?.do === 'slow' ? 1_000 : 0);
  if (ms > 0) await wait(ms, undefined, { signal }).catch(() => {});
  const bytes = writeDocument(body);
  const send = (content: Buffer, announced = content.length): void => {
    response.writeHead(status, { ...headers, 'content-length': announced });
    if (content.length === announced) response.end(content);
    else response.write(content, () => response.socket?.destroy());
  };
  switch (problem?.do) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'truncated':
      send(bytes.subarray(0, Math.floor(bytes.length / 2)), bytes.length);
      return;
    case 'malformed':
      send(Buffer.concat([bytes.subarray(0, -2), Buffer.from(',,')]));
      return;
    case 'html': {
      const page = `<html><body><h1>${problem.status ?? 502} Bad Gateway</h1></body></html>`;
      response.writeHead(problem.status ?? 502, { 'content-type': 'text/html' }).end(page);
      return;
    }
    default:
      send(bytes);
  }
};
