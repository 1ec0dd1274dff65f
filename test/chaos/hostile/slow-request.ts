/** Requests that come a byte at a time, and never to their end. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Trial } from '../world/trial.ts';

const BYTE_EACH_MS = 200;

const STARTS = {
  headers: 'GET /v2/webhooks HTTP/1.1\r\nHost: example\r\nX-Slow: ',
  body: 'POST /v2/consignments HTTP/1.1\r\nHost: example\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"',
} as const;

type SlowPart = keyof typeof STARTS;

/** Each kind of request that never comes to its end. */
const SLOW_AT_ONCE = 20;
/** Of the server's limits and of how often it looks, with some leave. */
const SLOW_ENDS_WITHIN_MS: Readonly<Record<SlowPart, number>> = { headers: 15_000, body: 35_000 };

/** How long the server bore it: until it ended the connection. */
const sendSlowly = async (url: string, part: SlowPart, token: string, stop: AbortSignal): Promise<number> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const beganMs = performance.now();
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  socket.write(STARTS[part].replace('Host:', `Authorization: Bearer ${token}\r\nHost:`));
  while (!socket.destroyed && !stop.aborted) {
    socket.write('x');
    await sleep(BYTE_EACH_MS);
  }
  const tookMs = performance.now() - beganMs;
  socket.destroy();
  return tookMs;
};

/** Who sends a byte at a time is cut off, while others are served. In the small dose only headers: bodies have longer. */
export const dribble = async (url: string, token: string, trial: Trial): Promise<void> => {
  const { dose, patience, signal, figures, violations } = trial;
  const parts: readonly SlowPart[] = dose === 'small' ? ['headers'] : ['headers', 'body'];
  await Promise.all(
    parts.map(async (part) => {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(2 * SLOW_ENDS_WITHIN_MS[part] * patience)]);
      const borneMs = await Promise.all(
        Array.from({ length: SLOW_AT_ONCE }, async () => await sendSlowly(url, part, token, stop)),
      );
      const longestMs = Math.max(...borneMs);
      figures[`${part} that dribble, ended after at most (s)`] = (longestMs / 1_000).toFixed(1);
      if (longestMs > SLOW_ENDS_WITHIN_MS[part] * patience)
        violations.push(`${part} that dribble were borne for ${longestMs.toFixed(0)} ms`);
    }),
  );
};
