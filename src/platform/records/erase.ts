/** Erasing a person's data from all that is recorded of a reference. The numbers stay, so that books still balance. */
import type { Pool, PoolClient } from 'pg';
import {
  consignmentWithoutPerson,
  noticeWithoutPerson,
  orderWithoutPerson,
} from '../../engine/consignment/without-person.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { recordAudit } from './audit.ts';
import { transaction } from './pool.ts';
import { execute, queryAll, queryOne } from './sql.ts';

export interface Erasure {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  readonly referenceNumber: string;
}

/** How much there is to erase, or was erased. */
interface Erased {
  readonly consignments: number;
  readonly dispatches: number;
  readonly exchanges: number;
  readonly labels: number;
  readonly events: number;
  readonly notices: number;
  readonly idempotencyKeys: number;
  /** What the carrier said of it and no consignment was found for. */
  readonly unmatchedEvents: number;
  readonly unreadPushes: number;
}

export type ErasureOutcome =
  | { readonly kind: 'counted' | 'erased'; readonly erased: Erased }
  | { readonly kind: 'unknown' }
  /** A dispatch is under way or held: it needs the address still. */
  | { readonly kind: 'busy'; readonly dispatchIds: readonly number[] };

/** All consignments that had this reference, those that a carrier refused included. Without `apply` it only counts. */
export const erasePerson = async (
  pool: Pool,
  { shipperId, environment, referenceNumber }: Erasure,
  { apply }: { readonly apply: boolean },
): Promise<ErasureOutcome> =>
  await transaction(pool, async (client): Promise<ErasureOutcome> => {
    const found = await queryAll<{ id: number }>(
      client,
      `select id from consignments where shipper_id = $1 and environment = $2 and reference_number = $3
       order by id for update`,
      [shipperId, environment, referenceNumber],
    );
    const ids = found.map(({ id }) => id);
    if (ids.length === 0) return { kind: 'unknown' };
    const open = await queryAll<{ id: number }>(
      client,
      `select id from dispatches where consignment_id = any ($1::bigint[])
         and state in ('pending', 'sending', 'waiting', 'held') order by id`,
      [ids],
    );
    if (open.length > 0) return { kind: 'busy', dispatchIds: open.map(({ id }) => id) };
    const keys = [shipperId, environment, JSON.stringify(referenceNumber)];
    const strays = await findStrays(client, ids);
    const erased = {
      ...(await count(client, ids, keys)),
      unmatchedEvents: strays.events.length,
      unreadPushes: strays.unread.length,
    };
    if (!apply) return { kind: 'counted', erased };
    await eraseRows(client, ids, keys);
    await eraseStrays(client, strays);
    for (const id of ids)
      await recordAudit(client, { actor: 'command', action: 'erase', subject: `consignment:${id}` });
    return { kind: 'erased', erased };
  });

// An answer names the reference as JSON does, in quotes.
const KEYS_OF = 'shipper_id = $1 and environment = $2 and position($3 in body) > 0';

const count = async (
  client: PoolClient,
  ids: readonly number[],
  keys: readonly unknown[],
): Promise<Omit<Erased, 'unmatchedEvents' | 'unreadPushes'>> => {
  const of = async (from: string, values: readonly unknown[]): Promise<number> =>
    (await queryOne<{ count: number }>(client, `select count(*) as count from ${from}`, values)).count;
  const own = async (table: string) => await of(`${table} where consignment_id = any ($1::bigint[])`, [ids]);
  return {
    consignments: ids.length,
    dispatches: await own('dispatches'),
    exchanges: await own('exchanges'),
    labels: await own('labels'),
    events: await own('events'),
    notices: await own('notices'),
    idempotencyKeys: await of(`idempotency_keys where ${KEYS_OF}`, keys),
  };
};

const OF_DISPATCHES = 'dispatch_id in (select id from dispatches where consignment_id = any ($1::bigint[]))';

/** What stands in the records with nothing to be kept but its numbers; `$1`: the consignments. */
const ERASURES = [
  // Without the address a carrier could not be asked as its profile wants to ask.
  'update packages set poll_at = null where consignment_id = any ($1::bigint[])',
  `update dispatches set input = '{}', order_text = null, result = null,
     failure = case when failure is null then null
       else jsonb_set(failure::jsonb, '{problem,messages}', '[]')::text end
   where consignment_id = any ($1::bigint[])`,
  `update calls set answer = null, verdict = null where ${OF_DISPATCHES}`,
  `delete from draws where ${OF_DISPATCHES}`,
  `delete from exchanges where consignment_id = any ($1::bigint[]) or ${OF_DISPATCHES}`,
  'delete from labels where consignment_id = any ($1::bigint[])',
  // A push may tell of other consignments as well: their events are made already, only its raw bytes go.
  `update pushes set body = '', request = '{}'
   where state = 'done' and id in (select push_id from events where consignment_id = any ($1::bigint[]))`,
  `update events set body = '{}', carrier_description = '', warnings = '[]' where consignment_id = any ($1::bigint[])`,
  `update delivery_attempts set message = null where delivery_id in (
     select d.id from deliveries d join notices n on n.id = d.notice_id
     where n.consignment_id = any ($1::bigint[]))`,
  // Remarks of cancels and retries.
  `update audit_log set detail = null where subject in (select 'consignment:' || id from unnest($1::bigint[]) as id)`,
];

type Json = Record<string, unknown>;

const eraseRows = async (client: PoolClient, ids: readonly number[], keys: readonly unknown[]): Promise<void> => {
  const consignments = await queryAll<{ id: number; order: Json; canonical: Json }>(
    client,
    `select id, order_text::json as order, canonical::json as canonical from consignments where id = any ($1::bigint[])`,
    [ids],
  );
  for (const { id, order, canonical } of consignments) {
    await execute(client, 'update consignments set order_text = $2, canonical = $3, updated_at = now() where id = $1', [
      id,
      JSON.stringify(orderWithoutPerson(order)),
      JSON.stringify(consignmentWithoutPerson(canonical)),
    ]);
  }
  for (const statement of ERASURES) await execute(client, statement, [ids]);
  const notices = await queryAll<{ id: string; body: Json }>(
    client,
    'select id, body::json as body from notices where consignment_id = any ($1::bigint[])',
    [ids],
  );
  for (const { id, body } of notices)
    await execute(client, 'update notices set body = $2 where id = $1', [
      id,
      JSON.stringify(noticeWithoutPerson(body)),
    ]);
  await execute(client, `delete from idempotency_keys where ${KEYS_OF}`, keys);
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
  const names = await queryAll<{ carrier: string; values: string[] }>(
    client,
    `select carrier_code as carrier, array_agg(distinct value) as values from identifiers
     where consignment_id = any ($1::bigint[]) and kind <> 'Order' group by carrier_code`,
    [ids],
  );
  const found = { events: [] as number[], pushes: [] as number[], unread: [] as number[] };
  for (const { carrier, values } of names) {
    const events = await queryAll<{ id: number; pushId: number }>(
      client,
      `select id, push_id from events where match <> 'matched' and consignment_id is null and carrier_code = $1
         and (sought_value = any ($2::text[]) or body::jsonb ->> 'value' = any ($2::text[])
           or body::jsonb ->> 'consignmentNumber' = any ($2::text[])) order by id`,
      [carrier, values],
    );
    const unread = await queryAll<{ id: number }>(
      client,
      `select id from pushes where state = 'failed' and carrier_code = $1 and exists (
         select 1 from unnest($2::text[]) as value where position(convert_to(value, 'UTF8') in body) > 0) order by id`,
      [carrier, values.filter((value) => value.length >= TELLING)],
    );
    found.events.push(...events.map(({ id }) => id));
    found.pushes.push(...events.map(({ pushId }) => pushId));
    found.unread.push(...unread.map(({ id }) => id));
  }
  return found;
};

/** The events go, as they are nobody's; of a push only what it said. */
const eraseStrays = async (client: PoolClient, { events, pushes, unread }: Strays): Promise<void> => {
  await execute(client, 'delete from events where id = any ($1::bigint[])', [events]);
  await execute(
    client,
    `update pushes set body = '', request = '{}', failure = null where state <> 'pending' and id = any ($1::bigint[])`,
    [[...pushes, ...unread]],
  );
};
