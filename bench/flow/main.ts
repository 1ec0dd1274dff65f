/**
 * What a dispatch and a status push cost, each with its webhook: CPU by process, statements and transactions, rate and
 * latency. Contenders take turns within one run. `npm run bench:flow -- --help` shows the options.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { median, rounded } from '../measure.ts';
import { type Dose, enter, type Entry, type Figures, KINDS, send, timed, timedAlone } from './entry.ts';
import { startFloor } from './floor.ts';
import { makeHistory } from './history.ts';
import { findWasteful } from './plans.ts';
import { createProfiles } from './profile.ts';
import { queued, slowCarrier } from './scenes.ts';
import type { Kind } from './shippers.ts';
import { breaches, count, type Limits, measureIdle, print } from './statements.ts';
import { type Form, startWaybill } from './waybill.ts';

interface Options {
  readonly rounds: number;
  readonly units: number;
  readonly alone: number;
  readonly concurrency: number;
  readonly backends: readonly Form['backend'][];
  readonly carriers: readonly number[];
  readonly subscribers: readonly number[];
  readonly history: readonly number[];
  readonly queued: readonly number[];
  readonly slowCarrier?: true;
  readonly floor?: string;
  readonly cpuProf?: string;
  readonly statements?: true;
  readonly plans?: true;
  readonly judge?: string;
  readonly json?: string;
}

const number = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};
const backend = (text: string): Form['backend'] => {
  if (text !== 'redis' && text !== 'postgres') throw new InvalidArgumentError('It must be redis or postgres.');
  return text;
};
const list = (text: string): readonly string[] => text.split(',');

const options = new Command('bench:flow')
  .option('--rounds <number>', 'rounds that are measured; 0 only counts statements', number, 5)
  .option('--units <number>', 'dispatches, and then pushes, of each contender in a round', number, 1_000)
  .option('--alone <number>', 'of those that have everything to themselves', number, 50)
  .option('--concurrency <number>', 'requests at once', number, 32)
  .option('--backends <list>', 'redis, postgres or both', (text) => list(text).map(backend), ['redis', 'postgres'])
  .option('--carriers <list>', 'numbers of carriers', (text) => list(text).map(number), [1])
  .option('--subscribers <list>', 'numbers of shippers with a subscription', (text) => list(text).map(number), [1])
  .option('--history <list>', 'numbers of consignments that are there already', (text) => list(text).map(number), [0])
  .option('--queued <list>', 'creates that wait until a worker starts', (text) => list(text).map(number), [])
  .option('--slow-carrier', 'one of ten carriers takes 20 s for each answer: what the others feel of it')
  .option('--floor <folder>', 'a yardstick to run beside')
  .option('--cpu-prof <folder>', 'profiles the servers during the rounds, and shows where their time went')
  .option('--statements', 'shows which statements are asked how often a unit')
  .option('--plans', 'fails when a statement looks through a large table; with a history')
  .option('--judge <file>', 'fails when a unit takes more statements or transactions than stands there')
  .option('--json <file>', 'writes all figures of all rounds there')
  .parse()
  .opts<Options>();

const profiles = options.cpuProf === undefined ? undefined : createProfiles(options.cpuProf);
/** Of each list, the first is the base; each other one stands in its place for once. */
const formsOn = (backend: Form['backend']): readonly Form[] => {
  const [[carriers = 1, ...moreCarriers], [subscribers = 1, ...moreSubscribers], [history = 0, ...moreHistory]] = [
    options.carriers,
    options.subscribers,
    options.history,
  ];
  const base: Form = { backend, carriers, subscribers, history, isProfiled: profiles !== undefined };
  return [
    base,
    ...moreCarriers.map((more) => ({ ...base, carriers: more })),
    ...moreSubscribers.map((more) => ({ ...base, subscribers: more })),
    ...moreHistory.map((more) => ({ ...base, history: more })),
  ];
};
const forms = options.backends.flatMap(formsOn);

/** Consignments that a history repeats. */
const HISTORY_OF = 64;

await using running = new AsyncDisposableStack();
const entries: Entry[] = [];
if (options.floor !== undefined)
  for (const variant of ['naive', 'tuned'] as const)
    entries.push(running.use(enter(await startFloor(options.floor, variant))));
for (const form of forms) {
  const entry = running.use(enter(await startWaybill(form)));
  entries.push(entry);
  if (form.history === 0) continue;
  for (const kind of KINDS) await send(entry, kind, { count: HISTORY_OF, concurrency: options.concurrency });
  await makeHistory(entry.contender.records.client, form.history);
}

const keyOf = (entry: Entry, kind: Kind): string => `${kind}: ${entry.contender.name}`;

const crowd = { count: options.units, concurrency: options.concurrency };
const crowded = async (entry: Entry, kind: Kind): Promise<Figures> => {
  const act = async (): Promise<Figures> => await timed(entry, kind, crowd);
  const what = { name: keyOf(entry, kind), units: options.units };
  return (await profiles?.during(entry.contender, what, act)) ?? (await act());
};

// The first doses of all warm up.
for (const entry of entries) for (const kind of KINDS) await send(entry, kind, { ...crowd, count: options.units / 2 });
const figures = new Map<string, Figures[]>();
for (let round = 0; round < options.rounds; round += 1)
  for (const entry of entries) {
    const one = new Map<Kind, Figures>();
    for (const kind of KINDS) one.set(kind, await crowded(entry, kind));
    for (const kind of KINDS) {
      const alone = await timedAlone(entry, kind, options.alone);
      const key = keyOf(entry, kind);
      figures.set(key, [...(figures.get(key) ?? []), { ...one.get(kind), ...alone }]);
    }
  }

const medians: Record<string, Record<string, number>> = {};
for (const [key, all] of figures) {
  const names = Object.keys(all[0] ?? {});
  medians[key] = Object.fromEntries(names.map((name) => [name, median(all.map((one) => one[name] ?? Number.NaN))]));
}

const doses: Readonly<Record<string, Dose>> = {
  alone: { count: options.alone, concurrency: 1 },
  [`at ${options.concurrency}`]: crowd,
};
const counted: Record<string, Record<Kind, Record<string, Figures>>> = {};
for (const entry of entries) {
  const idle = await measureIdle(entry);
  const ofEntry: Record<Kind, Record<string, Figures>> = { dispatch: {}, push: {} };
  counted[entry.contender.name] = ofEntry;
  for (const [name, dose] of Object.entries(doses))
    for (const kind of KINDS) {
      const { figures: one, statements } = await count(entry, kind, { idle, dose });
      if (options.statements) print(`${keyOf(entry, kind)}, ${name}`, statements);
      ofEntry[kind][name] = one;
      const row = (medians[keyOf(entry, kind)] ??= {});
      for (const [what, figure] of Object.entries(one)) row[`${what} ${name}`] = figure;
    }
}

console.table(Object.fromEntries(Object.entries(medians).map(([name, row]) => [name, rounded(row)])));
profiles?.print();
const scenes: Record<string, Figures> = {};
for (const backend of options.backends) {
  for (const waiting of options.queued)
    scenes[`${waiting} queued: ${backend}`] = await queued(backend, waiting, options.concurrency);
  if (options.slowCarrier) scenes[`slow carrier: ${backend}`] = await slowCarrier(backend, options);
}
if (Object.keys(scenes).length > 0)
  console.table(Object.fromEntries(Object.entries(scenes).map(([name, row]) => [name, rounded(row)])));
if (options.json !== undefined) {
  const rounds = Object.fromEntries(figures);
  await writeFile(options.json, JSON.stringify({ options, medians, scenes, rounds }, null, 2));
}
if (options.plans)
  for (const entry of entries) {
    const { plans, tables, wasteful } = await findWasteful(entry, Object.values(doses));
    console.log(`${entry.contender.name}: ${plans} plans over ${tables} large tables, ${wasteful.length} wasteful`);
    for (const one of wasteful) console.error(one);
    if (wasteful.length > 0) process.exitCode = 1;
  }
if (options.judge !== undefined) {
  const found = breaches(counted, JSON.parse(await readFile(options.judge, 'utf8')) as Limits);
  for (const breach of found) console.error(breach);
  if (found.length > 0) process.exitCode = 1;
}
