/** What keeps the queue in step with the records, and the records small. Any number of processes may do it. */
import type { Pool } from 'pg';
import type { Queues } from '../queue/queues.ts';
import { forgetEndedLogins } from '../records/carrier-tokens.ts';
import { relayOutbox } from '../records/outbox.ts';
import type { Log } from '../records/pool.ts';
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
