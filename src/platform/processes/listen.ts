/** Listens for the connections of the API. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { messageOf } from '../../engine/failure.ts';
import type { Log } from '../records/pool.ts';

/**
 * Of one port. Node takes one connection of a socket in each turn of its loop, and a turn of a busy process takes 10 ms
 * and more: of a thousand who come at once the last would wait for ten seconds until they hear even of a 503. Elsewhere
 * a port cannot be shared so that each socket has its part.
 */
const SOCKETS = process.platform === 'linux' ? 8 : 1;

/**
 * Until they are taken; the system may allow fewer. Of one too many nobody is told: it tries again after seconds, when
 * a 503 would have been there at once.
 */
const WAITING_MAX = 4_096;
const CONNECTIONS_PER_PROCESS = 20_000;

export interface Listening {
  /** Nobody comes in any more; resolves when the last of those that came beside the app's own socket has gone. */
  close(): Promise<void>;
}

/** Begins to listen; rejects with EADDRINUSE where another does. The app listens to the first socket, and closes it. */
export const listenAt = async (
  app: FastifyInstance,
  at: { readonly host: string; readonly port: number },
  log: Log,
): Promise<Listening> => {
  const isShared = SOCKETS > 1;
  if (isShared) await proveFree(at);
  const options = { ...at, backlog: WAITING_MAX, ...(isShared ? { reusePort: true } : {}) };
  await app.listen(options);
  const others: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(others.map(async (server) => await once(server.close(), 'close')));
  };
  // As the options of Node's own HTTP server are.
  const serve = (): Server =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket));
  try {
    for (let socket = 1; socket < SOCKETS; socket += 1) {
      const server = serve().listen(options);
      await once(server, 'listening');
      others.push(server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  for (const server of [app.server, ...others]) {
    server.maxConnections = CONNECTIONS_PER_PROCESS / SOCKETS;
    server.on('error', (error) => log.warn({ error: messageOf(error) }, 'a connection could not be taken'));
  }
  return { close };
};

/** Sockets that share a port would share it with another server's as well, and nobody would be told. */
const proveFree = async (at: { readonly host: string; readonly port: number }): Promise<void> => {
  const alone = createServer().listen(at);
  await once(alone, 'listening');
  await once(alone.close(), 'close');
};
