/** Who works, and who waits for a turn: what begins everything at once ends little of it in time. */

export interface Turns {
  /**
   * It is the caller's turn, who then must `leave`. `full`: that party has too many in its line already; `late`: its
   * turn did not come within `waitMs`.
   */
  enter(party: string, waitMs: number): Promise<'in' | 'full' | 'late'>;
  leave(): void;
  /** For who is in: what is waited for elsewhere takes nobody's turn meanwhile. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
  /** How many wait. */
  waiting(): number;
}

export interface TurnsOptions {
  /** How many are in; more, while some come back from `aside`. */
  readonly atOnce: number;
  /** Of one party, how many wait; unless told, any number. */
  readonly lineMax?: number;
}

type Wake = () => void;

/** Turns go round the parties that wait: one that asks for much lengthens its own line only. */
export const createTurns = ({ atOnce, lineMax = Number.POSITIVE_INFINITY }: TurnsOptions): Turns => {
  let free = atOnce;
  // The order of the Map is that of the parties' next turns, the order of a Set that of who came.
  const lines = new Map<string, Set<Wake>>();
  const next = (): void => {
    for (const [party, line] of lines) {
      if (free <= 0) return;
      const [wake] = line;
      if (wake === undefined) throw new Error('a line that nobody waits in');
      free -= 1;
      lines.delete(party);
      line.delete(wake);
      // Comes again in this very loop, behind the others, if there are turns left.
      if (line.size > 0) lines.set(party, line);
      wake();
    }
  };
  const leave = (): void => {
    free += 1;
    next();
  };
  return {
    enter: async (party, waitMs) => {
      if (free > 0) {
        free -= 1;
        return 'in';
      }
      const line = lines.get(party) ?? new Set();
      if (line.size >= lineMax) return 'full';
      const { promise, resolve } = Promise.withResolvers<'in' | 'late'>();
      const wake = (): void => resolve('in');
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
    leave,
    aside: async (wait) => {
      leave();
      try {
        return await wait();
      } finally {
        free -= 1;
      }
    },
    waiting: () => lines.values().reduce((count, { size }) => count + size, 0),
  };
};
