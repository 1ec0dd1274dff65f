/**
 * Deciding what a shipper asks of a consignment that exists (creates: `accept.ts`): in one transaction, under the
 * consignment's lock, and only then answered. `accept-update.ts`, `accept-cancel.ts` and `accept-retry.ts` decide.
 */
import type { Pool, PoolClient } from 'pg';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { type DispatchView, listDispatches } from './dispatches.ts';
import { type Claim, holdClaim, recordAct } from './idempotency.ts';
import type { RecordNotices } from './notices.ts';
import { transaction } from './pool.ts';
import { type Standing, standingOf } from './standing.ts';

export interface OrderStore {
  readonly pool: Pool;
  readonly nowMs: () => number;
  readonly recordNotices: RecordNotices;
}

/** Why something cannot be done to a consignment as it stands. */
export type Refusal = 'dispatched' | 'cancelled' | 'rejected' | 'create_unknown' | 'undo_failed' | 'nothing_held';
export interface Refused {
  readonly kind: 'refused';
  readonly why: Refusal;
}

/** An earlier action is under way: wait for its end, then ask again. */
interface Busy {
  readonly kind: 'busy';
  readonly dispatchId: number;
}

export interface Accepted {
  readonly kind: 'accepted';
  /** Undefined: done here and now, the carrier need not be told. */
  readonly dispatchId: number | undefined;
}

export type Decided = Accepted | Busy | Refused;

/** What is asked of a consignment. */
export interface ConsignmentRequest {
  readonly consignmentId: number;
  /** Undefined: the request has no `Idempotency-Key`. */
  readonly claim: Claim | undefined;
}

export const refused = (why: Refusal): Refused => ({ kind: 'refused', why });

/**
 * Locks the consignment and says how it stands, to whoever decides. Under a claim, what is accepted is noted as an act
 * of that request.
 */
export const decide = async <Decision extends { readonly kind: string }>(
  { pool }: OrderStore,
  { consignmentId, claim }: ConsignmentRequest,
  decision: (client: PoolClient, record: ConsignmentRecord, standing: Standing) => Promise<Decision | Accepted>,
): Promise<Decision | Accepted | Refused> =>
  await transaction(pool, async (client) => {
    await holdClaim(client, claim);
    const record = await lockConsignment(client, consignmentId);
    if (record === undefined) return refused('rejected');
    const standing = standingOf(record, await listDispatches(client, consignmentId));
    const decided = await decision(client, record, standing);
    if (isAccepted(decided)) await recordAct(client, claim, { consignmentId, dispatchId: decided.dispatchId });
    return decided;
  });

const isAccepted = (decided: { readonly kind: string }): decided is Accepted => decided.kind === 'accepted';

/** What is held and will not be asked for any more. */
export const supersede = async (client: PoolClient, held: readonly DispatchView[], nowMs: number): Promise<void> => {
  await client.query(`update dispatches set state = 'cancelled', finished_at = $2 where id = any ($1::bigint[])`, [
    held.map(({ id }) => id),
    new Date(nowMs),
  ]);
};
