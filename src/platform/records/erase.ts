/** Erases a person’s data from all records of a reference. Numbers are kept, so that accounting still balances. */
import type { Pool, PoolClient } from 'pg';
import {
  choiceWithoutPerson,
  consignmentWithoutPerson,
  noticeWithoutPerson,
  orderWithoutPerson,
  pickupWithoutPerson,
} from '../../engine/consignment/without-person.ts';
import { recordAudit } from './audit.ts';
import { transaction } from './pool.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { countRows, execute, queryAll, rowsOf, sql, type Sql } from './sql.ts';

interface Erasure extends Owner {
  readonly referenceNumber: string;
}

/** How much there is to erase, or was erased. Unmatched: what the carrier said of it without its being found. */
type Erased = Awaited<ReturnType<typeof count>> & { readonly unmatchedEvents: number; readonly unreadPushes: number };

type ErasureOutcome =
  | { readonly kind: 'counted' | 'erased'; readonly erased: Erased }
  | { readonly kind: 'unknown' }
  /** A dispatch is under way or held: it needs the address still. */
  | { readonly kind: 'busy'; readonly dispatchIds: readonly number[] };

/** All consignments that had this reference, and pickups that had it or were for it alone, refused ones included. Without `apply` it only counts. */
export const erasePerson = async (
  pool: Pool,
  erasure: Erasure,
  { apply }: { readonly apply: boolean },
): Promise<ErasureOutcome> =>
  await transaction(pool, async (client): Promise<ErasureOutcome> => {
    const found = await queryAll<{ id: number }>(client)`
      select id from consignments where ${ownedBy(erasure)} and reference_number = ${erasure.referenceNumber}
      order by id for update`;
    const ids = found.map(({ id }) => id);
    const errands = await queryAll<{ id: number }>(client)`
      select id from errands where ${ownedBy(erasure)} and kind = 'pickup' and (reference_number = ${erasure.referenceNumber}
        or request::jsonb -> 'consignments' = to_jsonb(array[${erasure.referenceNumber}]::text[])) order by id for update`;
    const errandIds = errands.map(({ id }) => id);
    if (ids.length + errandIds.length === 0) return { kind: 'unknown' };
    const open = await queryAll<{ id: number }>(client)`
      select id from dispatches where (${dispatchesOf(ids, errandIds)} or ${isManifest(ids)})
        and state in ('pending', 'sending', 'waiting', 'held') order by id`;
    if (open.length > 0) return { kind: 'busy', dispatchIds: open.map(({ id }) => id) };
    const strays = await findStrays(client, ids);
    const erased = {
      ...(await count(client, ids, errandIds, erasure)),
      unmatchedEvents: strays.events.length,
      unreadPushes: strays.unread.length,
    };
    if (!apply) return { kind: 'counted', erased };
    await eraseRows(client, ids, errandIds, erasure);
    await eraseStrays(client, strays);
    for (const id of ids)
      await recordAudit(client, { actor: 'command', action: 'erase', subject: `consignment:${id}` });
    for (const id of errandIds)
      await recordAudit(client, { actor: 'command', action: 'erase', subject: `errand:${id}` });
    return { kind: 'erased', erased };
  });

// An answer names the reference as JSON does, in quotes.
const keysOf = (erasure: Erasure): Sql =>
  sql`idempotency_keys where ${ownedBy(erasure)} and position(${JSON.stringify(erasure.referenceNumber)} in body) > 0`;
const own = (ids: readonly number[]): Sql => sql`consignment_id = any (${ids}::bigint[])`;
const dispatchesOf = (ids: readonly number[], errandIds: readonly number[]): Sql =>
  sql`(${own(ids)} or errand_id = any (${errandIds}::bigint[]))`;
/** Of manifests that name one, which carriers may have answered in words; they were told only numbers. */
const isManifest = (ids: readonly number[]): Sql =>
  sql`errand_id = any (array(select errand_id from manifest_packages where ${own(ids)}))`;

/** Our own lists are drawn of what there is. */
const isCarriers = sql`(content is not null or source_url is not null)`;

const count = async (client: PoolClient, ids: readonly number[], errandIds: readonly number[], erasure: Erasure) => {
  const of = async (from: Sql): Promise<number> => await countRows(client, from);
  return {
    consignments: ids.length,
    pickups: errandIds.length,
    dispatches: await of(sql`dispatches where ${dispatchesOf(ids, errandIds)}`),
    exchanges: await of(sql`exchanges where ${own(ids)} or dispatch_id = any (array(
      select id from dispatches where errand_id = any (${errandIds}::bigint[])))`),
    labels: await of(sql`labels where ${own(ids)}`),
    manifestDocuments: await of(sql`manifest_documents where ${isCarriers} and ${isManifest(ids)}`),
    events: await of(sql`events where ${own(ids)}`),
    notices: await of(sql`notices where ${own(ids)}`),
    idempotencyKeys: await of(keysOf(erasure)),
  };
};

/** What stands in the records with nothing to be kept but its numbers. */
const erasuresOf = (ids: readonly number[], errandIds: readonly number[]): readonly Sql[] => {
  // As an array, so that beside an `or` it is looked up in the index.
  const ofDispatches = sql`dispatch_id = any (array(select id from dispatches where ${dispatchesOf(ids, errandIds)}))`;
  return [
    // Without the address a carrier could not be asked as its profile wants to ask.
    sql`update packages set poll_at = null where ${own(ids)}`,
    sql`update dispatches set input = '{}', by_reference = null, order_text = null, result = null,
          failure = case when failure is null then null
            else jsonb_set(failure::jsonb, '{problem,messages}', '[]')::text end
        where ${dispatchesOf(ids, errandIds)}`,
    sql`update calls set answer = null, verdict = null where ${ofDispatches}`,
    sql`delete from draws where ${ofDispatches}`,
    sql`delete from exchanges where ${own(ids)} or ${ofDispatches}`,
    sql`delete from labels where ${own(ids)}`,
    sql`delete from manifest_documents where ${isCarriers} and ${isManifest(ids)}`,
    sql`delete from exchanges where dispatch_id = any (array(select id from dispatches where ${isManifest(ids)}))`,
    // A push may tell of other consignments as well: their events are made already, only its raw bytes go.
    sql`update pushes set body = '', request = '{}', due_at = null
        where state = 'done' and id in (select push_id from events where ${own(ids)})`,
    sql`update events set body = '{}', carrier_description = '', warnings = '[]' where ${own(ids)}`,
    sql`update delivery_attempts set message = null where delivery_id in (
          select d.id from deliveries d join notices n on n.id = d.notice_id where ${own(ids)})`,
    // Remarks of cancels and retries.
    sql`update audit_log set detail = null
      where subject in (select 'consignment:' || id from unnest(${ids}::bigint[]) as id
        union all select 'errand:' || id from unnest(${errandIds}::bigint[]) as id)`,
  ];
};

type Json = Record<string, unknown>;

const eraseRows = async (
  client: PoolClient,
  ids: readonly number[],
  errandIds: readonly number[],
  erasure: Erasure,
): Promise<void> => {
  const consignments = await queryAll<{ id: number; order: Json; canonical: Json; choice?: Json }>(client)`
    select id, order_text::json as order, canonical::json as canonical, choice::json as choice from consignments
    where id = any (${ids}::bigint[])`;
  const erased = rowsOf(
    'erased',
    consignments.map(({ id, order, canonical, choice }) => ({
      consignmentId: id,
      orderLeft: orderWithoutPerson(order),
      canonicalLeft: consignmentWithoutPerson(canonical),
      choiceLeft: choice && choiceWithoutPerson(choice),
    })),
    'consignment_id bigint, order_left json, canonical_left json, choice_left json',
  );
  await execute(client)`
    update consignments set order_text = order_left, canonical = canonical_left, choice = choice_left, updated_at = now()
    from ${erased} where id = consignment_id`;
  const pickups = await queryAll<{ id: number; request: Json }>(client)`
    select id, request::json as request from errands where id = any (${errandIds}::bigint[])`;
  for (const { id, request } of pickups)
    await execute(client)`
      update errands set request = ${JSON.stringify(pickupWithoutPerson(request))}, result = (result::jsonb - 'memo')::text,
        updated_at = now()
      where id = ${id}`;
  for (const statement of erasuresOf(ids, errandIds)) await execute(client)`${statement}`;
  const notices = await queryAll<{ id: string; body: Json }>(client)`
    select id, body::json as body from notices where ${own(ids)}`;
  const bodies = notices.map(({ body }) => JSON.stringify(noticeWithoutPerson(body)));
  await execute(client)`
    update notices set body = left_over
    from unnest(${notices.map(({ id }) => id)}::text[], ${bodies}::text[]) as erased (notice_id, left_over)
    where id = notice_id`;
  await execute(client)`delete from ${keysOf(erasure)}`;
};

/** What a carrier said of a consignment without its being found, as far as it can be told to be of that one. */
interface Strays {
  readonly events: readonly number[];
  readonly pushes: readonly number[];
  readonly unread: readonly number[];
}

/** In bytes that nobody could read, shorter numbers stand everywhere. */
const TELLING = 6;

/**
 * By the references, consignment numbers and tracking numbers of these consignments, at their carriers: events that
 * name one, with the pushes they came in, and pushes that could not be read in whose bytes one stands. An order number
 * may be that of many, so it tells nothing.
 */
const findStrays = async (client: PoolClient, ids: readonly number[]): Promise<Strays> => {
  const names = await queryAll<{ carrier: string; values: string[] }>(client)`
    select carrier_code as carrier, array_agg(distinct value) as values from identifiers
    where consignment_id = any (${ids}::bigint[]) and kind <> 'Order' group by carrier_code`;
  const found = { events: [] as number[], pushes: [] as number[], unread: [] as number[] };
  for (const { carrier, values } of names) {
    const events = await queryAll<{ id: number; pushId: number }>(client)`
      select id, push_id from events where match <> 'matched' and consignment_id is null and carrier_code = ${carrier}
        and (sought_value = any (${values}::text[]) or body::jsonb ->> 'value' = any (${values}::text[])
          or body::jsonb ->> 'consignmentNumber' = any (${values}::text[])) order by id`;
    const unread = await queryAll<{ id: number }>(client)`
      select id from pushes where state = 'failed' and carrier_code = ${carrier} and exists (
        select 1 from unnest(${values.filter((value) => value.length >= TELLING)}::text[]) as value
        where position(convert_to(value, 'UTF8') in body) > 0) order by id`;
    found.events.push(...events.map(({ id }) => id));
    found.pushes.push(...events.map(({ pushId }) => pushId));
    found.unread.push(...unread.map(({ id }) => id));
  }
  return found;
};

/** The events go, as they are nobody's; of a push only what it said. */
const eraseStrays = async (client: PoolClient, { events, pushes, unread }: Strays): Promise<void> => {
  await execute(client)`delete from events where id = any (${events}::bigint[])`;
  await execute(client)`
    update pushes set body = '', request = '{}', failure = null, due_at = null
    where state <> 'pending' and id = any (${[...pushes, ...unread]}::bigint[])`;
};
