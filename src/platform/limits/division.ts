/** How the places of a limit are divided among processes, and what all of them know of a carrier's breaker. Pure. */
import type { BreakerReport, BreakerView } from '../../engine/dispatch/breaker.ts';
import type { Demand, Freeing, Share } from '../../engine/dispatch/places.ts';

/** What a process was given is its own for so long; one that died gives it back then. */
export const LEASE_MS = 3_000;
/** Where there are fewer places than processes that want them, they go round: each has its turn for so long. */
const TURN_MS = 5_000;
/** Of the times at which places are free: more of them are taken together, at the later one. */
const TIMES_MAX = 24;

interface Member {
  readonly held: number;
  readonly wanted: number;
  readonly untilMs: number;
}
/** Places that no process has, by when they are free, earliest first. */
type Pool = readonly (readonly [freeAtMs: number, count: number])[];
/** Of a limit. Times are the shared clock's. */
interface Division {
  readonly members: Readonly<Record<string, Member>>;
  readonly pool: Pool;
}

export interface Moment {
  readonly process: string;
  readonly nowMs: number;
  /** Those alive, this one included. */
  readonly processes: number;
  /** Before that nothing is known of who has what. */
  readonly bornMs: number;
}

/**
 * Gives the asking process its share of a limit; what it holds counts as it says, for it may have missed an answer.
 * `endsMs`: when nothing of it matters any more.
 */
export const divide = (
  before: Division | undefined,
  { total, perMs, held, wanted, returned }: Demand,
  { process, nowMs, processes, bornMs }: Moment,
): { readonly state: Division; readonly share: Share; readonly endsMs: number } => {
  const known = Object.entries(before?.members ?? {});
  const mine = known.find(([name]) => name === process)?.[1].held ?? 0;
  const others = known.filter(([name, { untilMs }]) => name !== process && untilMs > nowMs);
  const dead = known.filter(([name, { untilMs }]) => name !== process && untilMs <= nowMs);
  const back = countOf(returned);
  const heldByOthers = sum(others.map(([, member]) => member.held));
  const most = Math.max(0, total - heldByOthers - held);
  const all = sorted([
    ...(before?.pool ?? [[bornMs === 0 ? 0 : bornMs + LEASE_MS + perMs, total] as const]),
    ...dead.map(([, member]) => [member.untilMs + perMs, member.held] as const),
    ...returned.map(([freeInMs, count]) => [nowMs + freeInMs, count] as const),
    // It was given them, or gave them back, and one of us does not know: they may just have been taken.
    [nowMs + perMs, Math.max(0, mine - back - held)],
  ]);
  // As many as nobody has: the later ones, should there seem to be more.
  const [, pool] = split(all, Math.max(0, countOf(all) - most));
  const names = [process, ...others.map(([name]) => name)].toSorted();
  const wantedBy = new Map([...others.map(([name, member]) => [name, member.wanted] as const), [process, wanted]]);
  const parts = shareOut(
    total,
    names.map((name) => wantedBy.get(name) ?? 0),
    Math.floor(nowMs / TURN_MS),
  );
  const partOf = (name: string): number => parts[names.indexOf(name)] ?? 0;
  const neededByOthers = sum(others.map(([name, member]) => Math.max(0, partOf(name) - member.held)));
  const free = countOf(pool);
  const lacking = Math.max(0, partOf(process) - held);
  /** Ahead of need, as far as nobody else needs it; with some left for whoever comes anew. */
  const kept = Math.min(processes - 1, Math.floor(total / 2));
  const spare = wanted === 0 ? 0 : Math.max(0, free - lacking - neededByOthers - kept);
  const count = Math.min(free, lacking + spare);
  const tooMany = heldByOthers + held - total;
  const needed = Math.min(held - partOf(process), neededByOthers - (free - count));
  const member = { held: held + count, wanted, untilMs: nowMs + LEASE_MS };
  const isIn = member.held + wanted > 0;
  const members = Object.fromEntries([...others, ...(isIn ? [[process, member] as const] : [])]);
  const [granted, rest] = split(pool, count);
  const left = bucket(rest, perMs);
  return {
    state: { members, pool: left },
    share: {
      granted: granted.map(([freeAtMs, own]) => [Math.max(0, freeAtMs - nowMs), own] as const),
      excess: Math.max(0, needed, Math.min(held, tooMany)),
      part: Math.max(partOf(process), Math.floor(total / processes)),
    },
    // What a process that dies has begun is counted until its span is over.
    endsMs: Math.max(
      nowMs,
      ...Object.values(members).map(({ untilMs, held }) => untilMs + (held > 0 ? perMs : 0)),
      ...left.map(([atMs]) => atMs),
    ),
  };
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const countOf = (places: Freeing): number => sum(places.map(([, count]) => count));
const sorted = (pool: Pool): Pool => pool.filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);

/** So many, the earliest, and the rest. */
const split = (pool: Pool, count: number): readonly [taken: Pool, left: Pool] => {
  const [taken, left]: [[number, number][], [number, number][]] = [[], []];
  let open = count;
  for (const [freeAtMs, own] of pool) {
    const some = Math.min(open, own);
    open -= some;
    if (some > 0) taken.push([freeAtMs, some]);
    if (own > some) left.push([freeAtMs, own - some]);
  }
  return [taken, left];
};

const bucket = (pool: Pool, perMs: number): Pool => {
  if (pool.length <= TIMES_MAX) return pool;
  const width = Math.ceil(perMs / (TIMES_MAX / 2));
  const rounded = Map.groupBy(pool, ([freeAtMs]) => Math.ceil(freeAtMs / width) * width);
  return [...rounded].map(([freeAtMs, own]) => [freeAtMs, countOf(own)] as const);
};

/** Equal parts; who wants less leaves the rest to the others. */
const shareOut = (total: number, wanted: readonly number[], turn: number): readonly number[] => {
  const parts = wanted.map(() => 0);
  let left = total;
  let open = wanted.flatMap((count, at) => (count > 0 ? [at] : []));
  const goesRound = total < open.length;
  while (left > 0 && open.length > 0) {
    const part = Math.floor(left / open.length) || 1;
    const order = goesRound ? open.map((_, at) => open[(at + turn) % open.length] ?? 0) : open;
    for (const at of order.slice(0, left)) {
      const own = Math.min(part, (wanted[at] ?? 0) - (parts[at] ?? 0));
      parts[at] = (parts[at] ?? 0) + own;
      left -= own;
    }
    open = open.filter((at) => (parts[at] ?? 0) < (wanted[at] ?? 0));
  }
  return parts;
};

// The breaker -------------------------------------------------------------------------------------------------------

/** An operator may keep one open for as long. */
export const BREAKER_KEPT_MS = 86_400_000;

export interface BreakerState {
  readonly failures: number;
  readonly newestMs: number | null;
  readonly healthyMs: number | null;
  /** An operator keeps it open until then. */
  readonly keptOpenUntilMs?: number | undefined;
}

/** As an operator sets it: open for so long, or closed, as if nothing had failed. */
export const setBreaker = (before: BreakerState | undefined, openForMs: number, nowMs: number): BreakerState => ({
  failures: openForMs > 0 ? (before?.failures ?? 0) : 0,
  newestMs: before?.newestMs ?? null,
  healthyMs: before?.healthyMs ?? null,
  ...(openForMs > 0 && { keptOpenUntilMs: nowMs + openForMs }),
});

const later = (known: number | null | undefined, agoMs: number | undefined, nowMs: number): number | null =>
  agoMs === undefined ? (known ?? null) : Math.max(known ?? 0, nowMs - agoMs);

/** Counts failures in a row over all processes; one of them is given the trial that is due. */
export const tallyBreaker = (
  before: BreakerState | undefined,
  { failures: fresh, isReset, newestAgoMs, healthyAgoMs, trial }: BreakerReport,
  nowMs: number,
) => {
  const failures = (isReset ? 0 : (before?.failures ?? 0)) + fresh;
  const seenMs = later(before?.newestMs, newestAgoMs, nowMs);
  const { keptOpenUntilMs = 0 } = before ?? {};
  const isKeptOpen = nowMs < keptOpenUntilMs;
  const isTrialOurs =
    !isKeptOpen && trial !== undefined && failures >= trial.failures && nowMs >= (seenMs ?? 0) + trial.pauseMs;
  const newestMs = isTrialOurs ? nowMs : seenMs;
  const healthyMs = later(before?.healthyMs, healthyAgoMs, nowMs);
  const agoOf = (atMs: number | null): number | undefined => (atMs === null ? undefined : nowMs - atMs);
  const kept = isKeptOpen ? { keptOpenUntilMs } : {};
  const view: BreakerView = {
    failures,
    newestAgoMs: agoOf(newestMs),
    healthyAgoMs: agoOf(healthyMs),
    isTrialOurs,
    ...(isKeptOpen && { keptOpenForMs: keptOpenUntilMs - nowMs }),
  };
  // Of a carrier that is well there is nothing to be kept.
  const isKept = failures > 0 || (before?.failures ?? 0) > 0;
  return {
    state: isKept ? ({ failures, newestMs, healthyMs, ...kept } satisfies BreakerState) : before,
    view,
    endsMs: nowMs + BREAKER_KEPT_MS,
  };
};
