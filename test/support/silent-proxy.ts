/** Stands between a process and what it talks to. Can fall silent as a dead network does: nothing comes, nothing is refused. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  readonly port: number;
  /** From now on nothing passes, and nobody is told. New connections are taken, and lead nowhere. */
  swallow(): void;
  /** New connections pass again; those of before stay dead, as half-open ones do. */
  heal(): void;
  close(): Promise<void>;
}

export const startSilentProxy = async (port: number): Promise<SilentProxy> => {
  const sockets = new Set<Socket>();
  /** Of connections that are alive. */
  const pairs = new Set<readonly [Socket, Socket]>();
  const state = { isSilent: false };
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    keep(inner);
    if (state.isSilent) {
      inner.resume();
      return;
    }
    const outer = keep(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    const pair = [inner, outer] as const;
    pairs.add(pair);
    inner.pipe(outer).pipe(inner);
    for (const [one, other] of [pair, [outer, inner] as const]) {
      one.once('close', () => {
        if (pairs.delete(pair)) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    swallow: () => {
      state.isSilent = true;
      for (const [inner, outer] of pairs) {
        inner.unpipe(outer);
        outer.unpipe(inner);
        inner.resume();
        outer.resume();
      }
      pairs.clear();
    },
    heal: () => {
      state.isSilent = false;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
