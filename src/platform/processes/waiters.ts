import type { Pool } from 'pg';
import { findFinished } from '../records/dispatches.ts';
import type { Listener } from '../records/listener.ts';
import type { Log } from '../records/pool.ts';
import { DISPATCH_CHANNEL } from '../records/write-changes.ts';
import { startLoop } from './loop.ts';

const LOOK_EVERY_MS = 1_000;

/** Who waits for a carrier's answer hears of it through PostgreSQL, so API and workers may be processes apart. */
export const openWaiters = async (pool: Pool, listener: Listener, log: Log, nowMs: () => number) => {
  /** By dispatch: what to call, and until when that waits. */
  const waiting = new Map<number, Map<() => void, number>>();
  const wake = (dispatchId: number): void => {
    for (const resolve of waiting.get(dispatchId)?.keys() ?? []) resolve();
  };
  const awaited = () => [...waiting].map(([id, wakes]) => [id, Math.max(...wakes.values())] as const);
  // A dispatch may end before its waiter is here, and a notification may be lost: the records are asked now and then.
  const looking = startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => {
      if (waiting.size > 0) (await findFinished(pool, awaited())).forEach(wake);
    },
    log,
    failure: 'looking for ended dispatches failed',
  });
  await listener.hear(DISPATCH_CHANNEL, { heard: (payload) => wake(Number(payload)), missed: looking.nudge });
  return {
    ended: (dispatchIds: readonly number[]): void => dispatchIds.forEach(wake),
    /**
     * Resolves with true when the dispatch has ended, wherever it was performed, or will not be tried again in time; with
     * false when the time is up.
     */
    waitForDispatch: async (dispatchId: number, timeoutMs: number): Promise<boolean> => {
      if (timeoutMs <= 0) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const wakeUp = (): void => resolve(true);
      const wakes = waiting.get(dispatchId) ?? new Map<() => void, number>();
      waiting.set(dispatchId, wakes.set(wakeUp, nowMs() + timeoutMs));
      const timer = setTimeout(() => resolve(false), timeoutMs);
      const hasEnded = await promise;
      clearTimeout(timer);
      wakes.delete(wakeUp);
      if (wakes.size === 0) waiting.delete(dispatchId);
      return hasEnded;
    },
    close: async (): Promise<void> => {
      [...waiting.keys()].forEach(wake);
      await looking.close();
    },
  };
};
