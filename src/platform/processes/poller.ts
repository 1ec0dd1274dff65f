import type { Pool } from 'pg';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import { messageOf } from '../../engine/failure.ts';
import { type DuePackage, schedulePolls, takeDuePackages } from '../records/polls.ts';
import { type Tracking, trackPackages } from './tracking.ts';

const LOOK_EVERY_MS = 500;
const BATCH = 200;
/** How long others leave packages alone that a poller has in hand. */
const HOLD_MS = 300_000;

/** Batches of one carrier in hand: the answers of the slowest are waited for by nobody else. */
const BATCHES_OF_ONE_CARRIER = 4;

/** Asks carriers about packages that are due. Rows are taken under a lock, so the fleet asks about each only once. */
export const startPoller = (pool: Pool, tracking: Tracking): { close(): Promise<void> } => {
  const { ports, log } = tracking;
  const limiter = createConcurrencyLimiter(BATCHES_OF_ONE_CARRIER, ports.nowMs, ports.random);
  const stop = new AbortController();
  const inHand = new Set<Promise<void>>();

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
      const due = await takeDuePackages(pool, ports.nowMs(), HOLD_MS, BATCH);
      for (const batch of Map.groupBy(due, ({ carrierCode }) => carrierCode).values()) {
        const asking = ask(batch).catch(interrupted);
        inHand.add(asking);
        void asking.finally(() => inHand.delete(asking));
      }
      return due.length;
    } catch (error) {
      interrupted(error);
      return 0;
    }
  };

  /** Of one carrier. What it has no room for comes back in a moment. */
  const ask = async (batch: readonly DuePackage[]): Promise<void> => {
    const admission = limiter.enter(batch[0]?.carrierCode ?? '');
    if (!admission.admitted) {
      const atMs = ports.nowMs() + admission.waitMs;
      return await schedulePolls(
        pool,
        batch.map((one) => ({ ...one, atMs })),
      );
    }
    try {
      await schedulePolls(pool, await trackPackages(tracking, batch));
    } finally {
      admission.leave(true);
    }
  };

  const interrupted = (error: unknown): void => {
    if (!stop.signal.aborted) log.warn({ error: messageOf(error) }, 'polling was interrupted');
  };

  const running = run();
  return {
    close: async () => {
      stop.abort();
      await running;
      await Promise.all(inHand);
    },
  };
};
