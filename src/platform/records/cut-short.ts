/**
 * Tries of requests that were cut short, noted whether or not they have recorded anything: PostgreSQL may still be at
 * it. What one has recorded, or yet will, is its repeats'. While the records are away, the notes wait for them here.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { execute } from './sql.ts';

const AGAIN_MS = 250;
/** Of a connection that may have fallen silent: it is tried over another meanwhile. */
const SILENCE_MS = 5_000;
const AT_ONCE = 1_000;
const WAITING_MAX = 20_000;
/** Who repeats a request later than that has given it up. */
const KEPT = '30 days';

const waiting = new WeakMap<Pool, Map<string, () => void>>();

/** Resolves once it is noted; until then it is tried again. */
export const noteCutShort = async (pool: Pool, ownTry: string): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const known = waiting.get(pool);
  const notes = known ?? new Map<string, () => void>();
  if (notes.size < WAITING_MAX) notes.set(ownTry, resolve);
  waiting.set(pool, notes);
  if (known === undefined) void keepNoting(pool, notes);
  await promise;
};

/** Notes what still waits to be noted, without waiting for who is at it; false: there was nothing. */
export const noteWaiting = async (pool: Pool): Promise<boolean> => {
  const notes = waiting.get(pool);
  if (notes === undefined) return false;
  const told = [...notes].slice(0, AT_ONCE);
  const tries = told.map(([ownTry]) => ownTry);
  await execute(pool)`insert into cut_short (try) select unnest(${tries}::uuid[]) on conflict do nothing`;
  for (const [ownTry, resolve] of told) {
    notes.delete(ownTry);
    resolve();
  }
  return true;
};

const keepNoting = async (pool: Pool, notes: ReadonlyMap<string, unknown>): Promise<void> => {
  while (notes.size > 0 && !pool.ending)
    await Promise.race([
      noteWaiting(pool).catch(async () => await sleep(AGAIN_MS, undefined, { ref: false })),
      sleep(SILENCE_MS, undefined, { ref: false }),
    ]);
  waiting.delete(pool);
};

export const forgetCutShort = async (pool: Pool): Promise<void> => {
  await execute(pool)`delete from cut_short where at < now() - ${KEPT}::interval`;
};
