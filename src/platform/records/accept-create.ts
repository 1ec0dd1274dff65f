/** Accepting work: the record, its dispatch and its outbox row in one transaction; only then is anything answered. */
import type { Pool } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { type ConsignmentRecord, findConsignment } from './consignments.ts';
import { addDispatch } from './dispatches.ts';
import { type Claim, holdClaim, recordAct } from './idempotency.ts';
import { writeIdentifiers } from './identifiers.ts';
import { transaction } from './pool.ts';
import { execute, queryFirst } from './sql.ts';

export interface NewConsignment {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  readonly orderTypes: readonly string[];
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  readonly profileHash: string;
  /** JSON: the shipper's order. */
  readonly orderText: string;
  readonly referenceNumber: string;
  readonly consignment: Consignment;
  readonly service: unknown;
  /** Undefined: the request has no `Idempotency-Key`. */
  readonly claim?: Claim | undefined;
}

export type AcceptedCreate =
  | { readonly kind: 'accepted'; readonly consignmentId: number; readonly dispatchId: number }
  /** The reference is in use: by this consignment. */
  | { readonly kind: 'duplicate'; readonly existing: ConsignmentRecord };

/** Records a consignment to be created at its carrier. Of many at once with one reference, exactly one is accepted. */
export const acceptCreate = async (pool: Pool, order: NewConsignment): Promise<AcceptedCreate> => {
  const { orderNumber, consignmentNumber, typeOfOrder } = order.consignment;
  const { consignment, shipperId, environment, carrierCode, accountId, profileHash, referenceNumber } = order;
  const accepted = await transaction(pool, async (client): Promise<AcceptedCreate | undefined> => {
    await holdClaim(client, order.claim);
    const inserted = await queryFirst<{ id: number }>(client)`
      insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
        consignment_type, order_types, carrier_code, account_id, order_text, canonical)
      values (${shipperId}, ${environment}, ${referenceNumber}, ${orderNumber}, ${consignmentNumber}, ${typeOfOrder},
          ${order.orderTypes}, ${carrierCode}, ${accountId}, ${order.orderText}, ${JSON.stringify(consignment)})
      on conflict (shipper_id, environment, reference_number) where released_at is null do nothing
      returning id`;
    if (inserted === undefined) return undefined;
    const consignmentId = inserted.id;
    await execute(client)`
      insert into packages (consignment_id, position, reference)
      select ${consignmentId}, ordinality - 1, reference
      from unnest(${consignment.itemList.map((item) => item.itemReferenceNumber)}::text[]) with ordinality as item (reference, ordinality)`;
    await writeIdentifiers(client, carrierCode, consignmentId, [
      { kind: 'Reference', value: consignment.referenceId },
      { kind: 'Order', value: orderNumber },
      { kind: 'Consignment', value: consignmentNumber },
    ]);
    const inputs = { consignment, service: order.service };
    const record = { id: consignmentId, accountId };
    const dispatchId = await addDispatch(client, record, { operation: 'create', profileHash, inputs });
    await recordAct(client, order.claim, { consignmentId, dispatchId });
    return { kind: 'accepted', consignmentId, dispatchId };
  });
  if (accepted !== undefined) return accepted;
  const existing = await findConsignment(pool, shipperId, environment, referenceNumber);
  // Released between the two: the reference is free again.
  return existing === undefined ? await acceptCreate(pool, order) : { kind: 'duplicate', existing };
};
