/** A shipper's consignments, the newest first, a page at a time. */
import type { Pool } from 'pg';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import type { Acceptance, ConsignmentRecord } from './consignments.ts';

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

type Listed = Pick<
  ConsignmentRecord,
  | 'id'
  | 'referenceNumber'
  | 'orderNumber'
  | 'consignmentNumber'
  | 'consignmentType'
  | 'carrierCode'
  | 'acceptance'
  | 'status'
  | 'masterTrackingNumber'
  | 'createdAtMs'
  | 'updatedAtMs'
>;
interface ListedPackage {
  readonly packageId: string;
  readonly status: NormalisedStatus;
  readonly trackingNumber: string | undefined;
}
export interface ListedConsignment extends Listed {
  readonly packages: readonly ListedPackage[];
}
interface ConsignmentPage {
  readonly consignments: readonly ListedConsignment[];
  /** Undefined: this is the last page. */
  readonly next: Place | undefined;
}

interface Row {
  id: number;
  reference_number: string;
  order_number: string;
  consignment_number: string;
  consignment_type: 'FORWARD' | 'REVERSE';
  carrier_code: string;
  acceptance: Acceptance;
  status: NormalisedStatus;
  master_tracking_number: string | null;
  created_at: Date;
  updated_at: Date;
  created_us: string;
  packages: { reference: string; status: NormalisedStatus; tracking_number: string | null }[];
}

/**
 * Those that fit all of the filter. The order is that of creation and never changes, so a page begins where the one
 * before ended, whatever was created or changed in between.
 */
export const listConsignments = async (
  pool: Pool,
  filter: ConsignmentFilter,
  { after, limit }: { readonly after: Place | undefined; readonly limit: number },
): Promise<ConsignmentPage> => {
  const { text, values } = pageQuery(filter, { after, limit: limit + 1 });
  const { rows } = await pool.query<Row>(text, values);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    consignments: page.map(listedOf),
    next: isMore ? { createdUs: last.created_us, id: String(last.id) } : undefined,
  };
};

/** The statement of a page. Only what is asked for is in it, so that each filter finds its index. */
export const pageQuery = (
  filter: ConsignmentFilter,
  { after, limit }: { readonly after: Place | undefined; readonly limit: number },
): { readonly text: string; readonly values: unknown[] } => {
  const values: unknown[] = [filter.shipperId, filter.environment];
  const conditions = ['shipper_id = $1', 'environment = $2'];
  const where = (condition: (...places: string[]) => string, ...given: unknown[]): void => {
    const places = given.map((value) => `$${values.push(value)}`);
    conditions.push(condition(...places));
  };
  if (filter.status !== undefined) where((status) => `status = ${status}`, filter.status);
  if (filter.acceptance !== undefined) where((acceptance) => `acceptance = ${acceptance}`, filter.acceptance);
  if (filter.carrierCode !== undefined) where((code) => `carrier_code = ${code}`, filter.carrierCode);
  if (filter.referencePrefix !== undefined)
    where((prefix) => `reference_number collate "C" ^@ ${prefix}::text`, filter.referencePrefix);
  if (filter.fromMs !== undefined) where((from) => `created_at >= ${from}`, new Date(filter.fromMs));
  if (filter.beforeMs !== undefined) where((before) => `created_at < ${before}`, new Date(filter.beforeMs));
  if (after !== undefined) {
    where(
      (us, id) => `(created_at, id) < (timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond', ${id}::bigint)`,
      after.createdUs,
      after.id,
    );
  }
  const page = `select id, reference_number, order_number, consignment_number, consignment_type, carrier_code, acceptance,
       status, master_tracking_number, created_at, updated_at
     from consignments where ${conditions.join(' and ')}
     order by created_at desc, id desc limit $${values.push(limit)}`;
  const text = `with page as (${page})
    select page.*, (extract(epoch from created_at) * 1000000)::bigint::text as created_us,
      (select coalesce(json_agg(json_build_object(
           'reference', p.reference, 'status', p.status, 'tracking_number', p.tracking_number) order by p.position), '[]')
       from packages p where p.consignment_id = page.id) as packages
    from page order by created_at desc, id desc`;
  return { text, values };
};

const listedOf = (row: Row): ListedConsignment => ({
  id: row.id,
  referenceNumber: row.reference_number,
  orderNumber: row.order_number,
  consignmentNumber: row.consignment_number,
  consignmentType: row.consignment_type,
  carrierCode: row.carrier_code,
  acceptance: row.acceptance,
  status: row.status,
  masterTrackingNumber: row.master_tracking_number ?? undefined,
  createdAtMs: row.created_at.getTime(),
  updatedAtMs: row.updated_at.getTime(),
  packages: row.packages.map(({ reference, status, tracking_number }) => ({
    packageId: reference,
    status,
    trackingNumber: tracking_number ?? undefined,
  })),
});
