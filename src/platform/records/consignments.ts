import type { PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { queryAll, type Queryable, queryFirst, sql, type Sql } from './sql.ts';

export type Acceptance = 'pending' | 'accepted' | 'rejected' | 'cancelled';

export interface PackageRecord {
  readonly position: number;
  readonly reference: string;
  readonly trackingNumber: string | undefined;
  readonly status: NormalisedStatus;
  readonly reason: string | undefined;
  readonly statusAtMs: number | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
}

export interface ConsignmentRecord {
  readonly id: number;
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  readonly referenceNumber: string;
  readonly orderNumber: string;
  readonly consignmentNumber: string;
  readonly consignmentType: 'FORWARD' | 'REVERSE';
  readonly orderTypes: readonly string[];
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  /** JSON: the shipper's order as last accepted. */
  readonly orderText: string;
  /** JSON: the canonical consignment as last accepted. */
  readonly canonicalText: string;
  readonly acceptance: Acceptance;
  readonly status: NormalisedStatus;
  readonly masterTrackingNumber: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly packages: readonly PackageRecord[];
}

const find = async (client: Queryable, where: Sql): Promise<ConsignmentRecord | undefined> => {
  const found = await queryFirst<Omit<ConsignmentRecord, 'packages'>>(client)`
    select id, shipper_id, environment, reference_number, order_number, consignment_number, consignment_type,
      order_types, carrier_code, account_id, order_text, canonical as canonical_text, acceptance, status,
      master_tracking_number, memo::json as memo, created_at as created_at_ms, updated_at as updated_at_ms
    from consignments where ${where}`;
  if (found === undefined) return undefined;
  // A statement of its own: after the wait for a lock, the one above still sees the packages of before.
  const packages = await queryAll<PackageRecord>(client)`
    select position, reference, tracking_number, status, reason, status_at as status_at_ms, memo::json as memo
    from packages where consignment_id = ${found.id} order by position`;
  return { ...found, packages };
};

const named = (shipperId: number, environment: EnvironmentName, referenceNumber: string): Sql =>
  sql`shipper_id = ${shipperId} and environment = ${environment} and reference_number = ${referenceNumber}`;

/** The shipper's consignment of this reference that is not released; of another shipper's it answers like none. */
export const findConsignment = async (
  client: Queryable,
  ...reference: Parameters<typeof named>
): Promise<ConsignmentRecord | undefined> => await find(client, sql`${named(...reference)} and released_at is null`);

/**
 * The shipper's consignment of this reference; when the reference is free again because its carrier rejected it, the
 * last one that had it. For reading: what changes a consignment asks `findConsignment`.
 */
export const findLastConsignment = async (
  client: Queryable,
  ...reference: Parameters<typeof named>
): Promise<ConsignmentRecord | undefined> =>
  (await findConsignment(client, ...reference)) ??
  (await find(client, sql`${named(...reference)} and released_at is not null order by id desc limit 1`));

export const findConsignmentById = async (client: Queryable, id: number): Promise<ConsignmentRecord | undefined> =>
  await find(client, sql`id = ${id}`);

/** As `findConsignmentById`, and nobody else changes it until the transaction ends. */
export const lockConsignment = async (client: PoolClient, id: number): Promise<ConsignmentRecord | undefined> =>
  await find(client, sql`id = ${id} for update`);

/** The root `shipment` of a mapping: what the carrier gave us. */
export const shipmentOf = (record: ConsignmentRecord): Record<string, unknown> => ({
  trackingNumber: record.masterTrackingNumber ?? record.packages[0]?.trackingNumber,
  memo: record.memo,
  packages: record.packages.map(({ reference, trackingNumber, memo }) => ({
    itemReferenceNumber: reference,
    trackingNumber,
    memo,
  })),
});

export const canonicalOf = (record: ConsignmentRecord): Consignment => JSON.parse(record.canonicalText) as Consignment;
