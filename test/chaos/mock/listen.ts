import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens on a free port; yields the port. */
export const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** The same, of a server that is a process of its own: tells its parent where it is. */
export const tellUrl = async (server: Server): Promise<void> => {
  process.send?.(`http://127.0.0.1:${await listen(server)}`);
};
