/**
 * Deciding what a shipper asks of a consignment that exists (creates: `accept.ts`): in one transaction, under the
 * consignment's lock, and only then answered. `accept-update.ts`, `accept-cancel.ts` and `accept-retry.ts` decide.
 */
import type { Pool, PoolClient } from 'pg';
import type { OperationName } from '../profile/carrier.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { type DispatchView, listDispatches } from './dispatches.ts';
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
export interface Busy {
  readonly kind: 'busy';
  readonly dispatchId: number;
}

export interface Accepted {
  readonly kind: 'accepted';
  readonly dispatchId: number;
}

export const refused = (why: Refusal): Refused => ({ kind: 'refused', why });

/** Locks the consignment and says how it stands, to whoever decides. */
export const decide = async <Decision>(
  { pool }: OrderStore,
  consignmentId: number,
  decision: (client: PoolClient, record: ConsignmentRecord, standing: Standing) => Promise<Decision>,
): Promise<Decision | Refused> =>
  await transaction(pool, async (client) => {
    const record = await lockConsignment(client, consignmentId);
    if (record === undefined) return refused('rejected');
    const standing = standingOf(record, await listDispatches(client, consignmentId));
    return await decision(client, record, standing);
  });

/** What is held and will not be asked for any more. */
export const supersede = async (client: PoolClient, held: readonly DispatchView[], nowMs: number): Promise<void> => {
  await client.query(`update dispatches set state = 'cancelled', finished_at = $2 where id = any ($1::bigint[])`, [
    held.map(({ id }) => id),
    new Date(nowMs),
  ]);
};

/** Of what is held, the action that a try of the same request asked for before it was cut short: it is not asked for again. */
export const askedBefore = async (
  client: PoolClient,
  held: readonly DispatchView[],
  operation: OperationName,
  orderText?: string,
): Promise<Accepted | undefined> => {
  const last = held.findLast((dispatch) => dispatch.operation === operation);
  if (last === undefined) return undefined;
  const { rows } = await client.query<{ id: number }>(
    'select id from dispatches where id = $1 and order_text is not distinct from $2',
    [last.id, orderText],
  );
  return rows.length === 0 ? undefined : { kind: 'accepted', dispatchId: last.id };
};
