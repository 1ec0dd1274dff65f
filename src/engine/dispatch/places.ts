/** The permits of a limit: a call takes one, and frees it when it ends or after a fixed time. */

/** So many places that are free in so many milliseconds. */
export type Freeing = readonly (readonly [freeInMs: number, count: number])[];

/** What a process says of its places, to be given its share. */
export interface Demand {
  /** Of all processes together. */
  readonly total: number;
  /** How long a place is taken; 0: until its call has ended. */
  readonly perMs: number;
  readonly held: number;
  readonly wanted: number;
  readonly returned: Freeing;
}

export interface Share {
  readonly granted: Freeing;
  /** What this process may count on before long. */
  readonly part: number;
  /** So many are needed elsewhere. */
  readonly excess: number;
}

export type Places = ReturnType<typeof createPlaces>;

/** A carrier is asked in bursts: what was wanted a moment ago is likely to be wanted again. */
const WANTED_KEEPS = 0.7;

/** `isShared`: there are none until some are given. */
export const createPlaces = (total: number, perMs: number, nowMs: () => number, isShared: boolean) => {
  let free = isShared ? 0 : total;
  let underWay = 0;
  /** When those that a span was begun with are free, earliest first. */
  let freeAtsMs: number[] = [];
  let spanMs = perMs;
  let returned: (readonly [freeAtMs: number, count: number])[] = [];
  /** To be returned when their calls end. */
  let owed = 0;
  let part = 0;
  let [peak, refused, wanted] = [0, 0, 0];

  const held = (): number => free + underWay + freeAtsMs.length;
  const ripen = (): void => {
    const now = nowMs();
    let ripe = 0;
    while ((freeAtsMs[ripe] ?? Infinity) <= now) ripe += 1;
    if (ripe > 0) freeAtsMs.splice(0, ripe);
    free += ripe;
  };
  const add = (freeAtMs: number, count: number): void => {
    for (let place = 0; place < count; place += 1) freeAtsMs.push(freeAtMs);
    freeAtsMs.sort((a, b) => a - b);
  };
  const release = (count: number): void => {
    const fromFree = Math.min(free, count);
    free -= fromFree;
    if (fromFree > 0) returned.push([nowMs(), fromFree]);
    const later = freeAtsMs.splice(0, count - fromFree);
    returned.push(...later.map((freeAtMs) => [freeAtMs, 1] as const));
    owed = Math.min(underWay, count - fromFree - later.length);
  };

  return {
    total,
    held,
    /** To estimate by when a turn comes. */
    likely: (): number => Math.max(1, held(), part),
    isFree: (): boolean => {
      ripen();
      return free > 0;
    },
    nextFreeAtMs: (): number | undefined => freeAtsMs[0],
    isUntouched: (): boolean => {
      ripen();
      return underWay === 0 && freeAtsMs.length === 0;
    },
    underWay: (): number => underWay,
    refuse: (): void => void (refused += 1),
    /** Only where one is free. */
    take: (): void => {
      free -= 1;
      if (perMs === 0) {
        underWay += 1;
        peak = Math.max(peak, underWay);
      } else if ((freeAtsMs.at(-1) ?? 0) <= nowMs() + spanMs) freeAtsMs.push(nowMs() + spanMs);
      else add(nowMs() + spanMs, 1);
    },
    /** A call has ended. */
    end: (): void => {
      if (perMs > 0) return;
      underWay -= 1;
      if (owed === 0) free += 1;
      else {
        owed -= 1;
        returned.push([nowMs(), 1]);
      }
    },
    /** `isOver`: with all that is not under way given back. `waiting`: in the line. */
    report: (isOver: boolean, waiting: number): Demand => {
      ripen();
      if (isOver) release(held());
      const now = nowMs();
      const used = perMs === 0 ? peak : freeAtsMs.length;
      wanted = isOver ? 0 : Math.min(total, Math.max(used + refused + waiting, Math.floor(wanted * WANTED_KEEPS)));
      [peak, refused] = [underWay, 0];
      const byTime = Map.groupBy(returned, ([freeAtMs]) => Math.max(0, Math.ceil(freeAtMs - now)));
      returned = [];
      const counts = [...byTime].map(([freeInMs, own]) => [freeInMs, own.reduce((sum, [, n]) => sum + n, 0)] as const);
      return { total, perMs, held: held(), wanted, returned: counts };
    },
    /** Whether places are to be returned now, and not when calls end. */
    apply: ({ granted, excess, ...share }: Share): boolean => {
      ({ part } = share);
      spanMs = perMs;
      for (const [freeInMs, count] of granted) {
        if (freeInMs <= 0) free += count;
        else add(nowMs() + freeInMs, count);
      }
      release(excess);
      return returned.length > 0;
    },
    /** They were given for a time, which is over: what is under way is all that is left. */
    forfeit: (): void => {
      [free, freeAtsMs, returned, owed] = [0, [], [], 0];
    },
    /**
     * Nobody gives shares any more: an equal part for each of the processes that there were. A place that was not ours
     * is taken until whoever had it must have ended; where there are fewer places than processes, spans are longer.
     */
    fallBack: (processes: number, sinceMs: number): void => {
      part = Math.max(1, Math.floor(total / processes));
      spanMs = Math.ceil(perMs * Math.max(1, processes / total));
      owed = 0;
      const missing = part - held();
      if (missing > 0) {
        if (sinceMs + perMs <= nowMs()) free += missing;
        else add(sinceMs + perMs, missing);
      } else {
        release(-missing);
        returned = [];
      }
    },
  };
};
