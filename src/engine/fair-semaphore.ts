/** A semaphore that is fair between parties: whoever asks for much lengthens only their own queue. */

export interface FairSemaphoreOptions {
  /** How many have a turn at once; more only by `take`, and while some return from `yieldWhile`. */
  readonly atOnce: number;
  /** How many of one party may wait. Default: any number. */
  readonly lineMax?: number;
  /**
   * For so many times as long as a turn took, though not longer than `REST_MAX_MS`, nobody has the next: that share of the
   * time is left to all else. Default: 0.
   */
  readonly rest?: number;
  /** The same for the party that had the turn, though not longer than `OWN_REST_MAX_MS`. Default: as `rest`. */
  readonly ownRest?: number;
}

/** A turn of seconds waited for something outside, which took nothing from all else. */
const REST_MAX_MS = 2_000;
const OWN_REST_MAX_MS = 5_000;

type Wake = () => void;

/** Turns go round robin over the waiting parties. */
export const createFairSemaphore = ({
  atOnce,
  lineMax = Number.POSITIVE_INFINITY,
  rest = 0,
  ownRest = rest,
}: FairSemaphoreOptions) => {
  let free = atOnce;
  const resting = new Map<string, NodeJS.Timeout>();
  // The Map is in the order of the parties' next turns, each Set in the order of arrival.
  const lines = new Map<string, Set<Wake>>();
  const serve = (): void => {
    if (free <= 0) return;
    for (const [party, line] of lines) {
      if (resting.has(party)) continue;
      for (const wake of line) {
        free -= 1;
        lines.delete(party);
        line.delete(wake);
        if (line.size > 0) lines.set(party, line);
        wake();
        return;
      }
    }
  };
  const give = (): void => {
    free += 1;
    serve();
  };
  const letRest = (party: string, forMs: number): void => {
    clearTimeout(resting.get(party));
    const wakeUp = (): void => {
      resting.delete(party);
      serve();
    };
    resting.set(party, setTimeout(wakeUp, forMs).unref());
  };
  /** `party`: undefined for what nobody rests after. */
  const begin = (party?: string) => {
    let [yields, isOver] = [0, false];
    let sinceMs = performance.now();
    const end = (): void => {
      if (party === undefined || rest === 0) return give();
      const tookMs = performance.now() - sinceMs;
      setTimeout(give, Math.min(rest * tookMs, REST_MAX_MS)).unref();
      if (ownRest > rest) letRest(party, Math.min(ownRest * tookMs, OWN_REST_MAX_MS));
    };
    return {
      /** Ends the turn; may be called twice. */
      leave: (): void => {
        if (isOver) return;
        isOver = true;
        if (yields === 0) end();
      },
      /** Gives the turn to somebody else while waiting for something outside. */
      yieldWhile: async <Result>(wait: () => Promise<Result>): Promise<Result> => {
        if (isOver) return await wait();
        yields += 1;
        if (yields === 1) end();
        try {
          return await wait();
        } finally {
          yields -= 1;
          if (yields === 0 && !isOver) {
            free -= 1;
            sinceMs = performance.now();
          }
        }
      },
    };
  };
  return {
    /**
     * A turn at once, for what is under way already: whoever comes anew waits until it has ended too. No rest follows, or
     * one after the other would leave nobody else a turn.
     */
    take: () => {
      free -= 1;
      return begin();
    },
    /** `full`: too many of that party are waiting already; `late`: there was no turn within `waitMs`. */
    enter: async (party: string, waitMs: number) => {
      if (free > 0 && !resting.has(party)) {
        free -= 1;
        return begin(party);
      }
      const line = lines.get(party) ?? new Set();
      if (line.size >= lineMax) return 'full';
      const { promise, resolve } = Promise.withResolvers<ReturnType<typeof begin> | 'late'>();
      const wake = (): void => resolve(begin(party));
      lines.set(party, line.add(wake));
      const timer = setTimeout(() => {
        line.delete(wake);
        if (line.size === 0) lines.delete(party);
        resolve('late');
      }, waitMs);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    /** How many are waiting. */
    waiting: () => lines.values().reduce((count, { size }) => count + size, 0),
  };
};
export type FairSemaphore = ReturnType<typeof createFairSemaphore>;
export type Turn = Exclude<Awaited<ReturnType<FairSemaphore['enter']>>, string>;
