import type { PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { Cancelled } from '../../engine/dispatch/result.ts';
import type { Order } from '../../engine/consignment/order.ts';
import type { Problem } from '../../engine/failure.ts';
import { type Chosen, orderFor, takenOf } from '../../engine/policy/chosen.ts';
import type { NormalisedStatus } from '../../engine/statuses/status.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import { STANDS, type Stands } from './acceptance.ts';
import { createPoolBatcher } from './batch.ts';
import type { RequestAct } from './idempotency.ts';
import { type Owner, ownedBy } from './shippers.ts';
import {
  camelCase,
  countRows,
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
  readonly failureCode: string | undefined;
}

/** What changes of a consignment are made of. */
export interface ConsignmentState extends Owner {
  readonly id: number;
  /** Grows with every change: one that was made of an older version is not written. */
  readonly version: number;
  /** The last number given to a notice of it. */
  readonly noticeSequence: number;
  /** How often each event was told of its reference, by the event's name. */
  readonly eventCounts: Readonly<Record<string, number>>;
  readonly referenceNumber: string;
  readonly orderNumber: string;
  readonly consignmentNumber: string;
  readonly consignmentType: 'FORWARD' | 'REVERSE';
  readonly orderTypes: readonly string[];
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  /** Of an order that names a policy. */
  readonly choice: Chosen | undefined;
  /** What the carrier has said; shippers are told how it `stands`. */
  readonly acceptance: 'pending' | 'accepted' | 'rejected' | 'cancelled';
  readonly status: NormalisedStatus;
  readonly masterTrackingNumber: string | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly packages: readonly PackageRecord[];
  /** By package, that for all packages last. */
  readonly labels: readonly LabelEntry[];
}

/** What replies tell of. */
export interface ShownConsignment extends ConsignmentState {
  readonly stands: Stands;
  /** JSON: the shipper's order as last accepted. */
  readonly orderText: string;
}

export interface ConsignmentRecord extends ShownConsignment {
  /** JSON: the canonical consignment as last accepted. */
  readonly canonicalText: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Of a consignment `c`; those from before they were counted have their notices. */
export const EVENT_COUNTS = sql`coalesce(c.event_counts::json, (select coalesce(json_object_agg(event, times), '{}') from (
  select event, count(*) as times from notices where consignment_id = c.id group by event) told))`;

const STATE = sql`c.id, version, notice_sequence, shipper_id, environment, reference_number, order_number,
  consignment_number, consignment_type, order_types, carrier_code, account_id, choice::json as choice, acceptance, status,
  master_tracking_number, memo::json as memo, ${EVENT_COUNTS} as event_counts,
  (select json_agg(json_build_object('position', position, 'reference', reference, 'trackingNumber', tracking_number,
      'status', status, 'reason', reason, 'statusAtMs', floor(extract(epoch from status_at) * 1000),
      'memo', memo::json) order by position)
    from packages where consignment_id = c.id) as packages,
  (select json_agg(json_build_object('id', id, 'position', position, 'state', state, 'format', format,
      'failure', failure, 'failureCode', failure_code) order by position, created_at, id)
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
interface ActedUpon extends ShownConsignment {
  /** Empty where it says nothing of labels or offers, for which replies look at it: it may be large. */
  readonly orderText: string;
  readonly dispatch:
    | {
        readonly operation: OperationName;
        readonly state: string;
        readonly failure: { readonly problem: Problem } | null;
        readonly cancelled: Cancelled | null;
      }
    | undefined;
}

/** What replies tell of, read for all whose dispatches ended while the last ones were read. Undefined: it is gone. */
export const findActedUpon = createPoolBatcher<RequestAct, ActedUpon | undefined>(
  async (pool, acts) => {
    const numbered = acts.map((act, at) => ({ ...act, at }));
    const act = rowsOf('act', numbered, 'at int, consignment_id bigint, dispatch_id bigint');
    const rows = await queryAll<ActedUpon & { at: number }>(pool)`
      select at, ${STATE}, ${STANDS} as stands, case when strpos(order_text, '"ZPL"') + strpos(order_text, '"labelUrl"') + strpos(order_text, '"offerId"') > 0
        then order_text else '' end as order_text, (select json_build_object('operation', operation, 'state', state, 'failure', failure::json,
          'cancelled', case when operation = 'cancel' then result::json end)
        from dispatches where id = dispatch_id) as dispatch
      from ${act} join consignments c on c.id = act.consignment_id`;
    const byPlace = new Map(rows.map((row) => [row.at, whole(row)]));
    return acts.map((_, at) => byPlace.get(at));
  },
  { max: 256 },
);

const find = async (client: Queryable, where: Sql): Promise<ConsignmentRecord | undefined> => {
  const found = await queryFirst<ConsignmentRecord>(client)`
    select ${STATE}, order_text, ${STANDS} as stands, canonical as canonical_text, created_at as created_at_ms, updated_at as updated_at_ms
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

/** How many it has had of a carrier since then; those that it refused or that were cancelled do not count. */
export const countCreated = async (
  pool: Queryable,
  owner: Owner,
  { carrierCode, sinceMs, upTo }: { readonly carrierCode: string; readonly sinceMs: number; readonly upTo: number },
): Promise<number> =>
  await countRows(
    pool,
    sql`(select from consignments where ${ownedBy(owner)} and carrier_code = ${carrierCode}
      and created_at >= ${new Date(sinceMs)} and acceptance in ('pending', 'accepted') limit ${upTo}) got`,
  );

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
  packages: record.packages
    // Of those that are missing of a create the carrier knows nothing.
    .filter((one, _, all) => one.trackingNumber !== undefined || all.every((each) => each.trackingNumber === undefined))
    .map(({ reference, trackingNumber, memo }) => ({ itemReferenceNumber: reference, trackingNumber, memo })),
});

/** The order as its carrier has it: where it names a policy, with what that chose. */
export const orderOf = ({ orderText, choice }: Pick<ConsignmentRecord, 'orderText' | 'choice'>): Order => {
  const order = JSON.parse(orderText) as Order;
  return choice === undefined ? order : orderFor(order, takenOf(choice));
};

export const canonicalOf = (record: ConsignmentRecord): Consignment => JSON.parse(record.canonicalText) as Consignment;
