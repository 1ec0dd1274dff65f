/** Whoever sends as much as its connections take, and never waits as long as it is told to: one flood at a time. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Flood {
  readonly url: string;
  /** Empty: none is sent. */
  readonly token: string;
  readonly connections: number;
  readonly body: string;
  /** In pieces, the last of which comes after so long. */
  readonly overMs?: number;
}

const PIECES = 20;
let agent = new http.Agent({ keepAlive: true });
let over = new AbortController();
/** Of this flood: answers by status; 0: none came. */
let answers: Record<string, number> = {};

const send = async ({ url, token, overMs = 0 }: Flood, body: Buffer): Promise<number> =>
  await new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.byteLength,
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', () => resolve(0));
    const write = async (): Promise<void> => {
      const piece = Math.ceil(body.byteLength / PIECES);
      for (let at = 0; at < body.byteLength && !request.destroyed; at += piece) {
        request.write(body.subarray(at, at + piece));
        await sleep(overMs / PIECES);
      }
      request.end();
    };
    if (overMs === 0) request.end(body);
    else void write();
  });

const keepSending = async (flood: Flood, number: number, { signal }: AbortController): Promise<void> => {
  for (let sent = 0; !signal.aborted; sent += 1) {
    // The letters of each are its own: no request is the repeat of another.
    const status = await send(flood, Buffer.from(flood.body.replaceAll('NUMBER', `${number}-${sent}`)));
    answers[status] = (answers[status] ?? 0) + 1;
  }
};

process.on('message', (message: Flood | 'stop') => {
  over.abort();
  if (message === 'stop') {
    agent.destroy();
    agent = new http.Agent({ keepAlive: true });
    process.send?.(answers);
    return;
  }
  answers = {};
  over = new AbortController();
  for (let number = 0; number < message.connections; number += 1) void keepSending(message, number, over);
});
// It listens to nothing else.
process.channel?.ref();
process.send?.('ready');
