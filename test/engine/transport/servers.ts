import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  readonly port: number;
  readonly url: string;
  /** How many connections were opened, ever. */
  readonly connections: () => number;
  /** How many HTTP requests arrived, ever; of a bare listener, how many bytes. */
  readonly received: () => number;
  readonly close: () => Promise<void>;
}

const openServers: LocalServer[] = [];

/** For `afterEach`: ends what a test left open. */
export const closeServers = async (): Promise<void> => {
  await Promise.all(openServers.splice(0).map((server) => server.close()));
};

const listen = async (server: net.Server, scheme: string, host: string, received: () => number) => {
  let connections = 0;
  const sockets = new Set<net.Socket>();
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
    received,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  openServers.push(local);
  return local;
};

export const startHttp = (handler: http.RequestListener): Promise<LocalServer> => {
  let requests = 0;
  const server = http.createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    requests += 1;
    handler(request, response);
  });
  server.keepAliveTimeout = 30_000;
  return listen(server, 'http', '127.0.0.1', () => requests);
};

export const startHttps = (options: https.ServerOptions, handler: http.RequestListener): Promise<LocalServer> => {
  let requests = 0;
  const server = https.createServer(options, (request, response) => {
    requests += 1;
    handler(request, response);
  });
  server.on('tlsClientError', () => undefined);
  return listen(server, 'https', '127.0.0.1', () => requests);
};

/** A bare listener; `onData` is called with every piece that arrives. */
export const startTcp = (
  onData: (socket: net.Socket, data: Buffer) => void = () => undefined,
  host = '127.0.0.1',
): Promise<LocalServer> => {
  let bytes = 0;
  const server = net.createServer((socket) => {
    socket.on('data', (data) => {
      bytes += data.length;
      onData(socket, data);
    });
  });
  return listen(server, 'http', host, () => bytes);
};
