/** Answers kept for `Idempotency-Key`: one key stands for one request of a shipper in one environment. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, queryAll, queryFirst, sql, type Sql, rowsOf } from './sql.ts';

interface RequestKey extends Owner {
  /** As the shipper sent it. */
  readonly key: string;
}

/** One try to carry a request out. Of all tries of it, only the one that owns the key may change anything. */
export interface Claim extends RequestKey {
  readonly owner: string;
}

/** Thrown under a claim that another try of the request has taken over, or that was given up: nothing was changed. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export const newClaim = (name: RequestKey): Claim => ({ ...name, owner: randomUUID() });

/** `body`: JSON. */
type KeptReply = { readonly status: number; readonly body: string };

type BegunRequest =
  /** Ours to carry out. `resumed`: an earlier try began and never ended, so part of it may have been done. */
  | { readonly kind: 'begun'; readonly resumed: boolean }
  | { readonly kind: 'answered'; readonly reply: KeptReply }
  | { readonly kind: 'in_progress' }
  /** The key was used for another request. */
  | { readonly kind: 'other_request' };

const isOf = (request: RequestKey): Sql => sql`${ownedBy(request)} and key = ${request.key}`;
const isHeldBy = (claim: Claim): Sql => sql`${isOf(claim)} and owner = ${claim.owner} and status is null`;

/** Takes the key for this request, or says what became of it. What was cut short, or began before `abandonedBeforeMs` and has no answer, is taken over. */
export const beginRequest = async (
  pool: Pool,
  claim: Claim,
  requestHash: Buffer,
  { nowMs, abandonedBeforeMs }: { readonly nowMs: number; readonly abandonedBeforeMs: number },
): Promise<BegunRequest> => {
  const { shipperId, environment, key, owner } = claim;
  const now = new Date(nowMs);
  const taken = await execute(pool)`
    insert into idempotency_keys (shipper_id, environment, key, owner, request_hash, created_at)
    values (${shipperId}, ${environment}, ${key}, ${owner}, ${requestHash}, ${now}) on conflict do nothing`;
  if (taken === 1) return { kind: 'begun', resumed: false };
  const row = await queryFirst<{ requestHash: Buffer; status?: number; body?: string }>(pool)`
    select request_hash, status, body from idempotency_keys where ${isOf(claim)}`;
  // Given back between the two: in a moment the key is free.
  if (row === undefined) return { kind: 'in_progress' };
  if (!row.requestHash.equals(requestHash)) return { kind: 'other_request' };
  if (row.status !== undefined) return { kind: 'answered', reply: { status: row.status, body: row.body ?? 'null' } };
  const takenOver = await execute(pool)`
    update idempotency_keys set owner = ${owner}, created_at = ${now}
    where ${isOf(claim)} and status is null and (owner is null or created_at < ${new Date(abandonedBeforeMs)})`;
  return takenOver === 1 ? { kind: 'begun', resumed: true } : { kind: 'in_progress' };
};

/** The answer that every repeat of the request will get. Nothing, if another try has taken over. */
export const keepReply = async (pool: Pool, claim: Claim, { status, body }: KeptReply): Promise<void> => {
  await execute(pool)`update idempotency_keys set status = ${status}, body = ${body} where ${isHeldBy(claim)}`;
};

/** Gives the key back: nothing was done under it. Nothing, if another try has taken over. */
export const releaseKey = async (pool: Pool, claim: Claim): Promise<void> => {
  await execute(pool)`delete from idempotency_keys where ${isHeldBy(claim)}`;
};

/** These tries were cut short: from now on they change nothing, and the next ones take over at once. */
export const abandonRequests = async (pool: Pool, claims: readonly Claim[]): Promise<void> => {
  const gone = rowsOf('gone', claims, {
    shipper_id: ['bigint', ({ shipperId }) => shipperId],
    environment: ['text', ({ environment }) => environment],
    key: ['text', ({ key }) => key],
    owner: ['uuid', ({ owner }) => owner],
  });
  await execute(pool)`
    update idempotency_keys k set owner = null
    from ${gone}
    where k.shipper_id = gone.shipper_id and k.environment = gone.environment and k.key = gone.key
      and k.owner = gone.owner and k.status is null`;
};

/** What a request has done to one consignment. */
export interface Act {
  readonly consignmentId: number;
  /** Undefined: done here, without the carrier. */
  readonly dispatchId: number | undefined;
}

/** First in the transaction that acts: `ClaimLost` unless the claim holds, and nobody takes it over before the commit. */
export const holdClaim = async (client: PoolClient, claim: Claim | undefined): Promise<void> => {
  if (claim === undefined) return;
  const held = await execute(client)`select 1 from idempotency_keys where ${isHeldBy(claim)} for share`;
  if (held !== 1) throw new ClaimLost('another try of the request has taken over');
};

/** In the transaction that acts, so that the act and its record stand or fall together. */
export const recordAct = async (client: PoolClient, claim: Claim | undefined, act: Act): Promise<void> => {
  if (claim === undefined) return;
  const { shipperId, environment, key } = claim;
  await execute(client)`
    insert into request_acts (shipper_id, environment, key, consignment_id, dispatch_id)
    values (${shipperId}, ${environment}, ${key}, ${act.consignmentId}, ${act.dispatchId})`;
};

/** What earlier tries of the request have done. */
export const findActs = async (pool: Pool, name: RequestKey): Promise<readonly Act[]> =>
  await queryAll<Act>(pool)`select consignment_id, dispatch_id from request_acts where ${isOf(name)}`;
