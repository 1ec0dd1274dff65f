import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { createTransport, type Transport, type TransportOptions } from '../../../src/engine/transport/transport.ts';

export interface LocalServer {
  readonly port: number;
  readonly url: string;
  /** How many connections were opened, ever. */
  readonly connections: () => number;
  /** How many HTTP requests arrived, ever. */
  readonly received: () => number;
  readonly close: () => Promise<void>;
}

const opened: { close(): unknown }[] = [];

/** For `afterEach`: ends what a test left open, transports before servers. */
export const closeServers = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
};

/** May call this machine unless told otherwise; `closeServers` ends it. */
export const openTransport = (options: Partial<TransportOptions> = {}): Transport => {
  const transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1', ...options });
  opened.unshift(transport);
  return transport;
};

export const listen = async (server: net.Server, scheme = 'http', host = '127.0.0.1'): Promise<LocalServer> => {
  let connections = 0;
  let received = 0;
  const sockets = new Set<net.Socket>();
  server.prependListener('request', () => (received += 1));
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const local: LocalServer = {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    connections: () => connections,
    received: () => received,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  opened.push(local);
  return local;
};

export const startHttp = (handler: http.RequestListener): Promise<LocalServer> =>
  listen(http.createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 30_000 }, handler));

export const startHttps = (options: https.ServerOptions, handler: http.RequestListener): Promise<LocalServer> =>
  listen(https.createServer(options, handler), 'https');

/** A bare listener; `onData` is called with every piece that arrives. */
export const startTcp = (
  onData: (socket: net.Socket, data: Buffer) => void = () => undefined,
  host?: string,
): Promise<LocalServer> =>
  listen(
    net.createServer((socket) => socket.on('data', (data) => onData(socket, data))),
    'http',
    host,
  );
