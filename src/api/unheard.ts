/** What the records could not be told while they were away: they are told again each second, until they hear it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { abandonRequests, type Claim } from '../store/idempotency.ts';

const TELL_AGAIN_MS = 1_000;
/** Told at once, and remembered at most: what is beyond ends by its age. */
const AT_ONCE = 500;
const KEPT_MAX = 20_000;

const unheard = new WeakMap<Pool, Claim[]>();

/** The try was cut short. Resolves at once where the records are away. */
export const tellAbandoned = async (pool: Pool, claim: Claim): Promise<void> => {
  const waiting = unheard.get(pool);
  if (waiting === undefined) {
    await abandonRequests(pool, [claim]).catch(() => void keepTelling(pool, claim));
  } else if (waiting.length < KEPT_MAX) waiting.push(claim);
};

const keepTelling = async (pool: Pool, first: Claim): Promise<void> => {
  const waiting = unheard.get(pool);
  if (waiting !== undefined) return void waiting.push(first);
  const claims = [first];
  unheard.set(pool, claims);
  while (claims.length > 0 && !pool.ending) {
    await sleep(TELL_AGAIN_MS, undefined, { ref: false });
    await tell(pool, claims).catch(() => undefined);
  }
  unheard.delete(pool);
};

const tell = async (pool: Pool, claims: Claim[]): Promise<void> => {
  while (claims.length > 0) {
    const some = claims.slice(0, AT_ONCE);
    await abandonRequests(pool, some);
    claims.splice(0, some.length);
  }
};
