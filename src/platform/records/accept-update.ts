import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { addDispatch } from './accept.ts';
import { applyEffects } from './apply-effects.ts';
import { shipmentOf } from './consignments.ts';
import { type ConsignmentRequest, decide, type Decided, type OrderStore, refused, supersede } from './orders.ts';

export interface NewUpdate extends ConsignmentRequest {
  /** The order that the update was laid over; when it is another by now, the update must be laid over that. */
  readonly basedOn: string;
  /** JSON: the order as the update leaves it. */
  readonly orderText: string;
  readonly consignment: Consignment;
  readonly service: unknown;
  /** What subscriptions may ask for it by, as the update leaves it. */
  readonly orderTypes: readonly string[];
  readonly profileHash: string;
  /** False: nothing changes that the carrier must know of. */
  readonly tellCarrier: boolean;
  /** Can the carrier be told at all? */
  readonly carrierUpdates: boolean;
}

export type AcceptedUpdate =
  | Decided
  /** The order is not the one that the update was laid over. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'carrier_cannot' };

/** Accepts an update: as a dispatch to the carrier, or, where the carrier need not know or has nothing yet, here and now. */
export const acceptUpdate = async (store: OrderStore, update: NewUpdate): Promise<AcceptedUpdate> =>
  await decide<AcceptedUpdate>(store, update, async (client, record, standing) => {
    switch (standing.kind) {
      case 'dispatched':
      case 'cancelled':
      case 'rejected':
        return refused(standing.kind);
      case 'busy':
        return { kind: 'busy', dispatchId: standing.dispatch.id };
      case 'create_held':
        if (standing.why === 'unknown_outcome') return refused('create_unknown');
        if (standing.why === 'undo_failed') return refused('undo_failed');
        break;
      case 'accepted':
        break;
    }
    if (record.orderText !== update.basedOn) return { kind: 'outdated' };
    const inputs = { consignment: update.consignment, service: update.service };
    if (standing.kind === 'accepted' && update.tellCarrier) {
      if (!update.carrierUpdates) return { kind: 'carrier_cannot' };
      await supersede(client, standing.held, store.nowMs());
      const dispatchId = await addDispatch(client, {
        consignmentId: record.id,
        operation: 'update',
        profileHash: update.profileHash,
        accountId: record.accountId,
        inputs: { ...inputs, shipment: shipmentOf(record) },
        orderText: update.orderText,
        orderTypes: update.orderTypes,
      });
      return { kind: 'accepted', dispatchId };
    }
    await applyEffects(client, record, {
      effects: { dispatch: { state: 'done' }, adoptInput: true, notices: [] },
      inputs,
      orderText: update.orderText,
      orderTypes: update.orderTypes,
      nowMs: store.nowMs(),
      recordNotices: store.recordNotices,
    });
    // The carrier has nothing yet: a manual retry sends the order as it is now.
    if (standing.kind === 'create_held') {
      const corrected: Inputs = { ...inputs, consignment: { ...update.consignment, typeOfAction: 'CREATE' } };
      await client.query('update dispatches set input = $2 where id = $1', [
        standing.dispatch.id,
        JSON.stringify(corrected),
      ]);
    }
    return { kind: 'accepted', dispatchId: undefined };
  });
