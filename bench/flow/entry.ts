/** A contender in its turn: traffic goes to it, and what that costs is measured. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import { type Peer, residentMb, startPeer, treeCpuMs } from './machine.ts';
import type { Kind, Sent } from './shippers.ts';

export const KINDS: readonly Kind[] = ['dispatch', 'push'];

export interface Entry extends AsyncDisposable {
  readonly contender: Contender;
  readonly shippers: Peer;
  /** Number of the next consignment. */
  next: number;
}

/** What one round, or one count of statements, showed; per unit where the name does not say otherwise. */
export type Figures = Readonly<Record<string, number>>;

/** How much is sent: so many at once; one at a time is alone, done for good before the next begins. */
export interface Dose {
  readonly count: number;
  readonly concurrency: number;
}

const WEBHOOKS_WITHIN_MS = 600_000;
/** The floor answers each look itself, at its own cost. */
const LOOK_EVERY_MS = 25;
const LOOK_ALONE_EVERY_MS = 3;
/** The last webhook has come before its delivery is recorded. */
const SETTLE_MS = 300;

export const enter = (contender: Contender): Entry => {
  const shippers = startPeer('shippers.ts', contender.cwd);
  return {
    contender,
    shippers,
    next: contender.first,
    [Symbol.asyncDispose]: async () => {
      await shippers[Symbol.asyncDispose]();
      await contender[Symbol.asyncDispose]();
    },
  };
};

/** Waits until there are as many marks of a kind as `wanted`. */
export const untilDone = async (
  { contender }: Entry,
  kind: Kind,
  { wanted, everyMs = LOOK_EVERY_MS }: { readonly wanted: number; readonly everyMs?: number },
): Promise<void> => {
  const end = performance.now() + WEBHOOKS_WITHIN_MS;
  while ((await contender.done(kind)) < wanted) {
    if (performance.now() > end) throw new Error(`${contender.name}: not done in time: ${await contender.left()}`);
    await sleep(everyMs);
  }
};

/** Sends and waits until all of it is done for good. Pushes are of the consignments that were dispatched last. */
export const send = async (entry: Entry, kind: Kind, dose: Dose): Promise<Sent & { readonly doneMs: number }> => {
  const { count, concurrency } = dose;
  const first = kind === 'dispatch' ? entry.next : entry.next - count;
  if (kind === 'dispatch') entry.next += count;
  const load = entry.contender.trafficOf(kind);
  const before = await entry.contender.done(kind);
  const startMs = performance.now();
  const sent: Sent[] = [];
  const size = concurrency === 1 ? 1 : count;
  for (let at = 0; at < count; at += size) {
    sent.push(await entry.shippers.ask<Sent>({ kind, first: first + at, count: size, concurrency, ...load }));
    await untilDone(entry, kind, {
      wanted: before + (at + size) * entry.contender.marks[kind],
      ...(size === 1 && { everyMs: LOOK_ALONE_EVERY_MS }),
    });
  }
  const doneMs = performance.now() - startMs;
  await sleep(SETTLE_MS);
  return {
    latenciesMs: sent.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b),
    begunMs: sent.flatMap(({ begunMs }) => begunMs),
    busy: sent.reduce((sum, { busy }) => sum + busy, 0),
    doneMs,
  };
};

export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

/** Time and CPU of a dose. */
export const timed = async (entry: Entry, kind: Kind, dose: Dose): Promise<Figures> => {
  const { pid, records, queue } = entry.contender;
  const cpu = (): number[] => [pid, records.pid, ...(queue === undefined ? [] : [queue.pid])].map(treeCpuMs);
  const before = cpu();
  const { latenciesMs, busy, doneMs } = await send(entry, kind, dose);
  const [server = 0, postgres = 0, redis = 0] = cpu().map((ms, at) => (ms - (before[at] ?? 0)) / dose.count);
  return {
    cpuMs: server + postgres + redis,
    serverMs: server,
    postgresMs: postgres,
    redisMs: redis,
    perSecond: (dose.count / doneMs) * 1_000,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    busy: busy / dose.count,
    residentMb: residentMb(pid),
  };
};

/** How long one takes to be answered that has everything to itself. */
export const timedAlone = async (entry: Entry, kind: Kind, count: number): Promise<Figures> => {
  const { latenciesMs, doneMs } = await send(entry, kind, { count, concurrency: 1 });
  return {
    'p50Ms alone': quantile(latenciesMs, 0.5),
    'p99Ms alone': quantile(latenciesMs, 0.99),
    'doneMs alone': doneMs / count,
  };
};
