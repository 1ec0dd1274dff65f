/** Accepts creates in batches: those that arrive while one statement runs are written by the next. */
import { DatabaseError, type Pool } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { mapInPieces } from '../../engine/large.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import type { Chosen } from '../../engine/policy/chosen.ts';
import { createPoolBatcher } from './batch.ts';
import { type ConsignmentRecord, EVENT_COUNTS, findConsignment, findConsignmentById } from './consignments.ts';
import { noteWaiting } from './cut-short.ts';
import { type Claim, ClaimLost, isKnown } from './idempotency.ts';
import { ownedBy } from './shippers.ts';
import { IS_USABLE, isUsable, USE } from './slots.ts';
import { queryPrepared, queryFirst, rowsOf, sql } from './sql.ts';
import { ASSIGNED_TO, assignedNumbersOf, type Assigning, deleteStale, findHolder } from './tracking-numbers.ts';

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
  /** Random, of this one try: by it the try is known again (see `cut-short.ts`). */
  readonly seed: string;
  /** Its key is taken with it. Undefined: the request has no `Idempotency-Key`. */
  readonly claim?: Claim | undefined;
  /** The `traceparent` of the request, where there is one. */
  readonly trace?: string | undefined;
  /** The slot reserved for it. */
  readonly slotToken?: string | undefined;
  /** Of an order that names a policy. */
  readonly chosen?: ChosenInputs | undefined;
}

/** What a policy chose, and who is asked next. */
export type ChosenInputs = Pick<Inputs, 'next' | 'patienceMs'> & { readonly choice: Chosen };

interface Accepted {
  readonly consignmentId: number;
  readonly dispatchId: number;
}

/** What names one consignment alone is in use. */
export interface Duplicate {
  readonly kind: 'duplicate';
  readonly name: 'reference' | 'consignment_number' | 'tracking_number';
  /** Of the order. */
  readonly field: string;
  readonly value: string;
  /** By this one. */
  readonly existing: ConsignmentRecord;
}

/** `slot_taken`: its reserved slot may not be used any more. */
export type AcceptedCreate = (Accepted & { readonly kind: 'accepted' }) | Duplicate | { readonly kind: 'slot_taken' };

/**
 * Records a consignment to be created at its carrier. Of many at once with one reference, consignment number or tracking
 * number that the shipper gave, or one reserved slot, exactly one is accepted.
 * `ClaimLost` where the key is known.
 */
export const acceptCreate = async (pool: Pool, order: NewConsignment): Promise<AcceptedCreate> => {
  const written = await write(pool, order).catch(takenMeanwhile);
  if (written.consignmentId !== undefined && written.dispatchId !== undefined)
    return { kind: 'accepted', consignmentId: written.consignmentId, dispatchId: written.dispatchId };
  if (written.isKeyKnown) throw new ClaimLost('the key is known');
  const unanswered = await findUnanswered(pool, order);
  if (unanswered !== undefined) return { kind: 'accepted', ...unanswered };
  const duplicate = await findDuplicate(pool, order);
  if (duplicate !== undefined) return duplicate;
  if (order.slotToken !== undefined && !(await isUsable(pool, order.slotToken))) return { kind: 'slot_taken' };
  // Released between the two: what it needs is free again.
  return await acceptCreate(pool, order);
};

/** Of what names an order alone, the first that is another's. */
const findDuplicate = async (pool: Pool, order: NewConsignment): Promise<Duplicate | undefined> => {
  const { shipperId, environment, referenceNumber, consignment } = order;
  const { consignmentNumber } = consignment;
  const sameReference = await findConsignment(pool, shipperId, environment, referenceNumber);
  if (sameReference !== undefined) return duplicate('reference', 'referenceNumber', referenceNumber, sameReference);
  const numbered = await queryFirst<{ id: number }>(pool)`
    select id from consignments
    where ${ownedBy(order)} and consignment_number = ${consignmentNumber} and released_at is null limit 1`;
  const sameNumber = numbered && (await findConsignmentById(pool, numbered.id));
  return sameNumber === undefined
    ? await findNumberDuplicate(pool, order)
    : duplicate('consignment_number', 'consignmentNumber', consignmentNumber, sameNumber);
};

/** Another live consignment that has a tracking number which the shipper gives to a package. */
export const findNumberDuplicate = async (pool: Pool, assigning: Assigning): Promise<Duplicate | undefined> => {
  const holder = await findHolder(pool, assigning);
  const existing = holder && (await findConsignmentById(pool, holder.consignmentId));
  if (existing === undefined) return undefined;
  const field = `packageDetails[${holder?.position}].trackingDetails[0].trackingNumber`;
  return duplicate('tracking_number', field, holder?.value ?? '', existing);
};

const duplicate = (name: Duplicate['name'], field: string, value: string, existing: ConsignmentRecord): Duplicate => ({
  kind: 'duplicate',
  name,
  field: `consignmentDetails.${field}`,
  value,
  existing,
});

interface Written extends Partial<Accepted> {
  readonly isKeyKnown: boolean;
}

/** Another try has taken the key, or another order a number, since the statement began. */
const takenMeanwhile = (thrown: unknown): Written => {
  const { constraint } = thrown instanceof DatabaseError ? thrown : {};
  if (constraint === 'idempotency_keys_pkey') return { isKeyKnown: true };
  if (constraint === 'assigned_numbers_pkey') return { isKeyKnown: false };
  throw thrown;
};

const AT_ONCE = 128;
/** Whoever would have to wait longer is better told so: nothing of theirs is recorded then. */
const WAIT_MAX_MS = 3_000;

/** The order as the statement takes it. */
const rowOf = ({ consignment, service, claim, chosen, orderTypes, ...order }: NewConsignment, at: number) => ({
  ...order,
  at,
  orderTypes: orderTypes.join(),
  orderNumber: consignment.orderNumber,
  consignmentNumber: consignment.consignmentNumber,
  consignmentType: consignment.typeOfOrder,
  canonical: JSON.stringify(consignment),
  service: JSON.stringify(service),
  key: claim?.key,
  owner: claim?.owner,
  requestHash: claim?.requestHash,
  begunAtMs: claim?.begunAtMs,
  choice: JSON.stringify(chosen?.choice),
  // More inputs of the create, as they go on in JSON.
  next:
    chosen?.next && `,"next":${JSON.stringify(chosen.next)},"patienceMs":${JSON.stringify(chosen.patienceMs ?? null)}`,
});

/** Each part follows from what the one before has written: what is not accepted leaves nothing. */
const writeAll = async (pool: Pool, orders: readonly NewConsignment[]): Promise<readonly Written[]> => {
  const slotted = orders.some(({ slotToken }) => slotToken !== undefined);
  const held = sql`held as materialized (
      select token from slot_reservations r
      where token = any (${orders.flatMap(({ slotToken }) => slotToken ?? [])}::text[]) and ${IS_USABLE}
      order by token for update of r),`;
  const used = sql`used as (
      update slot_reservations r set consignment_id = accepted.consignment_id, ${USE}
      from accepted where r.token = accepted.slot_token),`;
  const wanted = rowsOf(
    'wanted',
    await mapInPieces(orders, rowOf),
    `at int, shipper_id bigint, environment text, reference_number text, order_number text, consignment_number text,
     consignment_type text, order_types text, carrier_code text, account_id bigint, profile_hash text, order_text text,
     canonical text, service text, seed uuid, trace text, key text, owner uuid, request_hash bytea,
     begun_at timestamptz, slot_token text, choice text, next text`,
  );
  const items = orders.flatMap(({ consignment }, at) =>
    consignment.itemList.map(({ itemReferenceNumber: reference }, position) => ({ at, position, reference })),
  );
  const packed = rowsOf('item', items, 'at int, position int, reference text');
  const numbers = orders.flatMap(({ consignment, accountId, carrierCode }, at) =>
    assignedNumbersOf(consignment).map(({ value }) => ({ at, value, accountId, carrierCode })),
  );
  const numbered = numbers.length > 0;
  const assigned = sql`assigned as materialized (
      select n.*, null::bigint as id
      from ${rowsOf('n', numbers, 'at int, value text, account_id bigint, carrier_code text')}),`;
  const kept = sql`stale as (${deleteStale(sql`assigned n`)}),
    numbered as (
      insert into assigned_numbers (account_id, number, consignment_id)
      select n.account_id, value, consignment_id from assigned n join accepted using (at)
        cross join (select count(*) from stale) freed order by n.account_id, value),`;
  return await queryPrepared<Written>(pool)`
    with ${numbered ? assigned : sql``} ${slotted ? held : sql``} wanted as materialized (
      select wanted.*, key is not null and exists (
        select from idempotency_keys k where k.shipper_id = wanted.shipper_id and k.environment = wanted.environment
          and k.key = wanted.key) as is_key_known,
        exists (select from consignments c where c.shipper_id = wanted.shipper_id
          and c.environment = wanted.environment and c.consignment_number = wanted.consignment_number
          and c.released_at is null)
        ${numbered ? sql`or exists (select from assigned n cross join lateral (${ASSIGNED_TO}) holder where n.at = wanted.at)` : sql``}
        ${
          slotted
            ? sql`or slot_token is not null and slot_token not in (select token from held)
          or slot_token is not null and row_number() over (partition by slot_token order by at) > 1`
            : sql``
        }
          as is_taken,
        row_number() over (partition by shipper_id, environment, reference_number order by at) = 1 as is_first
      from ${wanted}),
    made as (
      insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
        consignment_type, order_types, carrier_code, account_id, order_text, canonical, event_counts, choice)
      select shipper_id, environment, reference_number, order_number, consignment_number, consignment_type,
        string_to_array(order_types, ','), carrier_code, account_id, order_text, canonical, coalesce((
          select ${EVENT_COUNTS}::text from consignments c
          where c.shipper_id = wanted.shipper_id and c.environment = wanted.environment
            and c.reference_number = wanted.reference_number and c.released_at is not null
          order by c.id desc limit 1), '{}'), choice
      from wanted where is_first and not is_key_known and not is_taken order by shipper_id, environment, reference_number
      on conflict do nothing
      returning id, shipper_id, environment, reference_number),
    accepted as materialized (
      select wanted.*, made.id as consignment_id from made join wanted using (shipper_id, environment, reference_number)
      where is_first),
    ${numbered ? kept : sql``} ${slotted ? used : sql``}
    begun as (
      insert into idempotency_keys (shipper_id, environment, key, owner, request_hash, created_at)
      select shipper_id, environment, key, owner, request_hash, begun_at from accepted where key is not null),
    packed as (
      insert into packages (consignment_id, position, reference)
      select consignment_id, position, reference from ${packed} join accepted using (at)),
    named as (
      insert into identifiers (carrier_code, kind, value, consignment_id)
      select carrier_code, name.kind, name.value, consignment_id
      from accepted cross join lateral (values
        ('Reference', reference_number), ('Order', order_number), ('Consignment', consignment_number)) as name (kind, value)),
    dispatched as (
      insert into dispatches (consignment_id, operation, profile_hash, account_id, input, by_reference, seed, trace)
      select consignment_id, 'create', profile_hash, account_id,
        -- What may go on to another carrier becomes that one's consignment by then.
        case when next is null then concat('{', '"service":' || service, '}')
          else concat('{"consignment":', canonical, ',"service":' || service, next, '}') end,
        next is null, seed, trace
      from accepted returning id, consignment_id),
    acted as (
      insert into request_acts (shipper_id, environment, key, consignment_id, dispatch_id)
      select shipper_id, environment, key, consignment_id, dispatched.id
      from accepted join dispatched using (consignment_id) where key is not null)
    select wanted.is_key_known, accepted.consignment_id, dispatched.id as dispatch_id
    from wanted left join accepted using (at) left join dispatched using (consignment_id) order by at`;
};

const write = createPoolBatcher(writeAll, {
  max: AT_ONCE,
  waitMaxMs: WAIT_MAX_MS,
  sizeOf: ({ orderText }) => 3 * orderText.length,
});

/**
 * Where it is an earlier try of the very same order that stands in its way, which was cut short: what that has accepted.
 * `ClaimLost` where that had the same key. Undefined: the reference is another order's, its client was told of it, or it
 * was cancelled since.
 */
const findUnanswered = async (pool: Pool, order: NewConsignment): Promise<Accepted | undefined> => {
  if (order.claim !== undefined && (await isKnown(pool, order.claim))) throw new ClaimLost('the key is known');
  const find = async () =>
    await queryFirst<Accepted>(pool)`
    select c.id as consignment_id, d.id as dispatch_id
    from consignments c join dispatches d on d.id = (select min(id) from dispatches where consignment_id = c.id)
    where ${ownedBy(order)} and reference_number = ${order.referenceNumber} and released_at is null
      and acceptance <> 'cancelled' and c.order_text = ${order.orderText} and seed in (select try from cut_short)`;
  return (await find()) ?? ((await noteWaiting(pool)) ? await find() : undefined);
};
