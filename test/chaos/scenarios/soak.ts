import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findGrowth, type Sample } from '../oracle/growth.ts';
import type { Dose, Scenario } from '../scenario.ts';
import { residentBytesOf } from '../world/children.ts';
import { sizeOfRedis } from '../world/redis.ts';
import { steadyLoad } from '../world/load.ts';
import { conclude } from '../world/row.ts';
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
    const client = steadyLoad(world, context, { prefix: 'S', atOnce: 8, everyMs: EVERY_MS[context.dose] });
    const samples: Sample[] = [];
    for (let at = 0; at < SAMPLES && !context.signal.aborted; at += 1) {
      await sleep((minutes * 60_000) / SAMPLES);
      samples.push(await sample(world));
      context.log(JSON.stringify(samples.at(-1)));
    }
    await client.stop();
    const { figures, violations } = findGrowth(samples, minutes);
    return await conclude(world, context, { quietWithinS: 120, figures: { minutes, ...figures }, violations });
  },
};

const SIZES = `
  select (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
    pg_relation_size('dispatches_unfinished')::float8 / 1048576 as queue`;

const sample = async (world: World): Promise<Sample> => {
  const { rows } = await world.pool.query<{ connections: number; queue: number }>(SIZES);
  const pids = world.fleet.members.map(({ child }) => child.pid);
  const memory = await Promise.all(pids.map(residentBytesOf));
  const descriptors = await Promise.all(pids.map(async (pid) => await readdir(`/proc/${pid}/fd`).catch(() => [])));
  const [redisBytes, redisKeys] = world.redis === undefined ? [0, 0] : await sizeOfRedis(world.redis.url);
  return {
    'memory MB': Math.round(Math.max(...memory) / 1_048_576),
    descriptors: Math.max(...descriptors.map(({ length }) => length)),
    connections: rows[0]?.connections ?? 0,
    'queue MB': Math.round(rows[0]?.queue ?? 0),
    'Redis MB': Math.round(redisBytes / 104_857.6) / 10,
    'Redis keys': redisKeys,
  };
};
