import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig, SETTINGS } from '../../../src/platform/processes/config.ts';
import { readRedisUrl } from '../../../src/platform/queue/redis.ts';
import { openQueues } from '../../../src/platform/queue/queues.ts';
import { recordingLog } from '../../support/log.ts';
import { collect, isAdded, jobsOf } from '../../support/queues.ts';
import { describeRedis } from '../../support/redis.ts';
import { startRedisCluster, startRedisSentinel } from '../../support/redis-topologies.ts';
import { until } from '../../support/until.ts';

const open = async (redisUrl: string) => {
  const log = recordingLog();
  const databaseUrl = 'postgres://unused.example.com/unused';
  const queues = await openQueues({ databaseUrl, redisUrl, prefix: 'topology', log, closeLimitMs: 2_000 });
  onTestFinished(queues.close);
  return { queues, log };
};

describeRedis('queues on larger installations of Redis', () => {
  it('are on one node of a cluster, whose other nodes the URL names, too', async () => {
    const cluster = await startRedisCluster();
    onTestFinished(cluster.stop);
    const { queues, log } = await open(cluster.url);
    const got = collect(queues, 'status', 4);
    const ids = Array.from({ length: 200 }, (_, n) => `d-${n}-a1`);
    await queues.add('status', jobsOf(...ids));
    await until('all jobs are done', () => got.length === ids.length);
    expect(got.toSorted()).toEqual(ids.toSorted());
    await queues.add('status', [{ id: 'late-1', delayMs: 300 }]);
    await until('a delayed job is done', () => got.includes('late-1'));
    expect(log.lines).toEqual([]);
  }, 60_000);

  it('go on at the replica that the sentinels promote when the master dies', async () => {
    const sentinel = await startRedisSentinel();
    onTestFinished(sentinel.stop);
    const { queues, log } = await open(sentinel.url);
    const got = collect(queues);
    await queues.add('status', jobsOf('before-1'));
    await until('a job is done', () => got.includes('before-1'));
    await sentinel.failOver();
    await until('a job is added to the new master', async () => await isAdded(queues, 'after-1'));
    await until('it is done', () => got.includes('after-1'), 40_000);
    expect(JSON.stringify(log.lines)).not.toContain('p@ss');
  }, 90_000);
});

describe('REDIS_URL', () => {
  it.each([
    ['redis://localhost', 'single', ['localhost:6379']],
    ['rediss://user:secret@redis.example.com:6380/2', 'single', ['redis.example.com:6380']],
    [
      'redis+cluster://a.example.com,b.example.com:7000,[::1]:7001',
      'cluster',
      ['a.example.com:6379', 'b.example.com:7000', '::1:7001'],
    ],
    [
      'rediss+sentinel://a.example.com,b.example.com:26380/main/3',
      'sentinel',
      ['a.example.com:26379', 'b.example.com:26380'],
    ],
  ])('may be %s', (url, mode, hosts) => {
    const address = readRedisUrl(url);
    expect(address).toMatchObject({ mode, isEncrypted: url.startsWith('rediss') });
    expect(address?.hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(hosts);
    expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  it.each([
    'localhost:6379',
    'http://localhost',
    'redis+cluster://',
    'redis+sentinel://a:1,b:2',
    'redis+other://a',
    'redis+cluster://a:b',
    'redis://%zz@a',
  ])('may not be %s', (url) =>
    expect(() => readConfig({ REDIS_URL: url })).toThrow(/^REDIS_URL must be redis:\/\/host:port, /),
  );

  it('says who may come in, to the servers and to the sentinels; the passwords are masked in either writing', () => {
    const url = 'redis+sentinel://app:p%40ss%21:x@a:1/main/3?sentinelPassword=w%2Fatch';
    expect(readRedisUrl(url)).toMatchObject({
      username: 'app',
      password: 'p@ss!:x',
      sentinelPassword: 'w/atch',
      master: 'main',
      database: 3,
    });
    const masked = SETTINGS.redisUrl.secretsOf(url);
    expect(masked).toEqual(expect.arrayContaining(['p@ss!:x', 'p%40ss%21:x', 'w/atch', 'w%2Fatch']));
    expect(SETTINGS.redisUrl.secretsOf('redis://localhost')).toEqual([]);
  });
});
