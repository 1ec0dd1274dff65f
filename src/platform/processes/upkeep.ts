/** What keeps the queue in step with the records, and the records small. Any number of processes may do it. */
import type { Pool } from 'pg';
import type { QueueName, Queues } from '../queue/queues.ts';
import { forgetEndedLogins } from '../records/carrier-tokens.ts';
import { relayOutbox } from '../records/outbox.ts';
import type { Log } from '../records/pool.ts';
import { findUnprocessedPushes } from '../records/pushes.ts';
import { execute } from '../records/sql.ts';
import { forgetEndedTokens } from '../records/tokens.ts';
import { type Loop, startLoop } from './loop.ts';

/** What upkeep needs of the platform. */
interface Upkeep {
  readonly pool: Pool;
  readonly queues: Queues;
  readonly log: Log;
  readonly nowMs: () => number;
}

/** Rows that a process wrote and died before handing on are another's to find. */
const LOOK_EVERY_MS = 1_000;

/** Moves the outbox to the queue: at once when nudged, in whatever batch has come together while the last was under way. */
export const startRelay = ({ pool, queues, log, nowMs }: Upkeep): Loop => {
  const add: Parameters<typeof relayOutbox>[1] = async (queue, jobs) => {
    const now = nowMs();
    const delayed = jobs.map(({ id, dueAtMs }) => ({ id, delayMs: Math.max(0, dueAtMs - now) }));
    await queues.add(queue, delayed);
  };
  const look = async () => (await relayOutbox(pool, add)) > 0;
  const failure = 'the outbox could not be handed on; it is tried again';
  return startLoop({ everyMs: LOOK_EVERY_MS, look, log, failure });
};

/** What is due that long ought to have been queued: the relay and the queue have had their time. */
const GRACE_MS = 10_000;
const REQUEUE_EVERY_MS = 5_000;
const REQUEUED_MAX = 2_000;

/**
 * Queues again what the records say is due and unfinished, so that a queue which lost its jobs loses nothing. An id
 * that is still queued stays as it is.
 */
export const startRequeuing = ({ pool, queues, log, nowMs }: Upkeep): readonly Loop[] => {
  const sources: readonly (readonly [QueueName, find: () => Promise<readonly string[]>])[] = [
    ['status', async () => await findUnprocessedPushes(pool, nowMs() - GRACE_MS, REQUEUED_MAX)],
  ];
  return sources.map(([queue, find]) => {
    const look = async (): Promise<void> => {
      const ids = await find();
      if (ids.length === 0) return;
      const jobs = ids.map((id) => ({ id }));
      await queues.add(queue, jobs);
    };
    const failure = 'unfinished work could not be queued again';
    return startLoop({ everyMs: REQUEUE_EVERY_MS, look, log, failure, fields: { queue } });
  });
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
  await execute(pool)`delete from shared_limits where ends_at < now()`;
};

/** Now and every hour. */
export const startSweeping = ({ pool, log, nowMs }: Upkeep): Loop =>
  startLoop({
    everyMs: SWEEP_EVERY_MS,
    look: async () => await sweep(pool, nowMs()),
    log,
    failure: 'what has ended could not be forgotten',
  });
