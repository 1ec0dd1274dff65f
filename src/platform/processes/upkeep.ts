/** Housekeeping of the records. Any number of processes may run it. */
import type { Pool } from 'pg';
import { forgetEndedLogins } from '../records/carrier-tokens.ts';
import { forgetCutShort } from '../records/cut-short.ts';
import { addMonths } from '../records/partitions.ts';
import type { Log } from '../records/pool.ts';
import { forgetReservations } from '../records/slots.ts';
import { execute } from '../records/sql.ts';
import { forgetEndedTokens } from '../records/tokens.ts';
import { type Loop, startLoop } from './loop.ts';

const SWEEP_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How long what has ended is kept for looking into. */
const TOKENS_KEPT_MS = 90 * DAY_MS;
const LOGINS_KEPT_MS = 7 * DAY_MS;
const SLOTS_KEPT_MS = 30 * DAY_MS;

/** Forgets what ended long ago and nobody asks for again, and makes room for the months ahead. */
export const sweep = async (pool: Pool, log: Log, nowMs: number): Promise<void> => {
  await forgetEndedTokens(pool, new Date(nowMs - TOKENS_KEPT_MS));
  await forgetEndedLogins(pool, new Date(nowMs - LOGINS_KEPT_MS));
  await forgetCutShort(pool);
  await forgetReservations(pool, new Date(nowMs - SLOTS_KEPT_MS));
  await execute(pool)`delete from shared_limits where ends_at < now()`;
  // Last, as nothing else is to be left undone where others do not let go of the tables, or the role may not add any.
  await addMonths(pool, log);
};

/** Now and every hour. */
export const startSweeping = ({
  pool,
  log,
  nowMs,
}: {
  readonly pool: Pool;
  readonly log: Log;
  readonly nowMs: () => number;
}): Loop =>
  startLoop({
    everyMs: SWEEP_EVERY_MS,
    look: async () => await sweep(pool, log, nowMs()),
    log,
    failure: 'the upkeep of the records failed',
  });
