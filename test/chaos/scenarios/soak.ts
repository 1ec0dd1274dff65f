import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findGrowth, type Sample } from '../oracle/growth.ts';
import type { Dose, Scenario } from '../scenario.ts';
import { sizeOfRedis } from '../world/redis.ts';
import { conclude, steadyLoad } from '../world/row.ts';
import { startWorld, type World } from '../world/world.ts';

const MINUTES: Readonly<Record<Dose, number>> = { small: 0.4, quick: 0.4, full: 120 };
/** Between one create and the next. */
const EVERY_MS: Readonly<Record<Dose, number>> = { small: 150, quick: 150, full: 60 };
const SAMPLES = 24;

export const soak: Scenario = {
  name: 'soak',
  promise: 'half load for a long time: memory, descriptors, connections, the queue and Redis stay as they are',
  limitMinutes: { small: 3, quick: 5, full: 130 },
  run: async (context) => {
    const minutes = context.sizes.minutes ?? MINUTES[context.dose];
    await using world = await startWorld(context, { roles: ['api', 'worker'], faults: 0.02 });
    const records = new Client({ connectionString: world.databaseUrl, application_name: 'chaos-soak' });
    await using ending = new AsyncDisposableStack();
    ending.defer(async () => await records.end().catch(() => undefined));
    records.on('error', () => undefined);
    await records.connect();
    const client = steadyLoad(world, context, { prefix: 'S', atOnce: 8, everyMs: EVERY_MS[context.dose] });
    const samples: Sample[] = [];
    for (let at = 0; at < SAMPLES && !context.signal.aborted; at += 1) {
      await sleep((minutes * 60_000) / SAMPLES);
      samples.push(await sample(world, records));
      context.log(JSON.stringify(samples.at(-1)));
    }
    await client.stop();
    const { figures, violations } = findGrowth(samples, minutes);
    return await conclude(world, context, { quietWithinS: 120, figures: { minutes, ...figures }, violations });
  },
};

const SIZES = `
  select (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
    (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 / 1048576 from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and (n.nspname = 'bullmq' or (n.nspname = 'public' and c.relname = 'outbox'))) as queue`;

const sample = async (world: World, records: Client): Promise<Sample> => {
  const { rows } = await records.query<{ connections: number; queue: number }>(SIZES);
  const processes = await Promise.all(world.fleet.members.map(async ({ child }) => await sizeOf(child.pid)));
  const [redisBytes, redisKeys] = world.redis === undefined ? [0, 0] : await sizeOfRedis(world.redis.url);
  return {
    'memory MB': Math.round(Math.max(...processes.map(({ memoryMb }) => memoryMb))),
    descriptors: Math.max(...processes.map(({ descriptors }) => descriptors)),
    connections: rows[0]?.connections ?? 0,
    'queue MB': Math.round(rows[0]?.queue ?? 0),
    'Redis MB': Math.round(redisBytes / 104_857.6) / 10,
    'Redis keys': redisKeys,
  };
};

const sizeOf = async (pid: number | undefined): Promise<{ memoryMb: number; descriptors: number }> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return { memoryMb: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024, descriptors: descriptors.length };
};
