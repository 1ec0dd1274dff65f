import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { flowWorld } from './world.ts';

const CONNECTIONS = 1_000;

const flow = flowWorld({ profiles: () => ({}), isServing: false });
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

it('a thousand connections at once wait for a server that is busy, and none of them in vain', async () => {
  const server = await flow.spawn('api');
  const port = Number(new URL(flow.server.url).port);
  server.kill('SIGSTOP');
  let [connected, answered, closed] = [0, 0, 0];
  for (let opened = 0; opened < CONNECTIONS; opened += 1) {
    const socket = connect(port, '127.0.0.1', () => {
      connected += 1;
      socket.write('GET /healthz HTTP/1.1\r\nHost: example\r\nConnection: close\r\n\r\n');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => (closed += 1));
    socket.on('data', (chunk) => {
      if (chunk.toString().startsWith('HTTP/1.1 200')) answered += 1;
    });
    sockets.push(socket);
  }
  await until('all are connected', () => connected === CONNECTIONS, 10_000);
  server.kill('SIGCONT');
  await until('all are done with', () => closed === CONNECTIONS);
  expect(answered).toBe(CONNECTIONS);
}, 90_000);
