import { messageOf } from '../../engine/failure.ts';
import type { QueueName, Queues } from '../queue/queues.ts';
import type { Log } from '../records/pool.ts';

/** Where the records say that something is due and unfinished: ids of jobs that ought to be queued. */
export interface Unfinished {
  readonly queue: QueueName;
  find(limit: number): Promise<readonly string[]>;
}

const EVERY_MS = 5_000;
const LIMIT = 2_000;

/**
 * Queues again what the records say is unfinished, so that a queue which lost its jobs loses nothing. An id that is
 * still queued stays as it is, so any number of reconcilers may run.
 */
export const startReconciler = (
  sources: readonly Unfinished[],
  queues: Queues,
  log: Log,
): { close(): Promise<void> } => {
  const stop = new AbortController();
  const look = async ({ queue, find }: Unfinished): Promise<void> => {
    try {
      const ids = await find(LIMIT);
      if (ids.length === 0) return;
      await queues.add(
        queue,
        ids.map((id) => ({ id })),
      );
    } catch (error) {
      if (!stop.signal.aborted)
        log.warn({ queue, error: messageOf(error) }, 'unfinished work could not be queued again');
    }
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      for (const source of sources) await look(source);
      await pause(EVERY_MS, stop.signal);
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

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
};
