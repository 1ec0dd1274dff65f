import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Dose, Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import { conclude, steadyLoad } from '../world/row.ts';
import { startWorld, type World } from '../world/world.ts';

const MINUTES: Readonly<Record<Dose, number>> = { small: 0.4, quick: 0.4, full: 120 };
const SAMPLES = 24;
/** What there may be at the end above what there was in the middle. A short soak still warms up. */
const growthAllowed = (minutes: number): Sample => ({
  memoryMb: minutes < 10 ? 120 : 60,
  connections: minutes < 10 ? 70 : 6,
  queueMb: 16,
});

export const soak: Scenario = {
  name: 'soak',
  promise: 'half load for a long time: memory, connections and the tables of queue and outbox stay as they are',
  limitMinutes: { small: 3, quick: 5, full: 130 },
  run: async (context) => await run(context),
};

interface Sample {
  readonly memoryMb: number;
  readonly connections: number;
  readonly queueMb: number;
}

const run = async (context: ScenarioContext): Promise<Outcome> => {
  const minutes = context.sizes.minutes ?? MINUTES[context.dose];
  const world = await startWorld(context, { roles: ['api', 'worker'], faults: 0.02 });
  const records = new Client({ connectionString: world.databaseUrl, application_name: 'chaos-soak' });
  records.on('error', () => undefined);
  try {
    await records.connect();
    const client = steadyLoad(world, context, { prefix: 'S', atOnce: 8, everyMs: 60 });
    const samples: Sample[] = [];
    for (let at = 0; at < SAMPLES && !context.signal.aborted; at += 1) {
      await sleep((minutes * 60_000) / SAMPLES);
      samples.push(await sample(world, records));
      context.log(JSON.stringify(samples.at(-1)));
    }
    await client.stop();
    const third = Math.floor(SAMPLES / 3);
    const [first, last] = [samples.slice(third, 2 * third), samples.slice(-third)];
    const allowed = growthAllowed(minutes);
    const figures: Record<string, number | string> = { minutes };
    const violations: string[] = [];
    for (const name of ['memoryMb', 'connections', 'queueMb'] as const) {
      const [before, after] = [median(first.map((one) => one[name])), median(last.map((one) => one[name]))];
      figures[name] = `${before} → ${after}`;
      if (after - before > allowed[name]) violations.push(`${name} grew from ${before} to ${after}`);
    }
    return await conclude(world, context, { quietWithinS: 120, figures, violations });
  } finally {
    await records.end().catch(() => undefined);
    await world.close();
  }
};

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const SIZES = `
  select (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
    (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 / 1048576 from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and (n.nspname = 'bullmq' or (n.nspname = 'public' and c.relname = 'outbox'))) as queue`;

/** The largest process counts. */
const sample = async (world: World, records: Client): Promise<Sample> => {
  const memories = world.fleet.members.map(async ({ child }) => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  });
  const { rows } = await records.query<{ connections: number; queue: number }>(SIZES);
  return {
    memoryMb: Math.round(Math.max(...(await Promise.all(memories)))),
    connections: rows[0]?.connections ?? 0,
    queueMb: Math.round(rows[0]?.queue ?? 0),
  };
};
