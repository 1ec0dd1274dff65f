import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig, SETTINGS } from '../../../src/platform/processes/config.ts';
import { readRedisUrl } from '../../../src/platform/queue/redis.ts';
import { openDispatchQueue } from '../../../src/platform/queue/dispatch-queue.ts';
import { recordingLog } from '../../support/log.ts';
import { describeRedis } from '../../support/redis.ts';
import { startRedisCluster, startRedisSentinel } from '../../support/redis-topologies.ts';
import { until } from '../../support/until.ts';

const open = async (redisUrl: string) => {
  const log = recordingLog();
  const queue = await openDispatchQueue({ redisUrl, prefix: 'topology', log, closeLimitMs: 2_000 });
  onTestFinished(queue.close);
  const got: number[] = [];
  queue.work((some) => Promise.resolve(void got.push(...some.map(({ id }) => id))));
  const isAdded = async (id: number): Promise<boolean> =>
    await queue.add([{ id }]).then(
      () => true,
      () => false,
    );
  return { queue, got, isAdded, log };
};

describeRedis('the queue on larger installations of Redis', () => {
  it('is on one node of a cluster, whose other nodes the URL names, too', async () => {
    const cluster = await startRedisCluster();
    onTestFinished(cluster.stop);
    const { queue, got, log } = await open(cluster.url);
    const ids = Array.from({ length: 200 }, (_, at) => at + 1);
    await queue.add(ids.map((id) => ({ id })));
    await until('all have come', () => got.length === ids.length);
    expect(got.toSorted((a, b) => a - b)).toEqual(ids);
    expect(log.lines).toEqual([]);
  });

  it('goes on at the replica that the sentinels promote when the master dies', async () => {
    const sentinel = await startRedisSentinel();
    onTestFinished(sentinel.stop);
    const { queue, got, isAdded, log } = await open(sentinel.url);
    await queue.add([{ id: 1 }]);
    await until('it has come', () => got.includes(1));
    await sentinel.failOver();
    await until('one is added to the new master', async () => await isAdded(2));
    await until('it has come', () => got.includes(2));
    expect(JSON.stringify(log.lines)).not.toContain('p@ss');
  });
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

  it('may have @ and + in its passwords as they are, and a password among its parameters', () => {
    expect(readRedisUrl('redis://:p@ss+word@a')).toMatchObject({ password: 'p@ss+word', hosts: [{ host: 'a' }] });
    expect(readRedisUrl('redis+sentinel://a/main?sentinelPassword=w+tch')).toMatchObject({ sentinelPassword: 'w+tch' });
    const masked = SETTINGS.redisUrl.secretsOf('redis://a?family=4&password=p%40ss');
    expect(masked).toEqual(expect.arrayContaining(['p@ss', 'p%40ss']));
  });
});
