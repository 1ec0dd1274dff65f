/** Who works, and who waits for a turn: what begins everything at once ends little of it in time. */

export interface Turn {
  /** Ends it; may be called twice. */
  leave(): void;
  /** What is waited for elsewhere keeps nobody here waiting: another has the turn meanwhile. */
  yieldWhile<Result>(wait: () => Promise<Result>): Promise<Result>;
}

export interface FairSemaphore {
  /** `full`: that party has too many in its line already; `late`: its turn did not come within `waitMs`. */
  enter(party: string, waitMs: number): Promise<Turn | 'full' | 'late'>;
  /** How many wait. */
  waiting(): number;
}

export interface FairSemaphoreOptions {
  /** How many have a turn; more, while some come back from `yieldWhile`. */
  readonly atOnce: number;
  /** Of one party, how many wait; unless told, any number. */
  readonly lineMax?: number;
}

type Wake = () => void;

/** Turns go round the parties that wait: one that asks for much lengthens its own line only. */
export const createFairSemaphore = ({
  atOnce,
  lineMax = Number.POSITIVE_INFINITY,
}: FairSemaphoreOptions): FairSemaphore => {
  let free = atOnce;
  // The order of the Map is that of the parties' next turns, the order of a Set that of who came.
  const lines = new Map<string, Set<Wake>>();
  const give = (): void => {
    free += 1;
    if (free <= 0) return;
    for (const [party, line] of lines) {
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
  const begin = (): Turn => {
    let [yields, isOver] = [0, false];
    return {
      leave: () => {
        if (isOver) return;
        isOver = true;
        if (yields === 0) give();
      },
      yieldWhile: async (wait) => {
        if (isOver) return await wait();
        yields += 1;
        if (yields === 1) give();
        try {
          return await wait();
        } finally {
          yields -= 1;
          if (yields === 0 && !isOver) free -= 1;
        }
      },
    };
  };
  return {
    enter: async (party, waitMs) => {
      if (free > 0) {
        free -= 1;
        return begin();
      }
      const line = lines.get(party) ?? new Set();
      if (line.size >= lineMax) return 'full';
      const { promise, resolve } = Promise.withResolvers<Turn | 'late'>();
      const wake = (): void => resolve(begin());
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
    waiting: () => lines.values().reduce((count, { size }) => count + size, 0),
  };
};
