import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import {
  type DispatchQueueOptions,
  type HandedOn,
  openDispatchQueue,
  repeatingErrors,
} from '../../../src/platform/queue/dispatch-queue.ts';
import { fakeClock } from '../../support/clock.ts';
import { recordingLog } from '../../support/log.ts';
import { describeRedis, sharedRedis } from '../../support/redis.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { until } from '../../support/until.ts';

const openAt = async (redisUrl: string, prefix = 'test', own: Partial<DispatchQueueOptions> = {}) => {
  const log = recordingLog();
  const options = { redisUrl, prefix, log, closeLimitMs: 1_000, lockDurationMs: 2_000, ...own };
  const queue = await openDispatchQueue(options);
  onTestFinished(queue.close);
  return { ...queue, log, add: async (some: readonly number[]) => await queue.add(some.map((id) => ({ id }))) };
};
const open = async () => {
  const { url, prefix } = await sharedRedis();
  return { ...(await openAt(url, prefix)), url, prefix };
};
const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
/** Works on a queue; yields what has come, by job. */
const collect = ({ work }: Pick<Awaited<ReturnType<typeof openAt>>, 'work'>): (readonly number[])[] => {
  const got: (readonly number[])[] = [];
  work((some) => Promise.resolve(void got.push(some.map(({ id }) => id))));
  return got;
};

/** As who hands on does, and who looks in the records: again and again, until it has come. */
const addUntilDone = (queue: Awaited<ReturnType<typeof openAt>>, id: number, got: readonly (readonly number[])[]) =>
  until(`${id} has come`, async () => {
    await queue.add([id]).catch(() => undefined);
    await sleep(100);
    return got.flat().includes(id);
  });

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
    await until('it comes again', () => got.length > 0);
    expect(got).toEqual([[7]]);
  });

  it('hands out nothing that is no id, whoever wrote it', async () => {
    const queue = await open();
    const got = collect(queue);
    await queue.add([Number.NaN, -1, 0.5, '1' as never, 3]);
    await until('the job has come', () => got.length === 1);
    expect(got).toEqual([[3]]);
  });

  it('tells whose they are, where that was known, whatever else the jobs of others hold', async () => {
    const { url, prefix } = await sharedRedis();
    const queue = await openDispatchQueue({ redisUrl: url, prefix, log: recordingLog(), closeLimitMs: 1_000 });
    onTestFinished(queue.close);
    const { hostname: host, port } = new URL(url);
    const others = new Queue('dispatch', { connection: { host, port: Number(port) }, prefix: `{${prefix}}` });
    onTestFinished(async () => await others.close());
    for (const data of [[4, 5], 'acme', [['acme', '6', 0, 7]]]) await others.add('ids', data);
    const got: HandedOn[] = [];
    queue.work((some) => Promise.resolve(void got.push(...some)));
    const handed = [{ id: 1, carrier: 'acme' }, { id: 2 }, { id: 3, carrier: 'acme' }];
    await queue.add(handed);
    await until('all have come', () => got.length === 4);
    expect(got.toSorted((a, b) => a.id - b.id)).toEqual([...handed, { id: 7, carrier: 'acme' }]);
  });
});

describeRedis('the queue of dispatches on a Redis that forgets, stops and starts', () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  beforeEach(() => process.on('unhandledRejection', onUnhandled));
  afterEach(() => {
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  const unavailable = { code: 'queue_unavailable' };

  it('opens while it is down, says so, fails an add at once, and works when it comes', async () => {
    const port = await freePort();
    const queue = await openAt(`redis://127.0.0.1:${port}`);
    const got = collect(queue);
    const from = Date.now();
    await expect(queue.add([1])).rejects.toMatchObject(unavailable);
    expect(Date.now() - from).toBeLessThan(1_000);
    expect(queue.log.lines.some(({ fields }) => JSON.stringify(fields).includes('ECONNREFUSED'))).toBe(true);
    const server = await startRedisServer(port);
    onTestFinished(server.stop);
    await addUntilDone(queue, 2, got);
  });

  it('goes on after FLUSHALL, and when it is stopped and started again, empty', async () => {
    const port = await freePort();
    const server = await startRedisServer(port);
    const queue = await openAt(server.url);
    const got = collect(queue);
    await addUntilDone(queue, 1, got);
    const admin = new Redis(server.url);
    await admin.flushall();
    admin.disconnect();
    await addUntilDone(queue, 2, got);
    await server.stop();
    await expect(queue.add([3])).rejects.toMatchObject(unavailable);
    const again = await startRedisServer(port);
    onTestFinished(again.stop);
    await addUntilDone(queue, 4, got);
  });

  it('goes on after its connection to it fell silent', async () => {
    const server = await startRedisServer();
    onTestFinished(server.stop);
    const proxy = await startSilentProxy(server.port);
    onTestFinished(proxy.close);
    const queue = await openAt(`redis://127.0.0.1:${proxy.port}`, 'test', { answerLimitMs: 500 });
    await queue.add([1]);
    proxy.swallow();
    await expect(queue.add([2])).rejects.toMatchObject(unavailable);
    proxy.heal();
    await until(
      'an add succeeds',
      async () =>
        await queue.add([3]).then(
          () => true,
          () => false,
        ),
    );
  });

  it('closes in time while it is down', async () => {
    const server = await startRedisServer();
    const queue = await openAt(server.url);
    collect(queue);
    await queue.add([1]);
    await server.stop();
    const from = Date.now();
    await queue.close();
    expect(Date.now() - from).toBeLessThan(8_000);
  });

  it('takes only a URL of Redis', async () => {
    await expect(openAt('localhost:6379')).rejects.toMatchObject({ code: 'queue_url_invalid' });
  });
});

describe('errors of the queue', () => {
  it('that repeat are logged once in 10 s, with how often they came meanwhile', () => {
    const log = recordingLog();
    const clock = fakeClock();
    const report = repeatingErrors(log, clock.now);
    for (let n = 0; n < 5; n += 1) report({ queue: 'dispatch' }, new Error('connection refused'));
    report({ queue: 'dispatch' }, new Error('something else'));
    clock.advance(10_000);
    report({ queue: 'dispatch' }, new Error('connection refused'));
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { queue: 'dispatch', error: 'connection refused', repeated: 0 },
      { queue: 'dispatch', error: 'something else', repeated: 0 },
      { queue: 'dispatch', error: 'connection refused', repeated: 4 },
    ]);
  });

  it('that come as one are named by the first', () => {
    const log = recordingLog();
    repeatingErrors(log)({}, new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]));
    expect(log.lines[0]?.fields).toMatchObject({ error: 'refused by ::1' });
  });
});
