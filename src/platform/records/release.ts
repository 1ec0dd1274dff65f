/** Releases the reference and numbers of a consignment that no longer needs them, for another order. */
import { cancelHere, type OrderStore, supersede } from './accept-change.ts';
import { recordAudit } from './audit.ts';
import { lockConsignment } from './consignments.ts';
import { listDispatches } from './dispatches.ts';
import { transaction } from './pool.ts';
import { freeReservation } from './slots.ts';
import { execute } from './sql.ts';
import { isUnfinished, refusalOf, standingOf } from './standing.ts';

/** Why an order may have what another consignment had. */
export type Released = 'cancelled' | 'never_sent';

/**
 * Frees, for another order, the reference and the numbers of a consignment that is cancelled; or whose create certainly
 * failed, where the order has its reference: that cancels it. Undefined: they are in use, or the order may be the one
 * that was cancelled, repeated by a client that never had its answer.
 */
export const releaseConsignment = async (
  store: OrderStore,
  consignmentId: number,
  order: { readonly referenceNumber: string; readonly orderText: string; readonly actor: string },
): Promise<Released | undefined> =>
  await transaction(store.pool, async (client) => {
    const record = await lockConsignment(client, consignmentId);
    if (record === undefined) return undefined;
    const dispatches = await listDispatches(client, consignmentId);
    const standing = standingOf(record, dispatches);
    const isUnsent = standing.kind === 'create_held' && refusalOf(standing) === undefined;
    if (isUnsent && record.referenceNumber === order.referenceNumber) {
      await supersede(client, [standing.dispatch], store.nowMs());
      await cancelHere(client, record, store);
      // What is still under way may make a shipment yet.
    } else if (standing.kind !== 'cancelled' || dispatches.some(isUnfinished)) return undefined;
    const isSame = record.orderText === order.orderText;
    const released = await execute(client)`
      update consignments c set released_at = coalesce(released_at, now()), version = version + 1
      where id = ${consignmentId} and not (${isSame} and exists (
        select from dispatches where consignment_id = c.id and seed in (select try from cut_short)))`;
    if (released === 0) return undefined;
    await freeReservation(client, consignmentId, isUnsent);
    await recordAudit(client, { actor: order.actor, action: 'release', subject: `consignment:${consignmentId}` });
    return isUnsent ? 'never_sent' : 'cancelled';
  });
