import type { Pool } from 'pg';
import { messageOf } from '../../engine/failure.ts';
import { DISPATCH_CHANNEL, findFinished } from '../records/dispatches.ts';
import { listen, type Log } from '../records/pool.ts';

export interface Waiters {
  /** Resolves when the dispatch has ended, wherever it was performed, or when the time is up. The records say which. */
  waitForDispatch(dispatchId: number, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;

/** Who waits for a carrier's answer hears of it through PostgreSQL, so API and workers may be processes apart. */
export const openWaiters = async (pool: Pool, databaseUrl: string, log: Log): Promise<Waiters> => {
  const waiting = new Map<number, Set<() => void>>();
  const wakeAll = (): void => {
    for (const wakes of waiting.values()) for (const wake of wakes) wake();
  };
  const listener = await listen({
    databaseUrl,
    channels: [DISPATCH_CHANNEL],
    log,
    onNotify: (_, payload) => {
      for (const wake of waiting.get(Number(payload)) ?? []) wake();
    },
    // What was said meanwhile is lost: let everybody look for themselves.
    onReconnect: wakeAll,
  });
  // A dispatch may end before its waiter is here, and a notification may be lost: the records are asked now and then.
  const look = setInterval(() => {
    if (waiting.size === 0) return;
    findFinished(pool, [...waiting.keys()]).then(
      (ids) => {
        for (const id of ids) for (const wake of waiting.get(id) ?? []) wake();
      },
      (error: unknown) => log.warn({ error: messageOf(error) }, 'looking for ended dispatches failed'),
    );
  }, LOOK_EVERY_MS);
  look.unref();
  return {
    waitForDispatch: async (dispatchId, timeoutMs) => {
      if (timeoutMs <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakes = waiting.get(dispatchId) ?? new Set();
      waiting.set(dispatchId, wakes.add(resolve));
      const timer = setTimeout(resolve, timeoutMs);
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        wakes.delete(resolve);
        if (wakes.size === 0) waiting.delete(dispatchId);
      }
    },
    close: async () => {
      clearInterval(look);
      wakeAll();
      await listener
        .close()
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'closing the listener failed'));
    },
  };
};
