import type { Consignment } from '../../engine/consignment/consignment.ts';
import { applyEffects } from './apply-effects.ts';
import { shipmentOf } from './consignments.ts';
import { addDispatch } from './dispatches.ts';
import {
  type ConsignmentRequest,
  decide,
  type Decided,
  type OrderStore,
  refusalOf,
  refused,
  supersede,
} from './orders.ts';
import { execute } from './sql.ts';

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
    const refusal = refusalOf(standing);
    if (refusal !== undefined) return refused(refusal);
    if (standing.kind === 'busy') return { kind: 'busy', dispatchId: standing.dispatch.id };
    if (record.orderText !== update.basedOn) return { kind: 'outdated' };
    const { consignment, service, orderText, orderTypes, profileHash } = update;
    const inputs = { consignment, service };
    const nowMs = store.nowMs();
    if (standing.kind === 'accepted' && update.tellCarrier) {
      if (!update.carrierUpdates) return { kind: 'carrier_cannot' };
      await supersede(client, standing.held, nowMs);
      const dispatchId = await addDispatch(client, {
        consignmentId: record.id,
        operation: 'update',
        profileHash,
        accountId: record.accountId,
        inputs: { ...inputs, shipment: shipmentOf(record) },
        orderText,
        orderTypes,
      });
      return { kind: 'accepted', dispatchId };
    }
    const effects = { dispatch: { state: 'done' as const }, adoptInput: true, notices: [] };
    await applyEffects(client, record, { effects, inputs, orderText, orderTypes, nowMs, settle: store });
    // The carrier has nothing yet: a manual retry sends the order as it is now.
    if (standing.kind === 'create_held') {
      const corrected = { ...inputs, consignment: { ...consignment, typeOfAction: 'CREATE' } };
      await execute(client)`
        update dispatches set input = ${JSON.stringify(corrected)} where id = ${standing.dispatch.id}`;
    }
    return { kind: 'accepted', dispatchId: undefined };
  });
