/** The server as a process: what stops it, kills it or overwhelms it, and what is kept of what it has accepted. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { describeRedis } from '../support/redis.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { flowWorld } from './world.ts';

const flow = flowWorld({ isServing: false });
afterEach(async () => await flow.server.close());

const asked = (reference: string) => flow.carrier.seen.filter(({ body }) => body.referenceId === reference);

const stateOfLast = async (): Promise<unknown> => {
  const { rows } = await flow.database.pool.query('select state from dispatches order by id desc limit 1');
  return rows[0]?.state;
};

describe('a server that is told to stop while a carrier is slow', () => {
  let child: ChildProcess;
  /** Lets the carrier answer what it was asked. */
  let answer: () => void;
  afterEach(() => answer());

  const start = async (stopLimitMs: number): Promise<void> => {
    answer = flow.carrier.hold();
    child = await flow.spawn({ env: { STOP_DELAY_MS: '1500', STOP_LIMIT_MS: String(stopLimitMs) } });
    await flow.openShop();
  };
  /** Tells it to stop as soon as the carrier is asked; yields the reply to come, as text. */
  const stopAmid = async (reference: string): Promise<{ readonly reply: Promise<string> }> => {
    const reply = flow.create(reference).then(JSON.stringify, () => 'none');
    await until('the carrier is asked', () => asked(reference).length > 0);
    child.kill('SIGTERM');
    return { reply };
  };
  it('is not ready at once, answers who waits, records the end, and closes idle connections', async () => {
    await start(20_000);
    const { url } = flow.server;
    const agent = new Agent({ keepAlive: true });
    const [response] = await once(get(`${url}/healthz`, { agent }), 'response');
    (response as NodeJS.ReadableStream).resume();
    const { reply } = await stopAmid('STOP-1');
    await until('it says that it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    await until('it takes no more', async () => (await fetch(`${url}/healthz`).catch(() => undefined)) === undefined);
    answer();
    expect(await reply).toContain('T-STOP-1-PKG-1');
    expect(await once(child, 'exit')).toEqual([0, null]);
    agent.destroy();
    expect(await stateOfLast()).toBe('done');
  });

  it('cuts off at its limit what does not end, and knows no end of it', async () => {
    await start(3_000);
    const { reply } = await stopAmid('STOP-3');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await reply;
    expect(await stateOfLast()).toBe('sending');
  });

  it('ends at once at a second signal', async () => {
    await start(20_000);
    const { reply } = await stopAmid('STOP-2');
    // A second one within a second is the same one, as npm hands it on.
    await sleep(1_100);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await reply;
  });
});

/** Accepted, and answered before any carrier was asked. */
const accept = async (reference: string): Promise<void> => {
  await flow.openShop();
  expect(await flow.create(reference, 1, { prefer: 'respond-async' })).toMatchObject({ status: 200 });
  expect(asked(reference)).toHaveLength(0);
};
const arrives = async (reference: string): Promise<void> => {
  await until('the tracking number is there', async () =>
    JSON.stringify((await flow.read(reference)).body).includes(`T-${reference}-PKG-1`),
  );
  expect(asked(reference)).toHaveLength(1);
};

describe('what was accepted is dispatched once', () => {
  it('when the server is killed between accepting and dispatching', async () => {
    const child = await flow.spawn({ role: 'api' });
    await accept('KILLED-1');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await flow.serve();
    await arrives('KILLED-1');
  });

  describeRedis('through Redis', () => {
    it('when Redis is flushed between accepting and dispatching', async () => {
      const redis = await startRedisServer();
      onTestFinished(() => redis.stop());
      await flow.serve({ role: 'api', redisUrl: redis.url });
      const api = flow.server;
      onTestFinished(() => api.close());
      await accept('FLUSHED-1');
      const client = new Redis(redis.url);
      await until('it is handed to Redis', async () => (await client.dbsize()) > 0);
      await client.flushall();
      await client.quit();
      await flow.serve({ redisUrl: redis.url });
      await arrives('FLUSHED-1');
    });
  });
});

it('a thousand connections at once wait for a server that is busy, and none of them in vain', async () => {
  const CONNECTIONS = 1_000;
  const server = await flow.spawn({ role: 'api' });
  const port = Number(new URL(flow.server.url).port);
  server.kill('SIGSTOP');
  let [connected, answered, closed] = [0, 0, 0];
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1', () => {
      connected += 1;
      socket.write('GET /healthz HTTP/1.1\r\nHost: example\r\nConnection: close\r\n\r\n');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => (closed += 1));
    return socket.on('data', (chunk) => {
      if (chunk.toString().startsWith('HTTP/1.1 200')) answered += 1;
    });
  });
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await until('all are connected', () => connected === CONNECTIONS);
  server.kill('SIGCONT');
  await until('all are done with', () => closed === CONNECTIONS);
  expect(answered).toBe(CONNECTIONS);
});
