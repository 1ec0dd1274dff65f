/** Requests that were cut short while the records were away: the records are told again each second, until they are back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { abandonRequests, type Claim } from '../records/idempotency.ts';

const TELL_AGAIN_MS = 1_000;
/** Told at once, and remembered at most: what is beyond ends by its age. */
const AT_ONCE = 500;
const KEPT_MAX = 20_000;
/** By then every try is taken over for its age. */
const WORTH_TELLING_MS = 180_000;

interface PendingAbandonment {
  readonly claim: Claim;
  readonly untilMs: number;
}

const pendingAbandonments = new WeakMap<Pool, PendingAbandonment[]>();

/** The try was cut short. Resolves also where the records are away. */
export const tellAbandoned = async (pool: Pool, claim: Claim): Promise<void> => {
  if (!pendingAbandonments.has(pool) && (await isRecorded(pool, [claim]))) return;
  const waiting = pendingAbandonments.get(pool) ?? [];
  if (waiting.length < KEPT_MAX) waiting.push({ claim, untilMs: performance.now() + WORTH_TELLING_MS });
  if (pendingAbandonments.has(pool)) return;
  pendingAbandonments.set(pool, waiting);
  void keepTelling(pool, waiting);
};

const keepTelling = async (pool: Pool, waiting: PendingAbandonment[]): Promise<void> => {
  while (waiting.length > 0 && !pool.ending) {
    await sleep(TELL_AGAIN_MS, undefined, { ref: false });
    let claims: readonly Claim[];
    do {
      claims = waiting.slice(0, AT_ONCE).map(({ claim }) => claim);
      if (!(await isRecorded(pool, claims))) break;
      waiting.splice(0, claims.length);
    } while (claims.length === AT_ONCE);
    const nowMs = performance.now();
    while (waiting[0] !== undefined && waiting[0].untilMs < nowMs) waiting.shift();
  }
  pendingAbandonments.delete(pool);
};

const isRecorded = async (pool: Pool, claims: readonly Claim[]): Promise<boolean> =>
  await abandonRequests(pool, claims).then(
    () => true,
    () => false,
  );
