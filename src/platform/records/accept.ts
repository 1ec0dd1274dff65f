/** Accepting work: the record, its dispatch and its outbox row in one transaction; only then is anything answered. */
import type { Pool, PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { type ConsignmentRecord, findConsignment } from './consignments.ts';
import { type Claim, holdClaim, recordAct } from './idempotency.ts';
import { writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';

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
  const { consignment } = order;
  const accepted = await transaction(pool, async (client): Promise<AcceptedCreate | undefined> => {
    await holdClaim(client, order.claim);
    const { rows } = await client.query<{ id: number }>(
      `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
         consignment_type, order_types, carrier_code, account_id, order_text, canonical)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict (shipper_id, environment, reference_number) where released_at is null do nothing
       returning id`,
      [
        order.shipperId,
        order.environment,
        order.referenceNumber,
        consignment.orderNumber,
        consignment.consignmentNumber,
        consignment.typeOfOrder,
        order.orderTypes,
        order.carrierCode,
        order.accountId ?? null,
        order.orderText,
        JSON.stringify(consignment),
      ],
    );
    const consignmentId = rows[0]?.id;
    if (consignmentId === undefined) return undefined;
    await client.query(
      `insert into packages (consignment_id, position, reference)
       select $1, ordinality - 1, reference from unnest($2::text[]) with ordinality as item (reference, ordinality)`,
      [consignmentId, consignment.itemList.map((item) => item.itemReferenceNumber)],
    );
    await writeIdentifiers(client, order.carrierCode, consignmentId, [
      { kind: 'Reference', value: consignment.referenceId },
      { kind: 'Order', value: consignment.orderNumber },
      { kind: 'Consignment', value: consignment.consignmentNumber },
    ]);
    const dispatchId = await addDispatch(client, {
      consignmentId,
      operation: 'create',
      profileHash: order.profileHash,
      accountId: order.accountId,
      inputs: { consignment, service: order.service },
    });
    await recordAct(client, order.claim, { consignmentId, dispatchId });
    return { kind: 'accepted', consignmentId, dispatchId };
  });
  if (accepted !== undefined) return accepted;
  const existing = await findConsignment(pool, order.shipperId, order.environment, order.referenceNumber);
  // Released between the two: the reference is free again.
  return existing === undefined ? await acceptCreate(pool, order) : { kind: 'duplicate', existing };
};

export interface Identifier {
  readonly kind: string;
  readonly value: string;
  readonly position?: number | undefined;
}

/** By what a carrier may name the consignment from now on, also where the shipment of before had that name. */
export const writeIdentifiers = async (
  client: PoolClient,
  carrierCode: string,
  consignmentId: number,
  identifiers: readonly Identifier[],
): Promise<void> => {
  if (identifiers.length === 0) return;
  await client.query(
    `insert into identifiers (carrier_code, kind, value, consignment_id, position)
     select distinct $1, kind, value, $2::bigint, position
     from unnest($3::text[], $4::text[], $5::int[]) as identifier (kind, value, position)
     on conflict (carrier_code, kind, value, consignment_id, position) do update set gone = false`,
    [
      carrierCode,
      consignmentId,
      identifiers.map(({ kind }) => kind),
      identifiers.map(({ value }) => value),
      identifiers.map(({ position }) => position ?? null),
    ],
  );
};

export interface NewDispatch {
  readonly consignmentId: number;
  readonly operation: OperationName;
  readonly profileHash: string;
  readonly accountId: number | undefined;
  readonly inputs: Inputs;
  /** For an update: the order that becomes the consignment's when the carrier has accepted it. */
  readonly orderText?: string | undefined;
  /** With it: what subscriptions may ask for that order by. */
  readonly orderTypes?: readonly string[] | undefined;
}

/** Writes a dispatch and the job that will take it up; yields its id. */
export const addDispatch = async (client: PoolClient, dispatch: NewDispatch): Promise<number> => {
  const { rows } = await client.query<{ id: number }>(
    `insert into dispatches (consignment_id, operation, profile_hash, account_id, input, order_text, order_types)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [
      dispatch.consignmentId,
      dispatch.operation,
      dispatch.profileHash,
      dispatch.accountId ?? null,
      JSON.stringify(dispatch.inputs),
      dispatch.orderText ?? null,
      dispatch.orderTypes ?? null,
    ],
  );
  if (rows[0] === undefined) throw new Error('insert … returning gave no row');
  const { id } = rows[0];
  await writeOutbox(client, [{ queue: 'dispatch', jobId: dispatchJobId(id, 1) }]);
  return id;
};

/** `d-<dispatch>-a<n>`: deterministic, so that a second relay or the reconciler adds no second job. */
export const dispatchJobId = (dispatchId: number, attempt: number): string => `d-${dispatchId}-a${attempt}`;

export const parseDispatchJobId = (jobId: string): number | undefined => {
  const id = /^d-(\d{1,15})-a\d{1,9}$/.exec(jobId)?.[1];
  return id === undefined ? undefined : Number(id);
};
