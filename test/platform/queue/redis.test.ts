import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openQueues, type QueueOptions, type Queues } from '../../../src/platform/queue/queues.ts';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { recordingLog } from '../../support/log.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { collect, isAdded, jobsOf } from '../../support/queues.ts';
import { describeRedis } from '../../support/redis.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { until } from '../../support/until.ts';

const OPTIONS = { databaseUrl: 'postgres://unused.example.com/unused', prefix: 'test' };

const isUnavailable = async (asking: Promise<unknown>): Promise<void> =>
  await expect(asking).rejects.toMatchObject({ code: 'queue_unavailable' });

/** As a reconciler does: again and again, until it has come. */
const addUntilDone = (to: Queues, id: string, got: readonly string[]) =>
  until(`${id} has come`, async () => {
    await isAdded(to, id);
    await sleep(100);
    return got.includes(id);
  });

/** Works on dispatches; one of them is at hand until its gate is opened. */
const withJobAtHand = async (queues: Queues, concurrency: number) => {
  const got: string[] = [];
  const gate = Promise.withResolvers<void>();
  queues.work('status', { concurrency }, async (jobId, signal) => {
    if (jobId === 'at-hand-1' && !got.includes('at-hand-1')) await gate.promise;
    got.push(signal.aborted ? `${jobId} aborted` : jobId);
  });
  await queues.add('status', jobsOf('at-hand-1'));
  await until('it is at hand', async () => (await queues.counts()).status.active === 1);
  return { got, gate };
};

describeRedis('queues on a Redis that forgets, stops and starts', () => {
  let port: number;
  let server: RedisServer | undefined;
  let queues: Queues | undefined;
  let unhandled: unknown[];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  const log = recordingLog();

  beforeEach(async () => {
    port = await freePort();
    unhandled = [];
    process.on('unhandledRejection', onUnhandled);
  });

  afterEach(async () => {
    await queues?.close();
    await server?.stop();
    queues = undefined;
    server = undefined;
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  const open = async (own: Partial<QueueOptions> = {}) => {
    const redisUrl = `redis://127.0.0.1:${port}`;
    queues = await openQueues({ redisUrl, ...OPTIONS, log, closeLimitMs: 2_000, lockDurationMs: 2_000, ...own });
    return queues;
  };

  it('go on after FLUSHALL, whether jobs were waiting, delayed or at hand', async () => {
    server = await startRedisServer(port);
    const admin = new Redis(server.url);
    const queues = await open();
    const { got, gate } = await withJobAtHand(queues, 1);
    await queues.add('status', [{ id: 'waiting-1' }, { id: 'delayed-1', delayMs: 60_000 }]);
    await admin.flushall();
    // Past a renewal of its lock, which fails now.
    await sleep(2_500);
    gate.resolve();
    await until('the one at hand ended well', () => got.includes('at-hand-1'));
    expect((await queues.counts()).status).toMatchObject({ waiting: 0, delayed: 0 });
    for (const id of ['waiting-1', 'delayed-1', 'new-1']) await addUntilDone(queues, id, got);
    await admin.flushall();
    await addUntilDone(queues, 'idle-1', got);
    admin.disconnect();
  });

  it('open while it is down, say so, fail an add in time, and start work when it comes', async () => {
    const queues = await open();
    const got = collect(queues);
    const from = Date.now();
    await isUnavailable(queues.add('status', jobsOf('early-1')));
    await isUnavailable(queues.counts());
    expect(Date.now() - from).toBeLessThan(1_000);
    expect(log.lines.some(({ fields }) => JSON.stringify(fields).includes('ECONNREFUSED'))).toBe(true);
    server = await startRedisServer(port);
    await addUntilDone(queues, 'early-1', got);
  });

  it('go on when it is stopped and started again, empty', async () => {
    server = await startRedisServer(port);
    const queues = await open();
    const { got, gate } = await withJobAtHand(queues, 2);
    await queues.add('status', jobsOf('before-1'));
    await until('it has come', () => got.includes('before-1'));
    await server.stop();
    await isUnavailable(queues.add('status', jobsOf('during-1')));
    gate.resolve();
    await sleep(1_000);
    server = await startRedisServer(port);
    await addUntilDone(queues, 'during-1', got);
    await addUntilDone(queues, 'after-1', got);
  });

  it('go on after their connection to it fell silent', async () => {
    server = await startRedisServer();
    const proxy = await startSilentProxy(server.port);
    const queues = await open({ redisUrl: `redis://127.0.0.1:${proxy.port}`, answerLimitMs: 500 });
    await queues.add('status', jobsOf('before-1'));
    proxy.swallow();
    await isUnavailable(queues.add('status', jobsOf('meanwhile-1')));
    proxy.heal();
    await until('an add succeeds', async () => await isAdded(queues, 'after-1'));
    await queues.close();
    await proxy.close();
  });

  it('close in time while it is down', async () => {
    server = await startRedisServer(port);
    const queues = await open();
    queues.work('status', { concurrency: 1 }, () => Promise.resolve());
    await queues.add('status', jobsOf('one-1'));
    await server.stop();
    const from = Date.now();
    await queues.close();
    expect(Date.now() - from).toBeLessThan(8_000);
  });

  it('take only a redis URL', async () => {
    await expect(open({ redisUrl: 'localhost:6379' })).rejects.toMatchObject({ code: 'queue_url_invalid' });
    await expect(open({ prefix: 'a:b' })).rejects.toMatchObject({ code: 'queue_prefix_invalid' });
  });
});
