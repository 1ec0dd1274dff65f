/** A shipper's consignments, the newest first, a page at a time. */
import type { Pool } from 'pg';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import type { Acceptance, ConsignmentRecord } from './consignments.ts';
import { dateOf, queryAll, sql, type Sql } from './sql.ts';

interface ConsignmentFilter {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
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
export interface Place {
  readonly createdUs: string;
  readonly id: string;
}

type Paging = { readonly after: Place | undefined; readonly limit: number };

interface ListedConsignment extends Omit<
  ConsignmentRecord,
  'shipperId' | 'environment' | 'orderTypes' | 'accountId' | 'orderText' | 'canonicalText' | 'memo' | 'packages'
> {
  readonly packages: readonly {
    readonly packageId: string;
    readonly status: NormalisedStatus;
    readonly trackingNumber?: string;
  }[];
}

interface ConsignmentPage {
  readonly consignments: readonly ListedConsignment[];
  /** Undefined: this is the last page. */
  readonly next: Place | undefined;
}

/**
 * Those that fit all of the filter. The order is that of creation and never changes, so a page begins where the one
 * before ended, whatever was created or changed in between.
 */
export const listConsignments = async (
  pool: Pool,
  filter: ConsignmentFilter,
  { after, limit }: Paging,
): Promise<ConsignmentPage> => {
  const rows = await queryAll<ListedConsignment & { createdUs: string }>(pool)`
    ${pageQuery(filter, { after, limit: limit + 1 })}`;
  const consignments = rows.slice(0, limit);
  const last = rows.length > limit ? consignments.at(-1) : undefined;
  return { consignments, next: last && { createdUs: last.createdUs, id: String(last.id) } };
};

/** A condition on a value, where it is given. */
const where = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql` and ${condition}`);

/** The statement of a page. Only what is asked for is in it, so that each filter finds its index. */
export const pageQuery = (
  { shipperId, environment, status, acceptance, carrierCode, referencePrefix, fromMs, beforeMs }: ConsignmentFilter,
  { after, limit }: Paging,
): Sql => {
  const place = sql`(timestamptz 'epoch' + ${after?.createdUs}::bigint * interval '1 microsecond',
    ${after?.id}::bigint)`;
  return sql`
    with page as (
      select id, reference_number, order_number, consignment_number, consignment_type, carrier_code, acceptance, status,
        master_tracking_number, created_at, updated_at
      from consignments where shipper_id = ${shipperId} and environment = ${environment}
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
