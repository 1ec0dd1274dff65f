/** Redis as larger installations have it: a cluster, and a master whose sentinels promote its replica. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/platform/records/embedded-postmaster.ts';
import { findRedisCommand, type RedisServer, startRedisServer } from './redis-server.ts';
import { until } from './until.ts';
import { whenWeAreGone } from './watchdog.ts';

const PASSWORD = 'p@ss/word:1';

const asked = async <Answer>(port: number, ask: (client: Redis) => Promise<Answer>): Promise<Answer> => {
  const client = new Redis({ port, password: PASSWORD, maxRetriesPerRequest: 1 });
  client.on('error', () => undefined);
  return await ask(client).finally(() => client.disconnect());
};

const cli = (): string => (findRedisCommand() === 'valkey-server' ? 'valkey-cli' : 'redis-cli');

/** Three masters. */
export const startRedisCluster = async (): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const nodes: RedisServer[] = [];
  for (let node = 0; node < 3; node += 1) {
    const bus = String(await freePort());
    const own = ['--cluster-enabled', 'yes', '--cluster-port', bus, '--requirepass', PASSWORD];
    // A cluster has one database only.
    nodes.push(await startRedisServer(await freePort(), [...own, '--databases', '1']));
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  execFileSync(cli(), ['--no-auth-warning', '-a', PASSWORD, '--cluster', 'create', ...hosts, '--cluster-yes']);
  for (const { port } of nodes) {
    await until('the cluster is whole', async () =>
      (await asked(port, async (client) => await client.cluster('INFO'))).includes('cluster_state:ok'),
    );
  }
  return {
    url: `redis+cluster://:${encodeURIComponent(PASSWORD)}@${hosts.join(',')}`,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
};

/** A master, its replica, and a sentinel that promotes it. */
export const startRedisSentinel = async () => {
  const own = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
  const master = await startRedisServer(undefined, own);
  const replica = await startRedisServer(undefined, [...own, '--replicaof', '127.0.0.1', String(master.port)]);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'waybill-test-sentinel-'));
  const conf = join(folder, 'sentinel.conf');
  await writeFile(
    conf,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 1`,
      `sentinel auth-pass mymaster ${PASSWORD}`,
      'sentinel down-after-milliseconds mymaster 500',
      'sentinel failover-timeout mymaster 3000',
      '',
    ].join('\n'),
  );
  const sentinel = spawn(findRedisCommand() ?? '', [conf, '--sentinel'], { stdio: 'ignore' });
  const exited = once(sentinel, 'exit');
  whenWeAreGone('kill -KILL "$1"; rm -rf "$2"', String(sentinel.pid), folder);
  const client = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const replicas = async () => JSON.stringify(await client.call('SENTINEL', 'REPLICAS', 'mymaster').catch(() => ''));
  await until('the sentinel knows the replica', async () => (await replicas()).includes(String(replica.port)));
  await until('the replica is up to date', async () =>
    (await asked(replica.port, async (own) => await own.info('replication'))).includes('master_link_status:up'),
  );
  return {
    url: `redis+sentinel://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/mymaster`,
    /** Ends the master; resolves when the replica is the new one. */
    failOver: async (): Promise<void> => {
      await master.stop();
      await until('the replica is promoted', async () =>
        JSON.stringify(await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')).includes(
          String(replica.port),
        ),
      );
    },
    stop: async (): Promise<void> => {
      client.disconnect();
      sentinel.kill('SIGKILL');
      await exited;
      await Promise.all([master.stop(), replica.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
