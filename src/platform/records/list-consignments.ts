/** Lists of a shipper's consignments, a page at a time. */
import type { Pool } from 'pg';
import type { Acceptance } from '../../engine/consignment/reply.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import { STANDS_BRIEFLY, standsAs } from './acceptance.ts';
import type { ConsignmentRecord } from './consignments.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { dateOf, queryAll, sql, type Sql } from './sql.ts';

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
  | keyof Owner
  | 'version'
  | 'noticeSequence'
  | 'orderTypes'
  | 'accountId'
  | 'acceptance'
  | 'orderText'
  | 'canonicalText'
  | 'memo'
  | 'packages'
  | 'labels'
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
      select id, reference_number, order_number, consignment_number, consignment_type, carrier_code, status,
        master_tracking_number, created_at, updated_at, ${STANDS_BRIEFLY} as stands
      from consignments c where ${ownedBy(owner)}
        ${where(status, sql`status = ${status}`)} ${where(acceptance, standsAs(acceptance ?? 'accepted'))}
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
