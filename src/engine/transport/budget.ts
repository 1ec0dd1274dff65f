export interface ByteBudgetLimits {
  /** Of all answers together. */
  readonly limitBytes: number;
  /** Of the answers of one party. With one body at its cap less than `limitBytes`: nobody waits for one who stalls. */
  readonly partyLimitBytes: number;
  /** Of one answer: who holds no more is never held up. */
  readonly freeBytes: number;
  /** Of those who hold more, all together, between two pauses. */
  readonly bytesPerPause: number;
  readonly pauseMs: number;
}

/** Answers that share a limit. Above it, of the large ones only the oldest goes on. */
const createLine = (limitBytes: number) => ({ limitBytes, large: new Set<symbol>(), heldBytes: 0, shares: 0 });
type Line = ReturnType<typeof createLine>;

const isHeldUp = ({ heldBytes, limitBytes, large }: Line, share: symbol): boolean =>
  heldBytes > limitBytes && large.values().next().value !== share;

/** Gives the pause that is on, or has just become due. */
const createPace = (bytesPerPause: number, pauseMs: number): ((bytes: number) => Promise<void> | undefined) => {
  let leftBytes = bytesPerPause;
  let pause: Promise<void> | undefined;
  return (bytes) => {
    leftBytes -= bytes;
    if (leftBytes <= 0) {
      pause ??= new Promise((resolve) => {
        const end = (): void => {
          leftBytes = bytesPerPause;
          pause = undefined;
          resolve();
        };
        setTimeout(end, pauseMs);
      });
    }
    return pause;
  };
};

/**
 * Bounds the memory of answers that are being read at once. Small answers are never held up. Large ones take turns while
 * their party, or all together, hold more than they may: the oldest never waits, so there is always one that goes on
 * until its own cap or time limit ends it. And they are read no faster than the garbage of reading is collected: on a
 * fast network there is more of that than of what is held.
 */
export const createByteBudget = (limits: ByteBudgetLimits) => {
  const all = createLine(limits.limitBytes);
  const parties = new Map<string, Line>();
  const paced = createPace(limits.bytesPerPause, limits.pauseMs);
  let changed = Promise.withResolvers<void>();

  const wakeAll = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  /** What one answer holds of the memory that all answers share. */
  const open = (party: string) => {
    const own = parties.get(party) ?? createLine(limits.partyLimitBytes);
    parties.set(party, own);
    own.shares += 1;
    const lines = [own, all];
    const self = Symbol('share');
    let mine = 0;
    let isOpen = true;

    const mustWait = (): boolean => isOpen && lines.some((line) => isHeldUp(line, self));
    const waitForTurn = async (): Promise<void> => {
      while (mustWait()) await changed.promise;
    };

    return {
      /** Counts bytes just read. Resolves when the next may be read. */
      take: (bytes: number): Promise<void> | undefined => {
        if (!isOpen) return undefined;
        mine += bytes;
        for (const line of lines) line.heldBytes += bytes;
        if (mine <= limits.freeBytes) return undefined;
        for (const line of lines) line.large.add(self);
        const pause = paced(bytes);
        return mustWait() ? waitForTurn() : pause;
      },
      /** Gives all back; may be called twice. */
      release: (): void => {
        if (!isOpen) return;
        isOpen = false;
        for (const line of lines) {
          line.heldBytes -= mine;
          line.large.delete(self);
        }
        own.shares -= 1;
        if (own.shares === 0) parties.delete(party);
        if (mine > limits.freeBytes) wakeAll();
      },
    };
  };

  return { open, heldBytes: () => all.heldBytes };
};
export type BudgetShare = ReturnType<ReturnType<typeof createByteBudget>['open']>;
