import type { Pool, PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import { createPoolBatcher } from './batch.ts';
import type { Act } from './idempotency.ts';
import { type Owner, ownedBy } from './shippers.ts';
import {
  camelCase,
  dateOf,
  execute,
  queryAll,
  type Queryable,
  queryFirst,
  queryPrepared,
  raw,
  rowsOf,
  sql,
  type Sql,
} from './sql.ts';

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

/** A label of a consignment, without its content. */
export interface LabelEntry {
  readonly id: string;
  /** Undefined: one document for all packages. */
  readonly position: number | undefined;
  readonly state: 'pending' | 'stored' | 'failed' | 'revoked';
  readonly format: string | undefined;
  readonly failure: string | undefined;
}

/** What changes of a consignment are made of. */
export interface ConsignmentState extends Owner {
  readonly id: number;
  /** Grows with every change: one that was made of an older version is not written. */
  readonly version: number;
  /** The last number given to a notice of it. */
  readonly noticeSequence: number;
  readonly referenceNumber: string;
  readonly orderNumber: string;
  readonly consignmentNumber: string;
  readonly consignmentType: 'FORWARD' | 'REVERSE';
  readonly orderTypes: readonly string[];
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  readonly acceptance: Acceptance;
  readonly status: NormalisedStatus;
  readonly masterTrackingNumber: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly packages: readonly PackageRecord[];
  /** By package, that for all packages last. */
  readonly labels: readonly LabelEntry[];
}

export interface ConsignmentRecord extends ConsignmentState {
  /** JSON: the shipper's order as last accepted. */
  readonly orderText: string;
  /** JSON: the canonical consignment as last accepted. */
  readonly canonicalText: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const STATE = sql`c.id, version, notice_sequence, shipper_id, environment, reference_number, order_number,
  consignment_number, consignment_type, order_types, carrier_code, account_id, acceptance, status,
  master_tracking_number, memo::json as memo,
  (select json_agg(json_build_object('position', position, 'reference', reference, 'trackingNumber', tracking_number,
      'status', status, 'reason', reason, 'statusAtMs', floor(extract(epoch from status_at) * 1000),
      'memo', memo::json) order by position)
    from packages where consignment_id = c.id) as packages,
  (select json_agg(json_build_object('id', id, 'position', position, 'state', state, 'format', format,
      'failure', failure) order by position, created_at, id)
    from labels where consignment_id = c.id) as labels`;

/** As `json_agg` has them: null for undefined, and for none at all. */
const definedIn = <Row extends object>(rows: readonly Row[] | undefined): readonly Row[] =>
  (rows ?? []).map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as Row,
  );

const whole = <State extends ConsignmentState>(row: State): State => ({
  ...row,
  packages: definedIn(row.packages),
  labels: definedIn(row.labels),
});

/** The state of the consignment with this id, in a column of another statement, to be read by `stateOf`. */
export const stateColumn = (id: Sql): Sql =>
  sql`(select row_to_json(consignment_state) from (select ${STATE} from consignments c where c.id = ${id}) consignment_state)`;

export const stateOf = (column: Readonly<Record<string, unknown>>): ConsignmentState => {
  const entries = Object.entries(column).map(([name, value]) => [camelCase(name), value ?? undefined]);
  return whole(Object.fromEntries(entries) as ConsignmentState);
};

/** As JSON of one array, in a column. */
export interface JsonRows<Name extends string, Row> {
  readonly name: Name;
  readonly select: Sql;
  readonly row?: Row;
}

/** One statement; those that are not there are missing. `more`: what else is there of each, by `c.id`. */
export const readConsignments = async <Name extends string = never, Row extends object = never>(
  client: Queryable,
  ids: readonly number[],
  more?: JsonRows<Name, Row>,
): Promise<ReadonlyMap<number, ConsignmentState & Readonly<Record<Name, readonly Row[]>>>> => {
  const also = more === undefined ? sql`` : sql`, (${more.select}) as ${raw(more.name)}`;
  const rows = await queryPrepared<ConsignmentState & Readonly<Record<Name, readonly Row[]>>>(client)`
    select ${STATE} ${also} from consignments c where c.id = any (${ids}::bigint[])`;
  const all = rows.map((row) => (more === undefined ? row : { ...row, [more.name]: definedIn(row[more.name]) }));
  return new Map(all.map((row) => [row.id, whole(row)]));
};

/** A consignment after something was asked of its carrier, with the dispatch that asked. */
interface ActedUpon extends ConsignmentState {
  readonly dispatch:
    | {
        readonly operation: OperationName;
        readonly state: string;
        readonly failure: { readonly problem: { readonly messages: readonly string[] } } | null;
      }
    | undefined;
}

/** What replies tell of, read for all whose dispatches ended while the last ones were read. Undefined: it is gone. */
export const findActedUpon = createPoolBatcher<Act, ActedUpon | undefined>(
  async (pool, acts) => {
    const act = rowsOf('act', [...acts.entries()], {
      at: ['int', ([at]) => at],
      consignment_id: ['bigint', ([, { consignmentId }]) => consignmentId],
      dispatch_id: ['bigint', ([, { dispatchId }]) => dispatchId],
    });
    const rows = await queryAll<ActedUpon & { at: number }>(pool)`
      select at, ${STATE}, (select json_build_object('operation', operation, 'state', state, 'failure', failure::json)
        from dispatches where id = dispatch_id) as dispatch
      from ${act} join consignments c on c.id = act.consignment_id`;
    const byPlace = new Map(rows.map((row) => [row.at, whole(row)]));
    return acts.map((_, at) => byPlace.get(at));
  },
  { max: 256 },
);

const find = async (client: Queryable, where: Sql): Promise<ConsignmentRecord | undefined> => {
  const found = await queryFirst<ConsignmentRecord>(client)`
    select ${STATE}, order_text, canonical as canonical_text, created_at as created_at_ms, updated_at as updated_at_ms
    from consignments c where ${where}`;
  return found && whole(found);
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

/** Until the transaction ends nobody else changes them. */
export const lockConsignments = async (client: PoolClient, ids: readonly number[]): Promise<void> => {
  await execute(client)`
    select 1 from consignments where id = any (${ids}::bigint[]) order by id for no key update`;
};

/** As `findConsignmentById`, and nobody else changes it until the transaction ends. */
export const lockConsignment = async (client: PoolClient, id: number): Promise<ConsignmentRecord | undefined> => {
  await lockConsignments(client, [id]);
  // A statement of its own: after the wait for the lock, the one above still sees the packages of before.
  return await findConsignmentById(client, id);
};

/** The root `shipment` of a mapping: what the carrier gave us. */
export const shipmentOf = (record: ConsignmentState): Record<string, unknown> => ({
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
  | keyof Owner
  | 'version'
  | 'noticeSequence'
  | 'orderTypes'
  | 'accountId'
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
