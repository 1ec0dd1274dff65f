import type { Pool } from 'pg';
import { messageOf } from '../domain/failure.ts';
import { schedulePolls, takeDuePackages } from '../store/polls.ts';
import { type Tracking, trackPackages } from './tracking.ts';

const LOOK_EVERY_MS = 500;
const BATCH = 200;
/** How long others leave packages alone that a poller has in hand. */
const HOLD_MS = 300_000;

/** Asks carriers about packages that are due. Rows are taken under a lock, so the fleet asks about each only once. */
export const startPoller = (pool: Pool, tracking: Tracking): { close(): Promise<void> } => {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const taken = await look();
      if (taken === BATCH) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      stop.signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
    }
  };
  const look = async (): Promise<number> => {
    try {
      const due = await takeDuePackages(pool, tracking.ports.nowMs(), HOLD_MS, BATCH);
      if (due.length > 0) await schedulePolls(pool, await trackPackages(tracking, due));
      return due.length;
    } catch (error) {
      if (!stop.signal.aborted) tracking.log.warn({ error: messageOf(error) }, 'polling was interrupted');
      return 0;
    }
  };
  const running = run();
  return {
    close: async () => {
      stop.abort();
      await running;
    },
  };
};
