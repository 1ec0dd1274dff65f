import { once } from 'node:events';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { describeRedis } from '../support/redis.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { flowWorld } from './world.ts';

const flow = flowWorld({ isServing: false });

const asked = (reference: string) => flow.carrier.seen.filter(({ body }) => body.referenceId === reference);

/** Accepted, and answered before any carrier was asked. */
const accept = async (reference: string): Promise<void> => {
  await flow.openShop();
  const reply = await flow.create(reference, 1, { prefer: 'respond-async' });
  expect(reply.status).toBe(200);
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
    const child = await flow.spawn('api');
    await accept('KILLED-1');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await flow.serve();
    await arrives('KILLED-1');
    await flow.server.close();
  }, 90_000);
});

describeRedis('what was accepted is dispatched once', () => {
  it('when Redis is flushed between accepting and dispatching', async () => {
    const redis = await startRedisServer();
    await flow.serve('api', { redisUrl: redis.url });
    const api = flow.server;
    await accept('FLUSHED-1');
    await until('the relay has handed the job to Redis', async () => {
      const { rows } = await flow.database.pool.query<{ count: number }>('select count(*) from outbox');
      return rows[0]?.count === 0;
    });
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    await flow.serve('all', { redisUrl: redis.url });
    await arrives('FLUSHED-1');
    await flow.server.close();
    await api.close();
    await redis.stop();
  }, 60_000);
});
