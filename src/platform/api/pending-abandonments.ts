/** What the records could not be told while they were away: they are told again each second, until they hear it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { abandonRequests, type Claim } from '../records/idempotency.ts';

const TELL_AGAIN_MS = 1_000;
/** Told at once, and remembered at most: what is beyond ends by its age. */
const AT_ONCE = 500;
const KEPT_MAX = 20_000;
/** By then every try is taken over for its age. */
const WORTH_TELLING_MS = 180_000;

interface Unheard {
  readonly claim: Claim;
  readonly untilMs: number;
}

const unheard = new WeakMap<Pool, Unheard[]>();

/** The try was cut short. Resolves also where the records are away. */
export const tellAbandoned = async (pool: Pool, claim: Claim): Promise<void> => {
  if (!unheard.has(pool) && (await isHeard(pool, [claim]))) return;
  const waiting = unheard.get(pool) ?? [];
  if (waiting.length < KEPT_MAX) waiting.push({ claim, untilMs: performance.now() + WORTH_TELLING_MS });
  if (unheard.has(pool)) return;
  unheard.set(pool, waiting);
  void keepTelling(pool, waiting);
};

const keepTelling = async (pool: Pool, waiting: Unheard[]): Promise<void> => {
  while (waiting.length > 0 && !pool.ending) {
    await sleep(TELL_AGAIN_MS, undefined, { ref: false });
    await tellAll(pool, waiting);
    const nowMs = performance.now();
    while (waiting[0] !== undefined && waiting[0].untilMs < nowMs) waiting.shift();
  }
  unheard.delete(pool);
};

const tellAll = async (pool: Pool, waiting: Unheard[]): Promise<void> => {
  while (waiting.length > 0) {
    const some = waiting.slice(0, AT_ONCE);
    const heard = await isHeard(
      pool,
      some.map(({ claim }) => claim),
    );
    if (!heard) return;
    waiting.splice(0, some.length);
  }
};

const isHeard = async (pool: Pool, claims: readonly Claim[]): Promise<boolean> =>
  await abandonRequests(pool, claims).then(
    () => true,
    () => false,
  );
