/** Lists the consignments of one shipper or of all, page by page. */
import type { Pool } from 'pg';
import type { Acceptance } from '../../engine/consignment/reply.ts';
import { KINDS } from '../../engine/statuses/match.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { SubscribedOrderType } from '../../engine/webhooks/subscription.ts';
import { isOneOf, STANDS_BRIEFLY, standsAs } from './acceptance.ts';
import type { ConsignmentRecord } from './consignments.ts';
import { idsNamed } from './identifiers.ts';
import type { Owner } from './shippers.ts';
import { dateOf, join, queryAll, raw, sql, type Sql } from './sql.ts';

/** All of it must fit; without an owner they are those of all shippers. */
export interface ConsignmentFilter {
  readonly shipperId?: number | undefined;
  readonly environment?: Owner['environment'] | undefined;
  readonly status?: NormalisedStatus | undefined;
  readonly acceptance?: Acceptance | undefined;
  readonly carrierCode?: string | undefined;
  readonly consignmentType?: ConsignmentRecord['consignmentType'] | undefined;
  readonly orderType?: SubscribedOrderType | undefined;
  /** One that a package, or the whole, has or had. */
  readonly trackingNumber?: string | undefined;
  readonly orderNumber?: string | undefined;
  readonly consignmentNumber?: string | undefined;
  readonly referencePrefix?: string | undefined;
  /** One of its numbers: the shipper's, or a tracking number. */
  readonly number?: string | undefined;
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

export interface ListedConsignment extends Omit<
  ConsignmentRecord,
  | 'shipperId'
  | 'version'
  | 'noticeSequence'
  | 'accountId'
  | 'acceptance'
  | 'orderText'
  | 'canonicalText'
  | 'memo'
  | 'packages'
  | 'labels'
> {
  readonly shipper: string;
  /** When it was created, to the microsecond. */
  readonly createdUs: string;
  readonly packages: readonly {
    readonly packageId: string;
    readonly status: NormalisedStatus;
    readonly trackingNumber?: string;
  }[];
}

/**
 * Consignments that fit all of the filter, the newest first. The order is that of creation and never changes, so a page
 * begins where the one before ended, whatever was created or changed in between.
 */
export const listConsignments = async (
  pool: Pool,
  filter: ConsignmentFilter,
  paging: Paging,
): Promise<readonly ListedConsignment[]> => await queryAll<ListedConsignment>(pool)`${pageQuery(filter, paging)}`;

const ENVIRONMENTS = ['production', 'sandbox'] as const;

/** A condition on a value, where it is given. */
const where = (value: unknown, condition: Sql): Sql => (value === undefined ? sql`` : sql` and ${condition}`);

/** Literal, as in the indexes of the order types that are few. */
const isOfType = (orderType: SubscribedOrderType): Sql => raw(`'${orderType}' = any (order_types)`);

/** Consignments `c` that carriers or shippers call so, where it is given. */
const named = (name: string | undefined, ...kinds: readonly string[]): Sql =>
  where(name, isOneOf(idsNamed(name ?? '', ...kinds)));

/** The conditions on a consignment `c` of a filter. Only what is asked for is in it, so that each finds its index. */
const fits = (filter: ConsignmentFilter): Sql => {
  const { shipperId, environment, status, acceptance, carrierCode, orderType } = filter;
  const { consignmentType, referencePrefix, number, fromMs, beforeMs } = filter;
  return sql`true
    ${named(filter.trackingNumber, 'Tracking')} ${named(filter.orderNumber, 'Order')}
    ${named(filter.consignmentNumber, 'Consignment')} ${named(number, ...KINDS)}
    ${where(consignmentType, sql`consignment_type = ${consignmentType}`)}
    ${where(shipperId, sql`shipper_id = ${shipperId}`)} ${where(environment, sql`environment = ${environment}`)}
    ${where(status, sql`status = ${status}`)} ${where(acceptance, standsAs(acceptance ?? 'accepted'))}
    ${where(carrierCode, sql`carrier_code = ${carrierCode}`)} ${where(orderType, isOfType(orderType ?? 'FORWARD'))}
    ${where(referencePrefix, sql`reference_number collate "C" ^@ ${referencePrefix}::text`)}
    ${where(fromMs, sql`created_at >= ${dateOf(fromMs)}`)} ${where(beforeMs, sql`created_at < ${dateOf(beforeMs)}`)}`;
};

/** The statement of a page. */
export const pageQuery = (filter: ConsignmentFilter, { after, limit }: Paging): Sql => {
  const place = sql`(timestamptz 'epoch' + ${after?.createdUs}::bigint * interval '1 microsecond',
    ${after?.id}::bigint)`;
  const newest = sql`order by created_at desc, id desc limit ${limit}`;
  const some = (filter: ConsignmentFilter): Sql => sql`(
    select c.id, shipper_id, environment, reference_number, order_number, consignment_number, consignment_type,
      order_types, carrier_code, status, master_tracking_number, created_at, updated_at, ${STANDS_BRIEFLY} as stands
    from consignments c where ${fits(filter)} ${where(after, sql`(created_at, id) < ${place}`)} ${newest})`;
  // The indexes of a shipper's are of one environment.
  const both = filter.shipperId !== undefined && filter.environment === undefined;
  const parts = both ? ENVIRONMENTS.map((environment) => some({ ...filter, environment })) : [some(filter)];
  return sql`
    with page as (select * from (${join(parts, ' union all ')}) found ${newest})
    select page.*, (select code from shippers where id = shipper_id) as shipper, created_at as created_at_ms,
      updated_at as updated_at_ms, (extract(epoch from created_at) * 1000000)::bigint::text as created_us,
      (select coalesce(json_agg(json_strip_nulls(json_build_object(
          'packageId', p.reference, 'status', p.status, 'trackingNumber', p.tracking_number)) order by p.position),
            '[]')
      from packages p where p.consignment_id = page.id) as packages
    from page order by created_at desc, id desc`;
};
