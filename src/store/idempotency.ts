/** Answers kept for `Idempotency-Key`: one key stands for one request of a shipper in one environment. */
import type { Pool } from 'pg';
import type { EnvironmentName } from '../profile/carrier.ts';

export interface RequestKey {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  /** As the shipper sent it. */
  readonly key: string;
}

export interface KeptReply {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

export type BegunRequest =
  /** Ours to carry out. `resumed`: an earlier try began and never ended, so part of it may have been done. */
  | { readonly kind: 'begun'; readonly resumed: boolean }
  | { readonly kind: 'answered'; readonly reply: KeptReply }
  | { readonly kind: 'in_progress' }
  /** The key was used for another request. */
  | { readonly kind: 'other_request' };

interface KeyRow {
  request_hash: Buffer;
  status: number | null;
  body: string | null;
}

/** Takes the key for this request, or says what became of it. What began before `abandonedBeforeMs` and has no answer is taken over. */
export const beginRequest = async (
  pool: Pool,
  { shipperId, environment, key }: RequestKey,
  requestHash: Buffer,
  { nowMs, abandonedBeforeMs }: { readonly nowMs: number; readonly abandonedBeforeMs: number },
): Promise<BegunRequest> => {
  const name = [shipperId, environment, key];
  const taken = await pool.query(
    `insert into idempotency_keys (shipper_id, environment, key, request_hash, created_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [...name, requestHash, new Date(nowMs)],
  );
  if (taken.rowCount === 1) return { kind: 'begun', resumed: false };
  const { rows } = await pool.query<KeyRow>(
    'select request_hash, status, body from idempotency_keys where shipper_id = $1 and environment = $2 and key = $3',
    name,
  );
  const [row] = rows;
  // Given back between the two: in a moment the key is free.
  if (row === undefined) return { kind: 'in_progress' };
  if (!row.request_hash.equals(requestHash)) return { kind: 'other_request' };
  if (row.status !== null) return { kind: 'answered', reply: { status: row.status, body: row.body ?? 'null' } };
  const takenOver = await pool.query(
    `update idempotency_keys set created_at = $4
     where shipper_id = $1 and environment = $2 and key = $3 and status is null and created_at < $5`,
    [...name, new Date(nowMs), new Date(abandonedBeforeMs)],
  );
  return takenOver.rowCount === 1 ? { kind: 'begun', resumed: true } : { kind: 'in_progress' };
};

/** The answer that every repeat of the request will get. */
export const keepReply = async (
  pool: Pool,
  { shipperId, environment, key }: RequestKey,
  reply: KeptReply,
): Promise<void> => {
  await pool.query(
    `update idempotency_keys set status = $4, body = $5
     where shipper_id = $1 and environment = $2 and key = $3 and status is null`,
    [shipperId, environment, key, reply.status, reply.body],
  );
};

/** Gives the key back: nothing was done under it. */
export const releaseKey = async (pool: Pool, { shipperId, environment, key }: RequestKey): Promise<void> => {
  await pool.query(
    'delete from idempotency_keys where shipper_id = $1 and environment = $2 and key = $3 and status is null',
    [shipperId, environment, key],
  );
};

/** The work that began at `begunAtMs` was cut short: the next try takes it over at once. Nothing, if one already has. */
export const abandonRequest = async (
  pool: Pool,
  { shipperId, environment, key }: RequestKey,
  begunAtMs: number,
): Promise<void> => {
  await pool.query(
    `update idempotency_keys set created_at = 'epoch'
     where shipper_id = $1 and environment = $2 and key = $3 and status is null and created_at = $4`,
    [shipperId, environment, key, new Date(begunAtMs)],
  );
};
