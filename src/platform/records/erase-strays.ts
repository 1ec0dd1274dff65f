/** What a carrier said of a consignment without its being found, as far as it can be told to be of that one. */
import type { PoolClient } from 'pg';

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
export const findStrays = async (client: PoolClient, ids: readonly number[]): Promise<Strays> => {
  const { rows: names } = await client.query<{ carrier_code: string; values: string[] }>(
    `select carrier_code, array_agg(distinct value) as values from identifiers
     where consignment_id = any ($1::bigint[]) and kind <> 'Order' group by carrier_code`,
    [ids],
  );
  const found: Strays[] = [];
  for (const { carrier_code: carrier, values } of names) {
    const events = await client.query<{ id: number; push_id: number }>(
      `select id, push_id from events where match <> 'matched' and consignment_id is null and carrier_code = $1
         and (sought_value = any ($2::text[]) or body::jsonb ->> 'value' = any ($2::text[])
           or body::jsonb ->> 'consignmentNumber' = any ($2::text[])) order by id`,
      [carrier, values],
    );
    const unread = await client.query<{ id: number }>(
      `select id from pushes where state = 'failed' and carrier_code = $1 and exists (
         select 1 from unnest($2::text[]) as value where position(convert_to(value, 'UTF8') in body) > 0) order by id`,
      [carrier, values.filter((value) => value.length >= TELLING)],
    );
    found.push({
      events: events.rows.map(({ id }) => id),
      pushes: events.rows.map(({ push_id: id }) => id),
      unread: unread.rows.map(({ id }) => id),
    });
  }
  return {
    events: found.flatMap(({ events }) => events),
    pushes: found.flatMap(({ pushes }) => pushes),
    unread: found.flatMap(({ unread }) => unread),
  };
};

export const countOf = ({ events, unread }: Strays) => ({
  unmatchedEvents: events.length,
  unreadPushes: unread.length,
});

/** The events go, as they are nobody's; of a push only what it said. */
export const eraseStrays = async (client: PoolClient, { events, pushes, unread }: Strays): Promise<void> => {
  await client.query('delete from events where id = any ($1::bigint[])', [events]);
  await client.query(
    `update pushes set body = '', request = '{}', failure = null where state <> 'pending' and id = any ($1::bigint[])`,
    [[...pushes, ...unread]],
  );
};
