/** Answers kept for `Idempotency-Key`: one key stands for one request of a shipper in one environment. */
import type { Pool, PoolClient } from 'pg';
import { createPoolBatcher } from './batch.ts';
import { noteWaiting } from './cut-short.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, queryAll, queryFirst, sql, type Sql, rowsOf } from './sql.ts';

interface RequestKey extends Owner {
  /** As the shipper sent it. */
  readonly key: string;
}

/** One try to carry a request out. Of all tries of it, only the one that owns the key may change anything. */
export interface Claim extends RequestKey {
  /** Random: the try itself. */
  readonly owner: string;
  /** Of the request: the key stands for no other. */
  readonly requestHash: Buffer;
  readonly begunAtMs: number;
}

/** Thrown under a claim whose key another try has: nothing was changed. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** `body`: JSON. */
type KeptReply = { readonly status: number; readonly body: string };

type KnownRequest =
  /** Ours to carry out: an earlier try began and never ended, so part of it may have been done. */
  | { readonly kind: 'taken_over' }
  | { readonly kind: 'answered'; readonly reply: KeptReply }
  | { readonly kind: 'in_progress' }
  /** The key was used for another request. */
  | { readonly kind: 'other_request' };

const isOf = (request: RequestKey): Sql => sql`${ownedBy(request)} and key = ${request.key}`;

/**
 * What became of the request under this key; undefined: the key is free. What was cut short, or began before
 * `abandonedBeforeMs` and has no answer, is taken over.
 */
export const findRequest = async (
  pool: Pool,
  claim: Claim,
  abandonedBeforeMs: number,
): Promise<KnownRequest | undefined> => {
  const row = await queryFirst<{ requestHash: Buffer; status?: number; body?: string }>(pool)`
    select request_hash, status, body from idempotency_keys where ${isOf(claim)}`;
  if (row === undefined) return undefined;
  if (!row.requestHash.equals(claim.requestHash)) return { kind: 'other_request' };
  if (row.status !== undefined) return { kind: 'answered', reply: { status: row.status, body: row.body ?? 'null' } };
  const takenOver = await execute(pool)`
    update idempotency_keys set owner = ${claim.owner}, created_at = ${new Date(claim.begunAtMs)}
    where ${isOf(claim)} and status is null
      and (owner in (select try from cut_short) or created_at < ${new Date(abandonedBeforeMs)})`;
  if (takenOver === 1) return { kind: 'taken_over' };
  await noteWaiting(pool);
  return { kind: 'in_progress' };
};

/** Some try has taken the key. */
export const isKnown = async (pool: Pool, name: RequestKey): Promise<boolean> =>
  (await execute(pool)`select from idempotency_keys where ${isOf(name)}`) > 0;

/** Of the tries `claims`, those that hold their keys, with what each is to be answered with. */
const held = (claims: readonly (Claim & Partial<KeptReply>)[]): Sql =>
  rowsOf(
    'held',
    claims,
    'shipper_id bigint, environment text, key text, owner uuid, reply_status int, reply_body text',
    { reply_status: ({ status }) => status, reply_body: ({ body }) => body },
  );
const IS_HELD = sql`k.shipper_id = held.shipper_id and k.environment = held.environment and k.key = held.key
  and k.owner = held.owner and k.status is null`;

const AT_ONCE = 500;
/** Nobody is told what became of each: a try that was taken over has nothing to change. */
const each = <Item>(write: (pool: Pool, items: readonly Item[]) => Promise<unknown>) =>
  createPoolBatcher<Item, void>(
    async (pool, items) => {
      await write(pool, items);
      return items.map(() => undefined);
    },
    { max: AT_ONCE },
  );

const keepReplies = each<Claim & KeptReply>(async (pool, kept) => {
  await execute(pool)`
    update idempotency_keys k set status = reply_status, body = reply_body from ${held(kept)} where ${IS_HELD}`;
});

/** The answer that every repeat of the request will get. Nothing, if another try has taken over. */
export const keepReply = async (pool: Pool, claim: Claim, reply: KeptReply): Promise<void> =>
  await keepReplies(pool, { ...claim, ...reply });

/** Gives the key back: nothing was done under it. Nothing, if another try has taken over. */
export const releaseKey = each<Claim>(async (pool, claims) => {
  await execute(pool)`delete from idempotency_keys k using ${held(claims)} where ${IS_HELD}`;
});

/** What a request has done to one consignment. */
export interface RequestAct {
  readonly consignmentId: number;
  /** Undefined: done here, without the carrier. */
  readonly dispatchId: number | undefined;
}

/** First in the transaction that acts: takes the key, unless an act before has; nobody takes it over before the commit. */
export const holdClaim = async (client: PoolClient, claim: Claim | undefined): Promise<void> => {
  if (claim === undefined) return;
  const { shipperId, environment, key, owner, requestHash, begunAtMs } = claim;
  const taken = await execute(client)`
    insert into idempotency_keys (shipper_id, environment, key, owner, request_hash, created_at)
    values (${shipperId}, ${environment}, ${key}, ${owner}, ${requestHash}, ${new Date(begunAtMs)})
    on conflict do nothing`;
  if (taken === 1) return;
  const isHeld = sql`${isOf(claim)} and owner = ${owner} and status is null`;
  const held = await execute(client)`select 1 from idempotency_keys where ${isHeld} for share`;
  if (held !== 1) throw new ClaimLost('the key is known, and another try has it');
};

/** In the transaction that acts, so that the act and its record stand or fall together. */
export const recordAct = async (client: PoolClient, claim: Claim | undefined, act: RequestAct): Promise<void> => {
  if (claim === undefined) return;
  const { shipperId, environment, key } = claim;
  await execute(client)`
    insert into request_acts (shipper_id, environment, key, consignment_id, dispatch_id)
    values (${shipperId}, ${environment}, ${key}, ${act.consignmentId}, ${act.dispatchId})`;
};

/** What earlier tries of the request have done. */
export const findActs = async (pool: Pool, name: RequestKey): Promise<readonly RequestAct[]> =>
  await queryAll<RequestAct>(pool)`select consignment_id, dispatch_id from request_acts where ${isOf(name)}`;
