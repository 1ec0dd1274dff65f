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
  /** Both ends of connections that are alive. */
  const peers = new Map<Socket, Socket>();
  let isSilent = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    return socket.once('close', () => {
      sockets.delete(socket);
      peers.get(socket)?.destroy();
      peers.delete(socket);
    });
  };
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    keep(inner);
    if (isSilent) {
      inner.resume();
      return;
    }
    const outer = keep(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    peers.set(inner, outer).set(outer, inner);
    inner.pipe(outer).pipe(inner);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as { port: number }).port,
    swallow: () => {
      isSilent = true;
      for (const [one, other] of peers) one.unpipe(other).resume();
      peers.clear();
    },
    heal: () => {
      isSilent = false;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
