/** What keeps the queue in step with the records, and the records small. Any number of processes may do it. */
import type { Pool } from 'pg';
import { messageOf } from '../../engine/failure.ts';
import type { QueueName, Queues } from '../queue/queues.ts';
import { forgetEndedLogins } from '../records/carrier-tokens.ts';
import { relayOutbox } from '../records/outbox.ts';
import type { Log } from '../records/pool.ts';
import { forgetEndedTokens } from '../records/tokens.ts';
import { type Loop, startLoop } from './loop.ts';

/** Rows that a process wrote and died before handing on are another's to find. */
const LOOK_EVERY_MS = 1_000;

/** Moves the outbox to the queue: at once when nudged, in whatever batch has come together while the last was under way. */
export const startRelay = (pool: Pool, queues: Queues, log: Log, nowMs: () => number): Loop => {
  const add: Parameters<typeof relayOutbox>[1] = async (queue, jobs) => {
    const now = nowMs();
    const refused = await queues.add(
      queue,
      jobs.map(({ id, dueAtMs }) => ({ id, delayMs: Math.max(0, dueAtMs - now) })),
    );
    for (const { id, reason } of refused) log.error({ queue, id, reason }, 'a job was refused by the queue');
  };
  return startLoop(
    LOOK_EVERY_MS,
    async () => (await relayOutbox(pool, add)) > 0,
    (error) => log.warn({ error: messageOf(error) }, 'the outbox could not be handed on; it is tried again'),
  );
};

/** Where the records say that something is due and unfinished: ids of jobs that ought to be queued. */
export interface Unfinished {
  readonly queue: QueueName;
  find(limit: number): Promise<readonly string[]>;
}

const REQUEUE_EVERY_MS = 5_000;
const REQUEUED_MAX = 2_000;

/**
 * Queues again what the records say is unfinished, so that a queue which lost its jobs loses nothing. An id that is
 * still queued stays as it is.
 */
export const startRequeuing = (sources: readonly Unfinished[], queues: Queues, log: Log): Pick<Loop, 'close'> => {
  const loops = sources.map(({ queue, find }) =>
    startLoop(
      REQUEUE_EVERY_MS,
      async () => {
        const ids = await find(REQUEUED_MAX);
        if (ids.length === 0) return;
        await queues.add(
          queue,
          ids.map((id) => ({ id })),
        );
      },
      (error) => log.warn({ queue, error: messageOf(error) }, 'unfinished work could not be queued again'),
    ),
  );
  return {
    close: async () => {
      await Promise.all(loops.map(async (loop) => await loop.close()));
    },
  };
};

const SWEEP_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How long what has ended is kept for looking into. */
const TOKENS_KEPT_MS = 90 * DAY_MS;
const LOGINS_KEPT_MS = 7 * DAY_MS;

/** Forgets what ended long ago and nobody asks for again. */
export const sweep = async (pool: Pool, nowMs: number): Promise<void> => {
  await forgetEndedTokens(pool, new Date(nowMs - TOKENS_KEPT_MS));
  await forgetEndedLogins(pool, new Date(nowMs - LOGINS_KEPT_MS));
};

/** Now and every hour. */
export const startSweeping = (pool: Pool, log: Log, nowMs: () => number): Loop =>
  startLoop(
    SWEEP_EVERY_MS,
    async () => await sweep(pool, nowMs()),
    (error) => log.warn({ error: messageOf(error) }, 'what has ended could not be forgotten'),
  );
