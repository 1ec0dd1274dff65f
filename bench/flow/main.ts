/**
 * What a dispatch and a status push cost, each with its webhook: CPU by process, statements and transactions, rate and
 * latency. Contenders take turns within one run. `npm run bench:flow -- --help` shows the options.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { median, rounded } from '../measure.ts';
import type { Contender } from './contender.ts';
import { startFloor } from './floor.ts';
import { type Peer, residentMb, startPeer, treeCpuMs } from './machine.ts';
import { createProfiles } from './profile.ts';
import type { Kind, Sent } from './shippers.ts';
import { type Form, startWaybill } from './waybill.ts';

const KINDS: readonly Kind[] = ['dispatch', 'push'];

interface Options {
  readonly rounds: number;
  readonly units: number;
  readonly concurrency: number;
  readonly backends: readonly Form['backend'][];
  readonly carriers: readonly number[];
  readonly subscribers: readonly number[];
  readonly floor?: string;
  readonly cpuProf?: string;
  readonly json?: string;
}

const number = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
};
const backend = (text: string): Form['backend'] => {
  if (text !== 'redis' && text !== 'postgres') throw new InvalidArgumentError('It must be redis or postgres.');
  return text;
};
const list = (text: string): readonly string[] => text.split(',');

const options = new Command('bench:flow')
  .option('--rounds <number>', 'rounds that are measured', number, 5)
  .option('--units <number>', 'dispatches, and then pushes, of each contender in a round', number, 1_000)
  .option('--concurrency <number>', 'requests at once', number, 32)
  .option('--backends <list>', 'redis, postgres or both', (text) => list(text).map(backend), ['redis', 'postgres'])
  .option('--carriers <list>', 'numbers of carriers', (text) => list(text).map(number), [1])
  .option('--subscribers <list>', 'numbers of shippers with a subscription', (text) => list(text).map(number), [1])
  .option('--floor <folder>', 'a yardstick to run beside')
  .option('--cpu-prof <folder>', 'profiles the servers during the rounds, and shows where their time went')
  .option('--json <file>', 'writes all figures of all rounds there')
  .parse()
  .opts<Options>();

/** What one round, or one count of statements, showed; per unit where the name does not say otherwise. */
type Figures = Readonly<Record<string, number>>;

interface Entry {
  readonly contender: Contender;
  readonly shippers: Peer;
  /** Number of the next consignment. */
  next: number;
}

const WEBHOOKS_WITHIN_MS = 300_000;
/** The floor answers each look itself, at its own cost. */
const LOOK_EVERY_MS = 25;
/** The last webhook has come before its delivery is recorded. */
const SETTLE_MS = 300;

/** Sends `count` of a kind, and waits until they are done for good. */
const send = async (
  entry: Entry,
  kind: Kind,
  count: number,
  concurrency: number,
): Promise<Sent & { doneMs: number }> => {
  const { contender, shippers } = entry;
  // Pushes are of the consignments that were dispatched last.
  const first = kind === 'dispatch' ? entry.next : entry.next - count;
  if (kind === 'dispatch') entry.next += count;
  const before = await contender.done(kind);
  const startMs = performance.now();
  const sent = await shippers.ask<Sent>({ kind, first, count, concurrency, ...contender.trafficOf(kind) });
  while ((await contender.done(kind)) < before + count) {
    if (performance.now() - startMs > WEBHOOKS_WITHIN_MS) throw new Error(`${contender.name}: webhooks are missing`);
    await sleep(LOOK_EVERY_MS);
  }
  const doneMs = performance.now() - startMs;
  await sleep(SETTLE_MS);
  return { ...sent, doneMs };
};

const timed = async (entry: Entry, kind: Kind): Promise<Figures> => {
  const { pid, records, queue } = entry.contender;
  const { units, concurrency } = options;
  const cpu = (): number[] => [pid, records.pid, ...(queue === undefined ? [] : [queue.pid])].map(treeCpuMs);
  const before = cpu();
  const { latenciesMs, busy, doneMs } = await send(entry, kind, units, concurrency);
  const [server = 0, postgres = 0, redis = 0] = cpu().map((ms, at) => (ms - (before[at] ?? 0)) / units);
  return {
    cpuMs: server + postgres + redis,
    serverMs: server,
    postgresMs: postgres,
    redisMs: redis,
    perSecond: (units / doneMs) * 1_000,
    p50Ms: latenciesMs[Math.floor(units / 2)] ?? 0,
    p99Ms: latenciesMs[Math.floor(units * 0.99)] ?? 0,
    busy: busy / units,
    residentMb: residentMb(pid),
  };
};

/** The first look at the transactions, and the reset of the statements. */
const OWN_TRANSACTIONS = 2;

/** Statements and transactions a unit, those that the server makes anyway included. */
const counted = async (entry: Entry, kind: Kind, count: number, concurrency: number): Promise<Figures> => {
  const { client } = entry.contender.records;
  const transactions = async (): Promise<number> => {
    // Sessions report what they did with a delay.
    await sleep(1_100);
    const { rows } = await client.query<{ count: string }>(
      `select pg_stat_clear_snapshot(), sum(xact_commit + xact_rollback) as count from pg_stat_database`,
    );
    return Number(rows[0]?.count);
  };
  const before = await transactions();
  await client.query('select pg_stat_statements_reset()');
  await send(entry, kind, count, concurrency);
  const after = await transactions();
  const { rows } = await client.query<{ calls: string }>(
    `select sum(calls) as calls from pg_stat_statements where query not like '%pg_stat%'`,
  );
  return { statements: Number(rows[0]?.calls) / count, transactions: (after - before - OWN_TRANSACTIONS) / count };
};

const profiles = options.cpuProf === undefined ? undefined : createProfiles(options.cpuProf);
const forms: Form[] = options.backends.flatMap((backend) =>
  options.carriers.flatMap((carriers) =>
    options.subscribers.map((subscribers) => ({ backend, carriers, subscribers, isProfiled: profiles !== undefined })),
  ),
);

await using running = new AsyncDisposableStack();
const entries: Entry[] = [];
const enter = (contender: Contender): void => {
  running.use(contender);
  entries.push({ contender, shippers: running.use(startPeer('shippers.ts', contender.cwd)), next: 0 });
};
if (options.floor !== undefined)
  for (const variant of ['naive', 'tuned'] as const) enter(await startFloor(options.floor, variant));
for (const form of forms) enter(await startWaybill(form));

const figures = new Map<string, Figures[]>();
const keep = (entry: Entry, kind: Kind, one: Figures): void => {
  const key = `${kind}: ${entry.contender.name}`;
  figures.set(key, [...(figures.get(key) ?? []), one]);
};
const measured = async (entry: Entry, kind: Kind): Promise<Figures> => {
  const what = { name: `${kind}: ${entry.contender.name}`, units: options.units };
  const act = async (): Promise<Figures> => await timed(entry, kind);
  return (await profiles?.during(entry.contender, what, act)) ?? (await act());
};
for (let round = 0; round <= options.rounds; round += 1)
  for (const entry of entries)
    for (const kind of KINDS) {
      // The first round warms up.
      if (round === 0) await timed(entry, kind);
      else keep(entry, kind, await measured(entry, kind));
    }

const rows: Record<string, Record<string, number>> = {};
for (const entry of entries)
  for (const kind of KINDS) {
    const key = `${kind}: ${entry.contender.name}`;
    const all = figures.get(key) ?? [];
    const names = Object.keys(all[0] ?? {});
    rows[key] = Object.fromEntries(names.map((name) => [name, median(all.map((one) => one[name] ?? Number.NaN))]));
  }
for (const entry of entries)
  for (const [at, count] of [[1, 50] as const, [options.concurrency, options.concurrency * 10] as const])
    for (const kind of KINDS) {
      const { statements = 0, transactions = 0 } = await counted(entry, kind, count, at);
      const row = rows[`${kind}: ${entry.contender.name}`] ?? {};
      row[`statements at ${at}`] = statements;
      row[`transactions at ${at}`] = transactions;
    }

console.table(Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, rounded(row)])));
profiles?.print();
if (options.json !== undefined)
  await writeFile(
    options.json,
    JSON.stringify({ options, medians: rows, rounds: Object.fromEntries(figures) }, null, 2),
  );
