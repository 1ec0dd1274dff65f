import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../simulator/demo/server.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { environmentOf, makeHome } from './server.ts';

const SHIM = path.resolve(import.meta.dirname, '../../src/cli/waybill.js');
const CONNECTIONS = 1_000;

const database = freshDatabase();
const sockets: Socket[] = [];
let home: string;
let server: ChildProcess;
let port: number;

beforeEach(async () => {
  home = await makeHome({});
  port = await freePort();
  server = spawn(process.execPath, [SHIM, 'serve', '--role', 'api'], {
    env: { ...process.env, ...environmentOf({ home, databaseUrl: database.databaseUrl }, port) },
    stdio: 'ignore',
  });
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true;
  await until('the server is ready', isReady, 55_000);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.kill('SIGKILL');
  await once(server, 'exit');
  await rm(home, { recursive: true, force: true });
});

it('a thousand connections at once wait for a server that is busy, and none of them in vain', async () => {
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
});
