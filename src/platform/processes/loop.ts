import { messageOf } from '../../engine/failure.ts';
import type { Log } from '../records/pool.ts';

export interface Loop {
  /** There is work: look for it now rather than in its time. Never waits, never throws. */
  nudge(): void;
  /** Ends it, and waits for the work at hand. */
  close(): Promise<void>;
}

interface LoopOptions {
  readonly everyMs: number;
  /** Does what there is to do; true: there is more. */
  readonly look: () => Promise<boolean | void>;
  readonly log: Log;
  /** What is logged of a look that failed, with the error and these fields. */
  readonly failure: string;
  readonly fields?: object;
}

/** Looks for work now, every `everyMs`, when nudged, and at once where there is more. A look that fails is logged. */
export const startLoop = ({ everyMs, look, log, failure, fields }: LoopOptions): Loop => {
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
        if (!state.isClosed) log.warn({ ...fields, error: messageOf(error) }, failure);
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
