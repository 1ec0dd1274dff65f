/** Requests that come a byte at a time, and never to their end. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const BYTE_EACH_MS = 200;

const STARTS = {
  headers: 'GET /v2/webhooks HTTP/1.1\r\nHost: example\r\nX-Slow: ',
  body: 'POST /v2/consignments HTTP/1.1\r\nHost: example\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"',
} as const;

export type SlowPart = keyof typeof STARTS;

/** How long the server bore it: until it ended the connection. */
export const sendSlowly = async (url: string, part: SlowPart, token: string, stop: AbortSignal): Promise<number> => {
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
