import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listenAt } from '../../../src/platform/processes/listen.ts';
import { freePort } from '../../../simulator/demo/server.ts';
import { recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';

const CONNECTIONS = 100;
const host = '127.0.0.1';
const log = recordingLog();
let app: FastifyInstance;
let listening: Listening | undefined;
let port: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  app = Fastify({ forceCloseConnections: 'idle' });
  port = await freePort();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all([app.close(), listening?.close()]);
  listening = undefined;
});

describe('a busy server', () => {
  it.runIf(process.platform === 'linux')('takes several connections in one turn of its loop', async () => {
    let [turn, taken] = [0, 0];
    const byTurn = new Map<number, number>();
    app.server.on('connection', () => {
      taken += 1;
      byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1);
    });
    listening = await listenAt(app, { host, port }, log);
    for (let opened = 0; opened < CONNECTIONS; opened += 1) sockets.push(connect(port, host));
    const next = (): void => {
      turn += 1;
      if (taken < CONNECTIONS) setImmediate(next);
    };
    next();
    await until('all are taken', () => taken === CONNECTIONS);
    expect(Math.max(...byTurn.values())).toBeGreaterThan(2);
  });

  it('lets no other share its port', async () => {
    listening = await listenAt(app, { host, port }, log);
    const other = Fastify();
    await expect(listenAt(other, { host, port }, log)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await other.close();
  });
});

it('whoever has come in is answered before the port is closed; idle connections keep nobody waiting', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  let [asked, isClosing, isClosed] = [0, false, false];
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('Connection', 'close');
  });
  app.get('/slow', async () => {
    asked += 1;
    await answer;
    return 'done';
  });
  app.get('/quick', () => 'done');
  listening = await listenAt(app, { host, port }, log);
  const agent = new Agent({ keepAlive: true });
  const get = async (path: string): Promise<number | undefined> => {
    const [response] = await once(request({ host, port, path, agent }).end(), 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  const slow = Array.from({ length: 40 }, async () => await get('/slow'));
  while (asked < slow.length) await get('/quick');
  await Promise.all(Array.from({ length: 20 }, async () => await get('/quick')));
  isClosing = true;
  const closed = Promise.all([app.close(), listening.close()]).then(() => (isClosed = true));
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  await expect(fetch(`http://${host}:${port}/quick`)).rejects.toThrow('fetch failed');
  resolve();
  expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
  await closed;
  expect(log.lines).toEqual([]);
});
