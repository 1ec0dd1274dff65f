import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { openDispatchQueue } from '../../../src/platform/queue/dispatch-queue.ts';
import { recordingLog } from '../../support/log.ts';
import { describeRedis, sharedRedis } from '../../support/redis.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

const openAt = async (redisUrl: string, prefix = 'test') => {
  const log = recordingLog();
  const queue = await openDispatchQueue({ redisUrl, prefix, log, closeLimitMs: 1_000, lockDurationMs: 2_000 });
  onTestFinished(queue.close);
  return { ...queue, log };
};
const open = async () => {
  const { url, prefix } = await sharedRedis();
  return { ...(await openAt(url, prefix)), url, prefix };
};
const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
/** Works on a queue; yields what has come, by job. */
const collect = ({ work }: Pick<Awaited<ReturnType<typeof openAt>>, 'work'>): (readonly number[])[] => {
  const got: (readonly number[])[] = [];
  work((some) => Promise.resolve(void got.push(some)));
  return got;
};

describeRedis('the queue of dispatches', () => {
  it('carries ids, some in a job, each once, and keeps nothing of them', async () => {
    const queue = await open();
    const got = collect(queue);
    await queue.add(ids(200));
    await until('all have come', () => got.flat().length === 200);
    expect(got.flat().toSorted((a, b) => a - b)).toEqual(ids(200));
    expect(Math.max(...got.map(({ length }) => length))).toBe(32);
    const redis = new Redis(queue.url);
    onTestFinished(() => redis.disconnect());
    await until('no job is left', async () => (await redis.keys(`*${queue.prefix}*:dispatch:[0-9]*`)).length === 0);
  });

  it('needs little of Redis for many ids', async () => {
    const queue = await open();
    const redis = new Redis(queue.url);
    onTestFinished(() => redis.disconnect());
    await queue.add(ids(10_000));
    const keys = await redis.keys(`*${queue.prefix}*`);
    const bytes = await Promise.all(keys.map(async (key) => Number(await redis.memory('USAGE', key))));
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(1_000_000);
  });

  it('gives what a worker has not taken at its end to the next', async () => {
    const one = await open();
    let asked = 0;
    one.work(async () => {
      asked += 1;
      await new Promise(() => undefined);
    });
    await one.add([7]);
    await until('it is at hand', () => asked === 1);
    await one.close();
    const got = collect(await openAt(one.url, one.prefix));
    await until('it comes again', () => got.length > 0, 30_000);
    expect(got).toEqual([[7]]);
  }, 40_000);

  it('hands out nothing that is no id, whoever wrote it', async () => {
    const queue = await open();
    const got = collect(queue);
    await queue.add([Number.NaN, -1, 0.5, '1' as never, 3]);
    await until('the job has come', () => got.length === 1);
    expect(got).toEqual([[3]]);
  });

  it('opens while Redis is down, says so, fails an add at once, and works when it comes', async () => {
    const port = await freePort();
    const queue = await openAt(`redis://127.0.0.1:${port}`);
    const got = collect(queue);
    const from = Date.now();
    await expect(queue.add([1])).rejects.toMatchObject({ code: 'queue_unavailable' });
    expect(Date.now() - from).toBeLessThan(1_000);
    expect(queue.log.lines.some(({ fields }) => JSON.stringify(fields).includes('ECONNREFUSED'))).toBe(true);
    const server = await startRedisServer(port);
    onTestFinished(server.stop);
    await until('it has come', async () => {
      await queue.add([2]).catch(() => undefined);
      await sleep(100);
      return got.flat().includes(2);
    });
  });
});
