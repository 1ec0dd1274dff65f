export interface Loop {
  /** There is work: look for it now rather than in its time. Never waits, never throws. */
  nudge(): void;
  /** Ends it, and waits for the work at hand. */
  close(): Promise<void>;
}

/**
 * Looks for work now and every `everyMs`, and at once where `look` says that there is more; what it throws goes to
 * `failed`, unless the loop is being closed.
 */
export const startLoop = (
  everyMs: number,
  look: () => Promise<boolean | void>,
  failed: (error: unknown) => void,
): Loop => {
  const state = { isNudged: false, isClosed: false };
  let wake: (() => void) | undefined;
  const pause = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const timer = setTimeout(resolve, everyMs);
    await promise;
    clearTimeout(timer);
  };
  const run = async (): Promise<void> => {
    while (!state.isClosed) {
      state.isNudged = false;
      const isMore = await look().catch((error: unknown) => {
        if (!state.isClosed) failed(error);
        return false;
      });
      if (isMore !== true && !state.isNudged && !state.isClosed) await pause();
    }
  };
  const running = run();
  return {
    nudge: () => {
      state.isNudged = true;
      wake?.();
    },
    close: async () => {
      state.isClosed = true;
      wake?.();
      await running;
    },
  };
};
