/** Where an endpoint's pushes come in while it is certified: an HTTP server that answers as the platform does. */
import fastify from 'fastify';
import { messageOf } from '../engine/failure.ts';
import { createMask } from '../engine/transport/masking.ts';
import type { Push } from '../workbench/certify/evidence.ts';
import { Misuse } from './command.ts';

const PUSHES_MAX = 1_000;
/** Without the token: anybody may send them. */
const UNPROVEN_MAX = 20;
const BODY_MAX_BYTES = 1_000_000;

export interface Inbox {
  /** Where it listens. */
  readonly url: string;
  readonly pushes: readonly Push[];
  close(): Promise<void>;
}

/** Listens until it is closed; `port` 0 is a free one. Throws `Misuse` where it cannot. */
export const openInbox = async (port: number, path: string, token: string): Promise<Inbox> => {
  const pushes: Push[] = [];
  const mask = createMask([{ name: 'token', value: token }]);
  const app = fastify({ bodyLimit: BODY_MAX_BYTES, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post(path, async ({ headers, body }, reply) => {
    const isProven = headers.authorization === `Bearer ${token}`;
    const kept = pushes.filter((push) => push.isProven === isProven).length;
    if (kept >= (isProven ? PUSHES_MAX : UNPROVEN_MAX))
      return await reply.code(429).send({ message: 'more pushes than are looked at' });
    const masked = mask.headers(
      Object.fromEntries(Object.entries(headers).map(([name, held]) => [name, String(held)])),
    );
    pushes.push({ headers: masked, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), atMs: Date.now(), isProven });
    if (!isProven) return await reply.code(401).send({ message: 'the access token is missing, or another' });
    return { timestamp: new Date().toISOString(), status: 'OK' };
  });
  try {
    const url = await app.listen({ host: '127.0.0.1', port });
    return { url, pushes, close: async () => await app.close() };
  } catch (error) {
    throw new Misuse(`--push-port ${port}: ${messageOf(error)}`);
  }
};
