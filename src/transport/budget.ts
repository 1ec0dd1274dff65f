/** What one answer holds of the memory that all answers share. */
export interface BudgetShare {
  /** Counts bytes just read. Resolves when the next may be read. */
  readonly take: (bytes: number) => Promise<void> | undefined;
  /** Gives all back; may be called twice. */
  readonly release: () => void;
}

export interface ByteBudget {
  readonly open: () => BudgetShare;
  readonly heldBytes: () => number;
}

/**
 * Bounds the memory of answers that are being read at once. Small answers are never held up: only who holds more than
 * `freeBytes` waits while the total is above `limitBytes`, and the oldest of those never waits, so there is always
 * one that goes on until its own cap or time limit ends it.
 */
export const createByteBudget = (limitBytes: number, freeBytes: number): ByteBudget => {
  let heldBytes = 0;
  const large = new Set<symbol>();
  let changed = Promise.withResolvers<void>();

  const wakeAll = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  const open = (): BudgetShare => {
    const self = Symbol('share');
    let mine = 0;
    let isOpen = true;

    const mustWait = (): boolean => isOpen && heldBytes > limitBytes && large.values().next().value !== self;
    const waitForTurn = async (): Promise<void> => {
      while (mustWait()) await changed.promise;
    };

    return {
      take: (bytes) => {
        if (!isOpen) return undefined;
        mine += bytes;
        heldBytes += bytes;
        if (mine <= freeBytes) return undefined;
        large.add(self);
        return mustWait() ? waitForTurn() : undefined;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        heldBytes -= mine;
        if (large.delete(self)) wakeAll();
      },
    };
  };

  return { open, heldBytes: () => heldBytes };
};
