import type { Pool } from 'pg';
import { DISPATCH_CHANNEL, findFinished } from '../records/dispatches.ts';
import type { Listener, Log } from '../records/pool.ts';
import { startLoop } from './loop.ts';

const LOOK_EVERY_MS = 1_000;

/** Who waits for a carrier's answer hears of it through PostgreSQL, so API and workers may be processes apart. */
export const openWaiters = async (pool: Pool, listener: Listener, log: Log) => {
  const waiting = new Map<number, Set<() => void>>();
  const wake = (dispatchId: number): void => {
    for (const resolve of waiting.get(dispatchId) ?? []) resolve();
  };
  const wakeAll = (): void => [...waiting.keys()].forEach(wake);
  // What was said while nobody heard is lost: let everybody look for themselves.
  await listener.hear(DISPATCH_CHANNEL, { heard: (payload) => wake(Number(payload)), missed: wakeAll });
  // A dispatch may end before its waiter is here, and a notification may be lost: the records are asked now and then.
  const looking = startLoop({
    everyMs: LOOK_EVERY_MS,
    look: async () => {
      if (waiting.size > 0) (await findFinished(pool, [...waiting.keys()])).forEach(wake);
    },
    log,
    failure: 'looking for ended dispatches failed',
  });
  return {
    ended: (dispatchIds: readonly number[]): void => dispatchIds.forEach(wake),
    /** Resolves when the dispatch has ended, wherever it was performed, or when the time is up. The records say which. */
    waitForDispatch: async (dispatchId: number, timeoutMs: number): Promise<void> => {
      if (timeoutMs <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakes = waiting.get(dispatchId) ?? new Set();
      waiting.set(dispatchId, wakes.add(resolve));
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
      wakes.delete(resolve);
      if (wakes.size === 0) waiting.delete(dispatchId);
    },
    close: async (): Promise<void> => {
      wakeAll();
      await looking.close();
    },
  };
};
