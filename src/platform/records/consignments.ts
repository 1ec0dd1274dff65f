import type { Pool, PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { dateOf, queryAll, type Queryable, queryFirst, sql, type Sql } from './sql.ts';

type Acceptance = 'pending' | 'accepted' | 'rejected' | 'cancelled';

export interface PackageRecord {
  readonly position: number;
  readonly reference: string;
  readonly trackingNumber: string | undefined;
  readonly status: NormalisedStatus;
  readonly reason: string | undefined;
  readonly statusAtMs: number | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
}

export interface ConsignmentRecord extends Owner {
  readonly id: number;
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
  sql`${ownedBy({ shipperId, environment })} and reference_number = ${referenceNumber}`;

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

interface ConsignmentFilter extends Owner {
  readonly status?: NormalisedStatus | undefined;
  readonly acceptance?: Acceptance | undefined;
  readonly carrierCode?: string | undefined;
  readonly referencePrefix?: string | undefined;
  /** Created at that time or later. */
  readonly fromMs?: number | undefined;
  /** Created before that time. */
  readonly beforeMs?: number | undefined;
}

/** Where a page ended: when the last of it was created, to the microsecond, and its id. */
export interface ListPosition {
  readonly createdUs: string;
  readonly id: string;
}
type Paging = { readonly after: ListPosition | undefined; readonly limit: number };

interface ListedConsignment extends Omit<
  ConsignmentRecord,
  keyof Owner | 'orderTypes' | 'accountId' | 'orderText' | 'canonicalText' | 'memo' | 'packages'
> {
  readonly packages: readonly {
    readonly packageId: string;
    readonly status: NormalisedStatus;
    readonly trackingNumber?: string;
  }[];
}

/**
 * A shipper's consignments that fit all of the filter, the newest first; `next` undefined: this is the last page. The
 * order is that of creation and never changes, so a page begins where the one before ended, whatever was created or
 * changed in between.
 */
export const listConsignments = async (pool: Pool, filter: ConsignmentFilter, { after, limit }: Paging) => {
  const rows = await queryAll<ListedConsignment & { createdUs: string }>(pool)`
    ${pageQuery(filter, { after, limit: limit + 1 })}`;
  const consignments: readonly ListedConsignment[] = rows.slice(0, limit);
  const last = rows[limit - 1];
  const next: ListPosition | undefined =
    rows.length > limit && last !== undefined ? { createdUs: last.createdUs, id: String(last.id) } : undefined;
  return { consignments, next };
};

/** A condition on a value, where it is given. */
const where = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql` and ${condition}`);

/** The statement of a page. Only what is asked for is in it, so that each filter finds its index. */
export const pageQuery = (
  { status, acceptance, carrierCode, referencePrefix, fromMs, beforeMs, ...owner }: ConsignmentFilter,
  { after, limit }: Paging,
): Sql => {
  const place = sql`(timestamptz 'epoch' + ${after?.createdUs}::bigint * interval '1 microsecond',
    ${after?.id}::bigint)`;
  return sql`
    with page as (
      select id, reference_number, order_number, consignment_number, consignment_type, carrier_code, acceptance, status,
        master_tracking_number, created_at, updated_at
      from consignments where ${ownedBy(owner)}
        ${where(status, sql`status = ${status}`)} ${where(acceptance, sql`acceptance = ${acceptance}`)}
        ${where(carrierCode, sql`carrier_code = ${carrierCode}`)}
        ${where(referencePrefix, sql`reference_number collate "C" ^@ ${referencePrefix}::text`)}
        ${where(fromMs, sql`created_at >= ${dateOf(fromMs)}`)} ${where(beforeMs, sql`created_at < ${dateOf(beforeMs)}`)}
        ${where(after, sql`(created_at, id) < ${place}`)}
      order by created_at desc, id desc limit ${limit})
    select page.*, created_at as created_at_ms, updated_at as updated_at_ms,
      (extract(epoch from created_at) * 1000000)::bigint::text as created_us,
      (select coalesce(json_agg(json_strip_nulls(json_build_object(
          'packageId', p.reference, 'status', p.status, 'trackingNumber', p.tracking_number)) order by p.position),
            '[]')
      from packages p where p.consignment_id = page.id) as packages
    from page order by created_at desc, id desc`;
};
