import type { Pool } from 'pg';
import { messageOf } from '../../engine/failure.ts';
import type { Queues } from '../queue/queues.ts';
import { relayOutbox } from '../records/outbox.ts';
import type { Log } from '../records/pool.ts';

export interface Relay {
  /** The outbox has rows: hand them on now. Never waits, never throws. */
  nudge(): void;
  close(): Promise<void>;
}

/** Rows that a process wrote and died before handing on are another's to find. */
const LOOK_EVERY_MS = 1_000;
const FAILED_WAIT_MS = 1_000;

/** Moves the outbox to the queue: at once when nudged, in whatever batch has come together while the last was under way. */
export const startRelay = (pool: Pool, queues: Queues, log: Log, nowMs: () => number): Relay => {
  const state = { isWanted: true, isClosed: false };
  let wake = Promise.withResolvers<void>();

  const add: Parameters<typeof relayOutbox>[1] = async (queue, jobs) => {
    const now = nowMs();
    const refused = await queues.add(
      queue,
      jobs.map(({ id, dueAtMs }) => ({ id, delayMs: Math.max(0, dueAtMs - now) })),
    );
    for (const { id, reason } of refused) log.error({ queue, id, reason }, 'a job was refused by the queue');
  };

  const run = async (): Promise<void> => {
    while (!state.isClosed) {
      if (!state.isWanted) await Promise.race([wake.promise, delay(LOOK_EVERY_MS)]);
      if (state.isClosed) return;
      state.isWanted = false;
      wake = Promise.withResolvers();
      try {
        while ((await relayOutbox(pool, add)) > 0);
      } catch (error) {
        if (state.isClosed) return;
        log.warn({ error: messageOf(error) }, 'the outbox could not be handed on; it is tried again');
        await Promise.race([wake.promise, delay(FAILED_WAIT_MS)]);
        state.isWanted = true;
      }
    }
  };
  const running = run();

  return {
    nudge: () => {
      state.isWanted = true;
      wake.resolve();
    },
    close: async () => {
      state.isClosed = true;
      wake.resolve();
      await running;
    },
  };
};

const delay = async (ms: number): Promise<void> =>
  await new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
