/** Status events of carriers: written, matched and read. */
import type { Pool } from 'pg';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { TableStatus } from '../../engine/statuses/status.ts';
import type { Match, Name } from '../../engine/statuses/match.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import type { JsonRows } from './consignments.ts';
import { execute, matching, queryAll, rowsOf, sql, type Sql } from './sql.ts';

export interface NewEvent extends NormalisedEvent {
  /** Hex. */
  readonly deduplicationKey: string;
  readonly match: Match;
  readonly soughtBy: Name | undefined;
}

/** An event of a consignment as its packages and notices are made of it. */
export interface MatchedEvent {
  /** Undefined: of the whole consignment. */
  readonly position: number | undefined;
  readonly deduplicationKey: string;
  readonly status: TableStatus;
  readonly reason: string | undefined;
  readonly occurredAtMs: number;
  readonly eventTimezone: string;
  readonly update: StatusUpdate;
}

/** Those of a consignment's shipment as it is now, for `readConsignments`. */
export const eventsOfConsignment = (withBodies: boolean): JsonRows<'events', MatchedEvent> => ({
  name: 'events',
  select: sql`
    select json_agg(json_build_object('position', position, 'deduplicationKey', encode(identity, 'hex'),
      'status', e.status, 'reason', reason, 'occurredAtMs', floor(extract(epoch from occurred_at) * 1000),
      'eventTimezone', event_timezone, 'update', ${withBodies ? sql`body::json` : sql`'{}'::json`}))
    from events e where e.consignment_id = c.id and match = 'matched' and e.gone is not true`,
});

/** Those of a `MatchedEvent`. */
export const MATCHED_EVENT = sql`position, encode(identity, 'hex') as deduplication_key, status, reason,
  occurred_at as occurred_at_ms, event_timezone, body::json as update`;

/** Parts of a `with` that record events of the pushes `push (at, unit, id, carrier_code)` of the units `ready`. */
export const eventParts = (events: readonly (NewEvent & { readonly at: number })[]): Sql => {
  // In one order everywhere: two pushes of the same events must not wait for each other.
  const rows = rowsOf(
    'event',
    events,
    `at int, identity text, match text, sought_kind text, sought_value text, consignment_id bigint, position int,
     status text, reason text, carrier_status text, carrier_sub_status text, carrier_description text,
     occurred_at timestamptz, event_timezone text, warnings json, body json`,
    {
      identity: ({ deduplicationKey }) => deduplicationKey,
      match: ({ match }) => match.kind,
      sought_kind: ({ soughtBy }) => soughtBy?.kind,
      sought_value: ({ soughtBy }) => soughtBy?.value,
      consignment_id: ({ match }) => (match.kind === 'unmatched' ? undefined : match.consignmentId),
      position: ({ match }) => (match.kind === 'matched' ? match.position : undefined),
      carrier_status: ({ carrierStatus }) => carrierStatus.code,
      carrier_sub_status: ({ carrierStatus }) => carrierStatus.subCode,
      carrier_description: ({ carrierStatus }) => carrierStatus.description,
      body: ({ update }) => keptUpdate(update),
    },
  );
  return sql`said as (
    insert into events (push_id, carrier_code, identity, match, sought_kind, sought_value, consignment_id, position,
      status, reason, carrier_status, carrier_sub_status, carrier_description, occurred_at, event_timezone, warnings,
      body)
    select push.id, push.carrier_code, decode(event.identity, 'hex'), event.match, event.sought_kind,
      event.sought_value, event.consignment_id, event.position, event.status, event.reason, event.carrier_status,
      event.carrier_sub_status, event.carrier_description, event.occurred_at, event.event_timezone, event.warnings,
      event.body
    from ${rows} join push using (at) join ready using (unit) order by identity)`;
};

/** An event that was recorded before, and has now got a match. */
export interface Adoption {
  readonly id: number;
  readonly match: Match & { readonly kind: 'matched' };
  readonly status: TableStatus;
  readonly reason: string | undefined;
}

/** Parts of a `with` for events that were recorded before: `unadopted` are the units of those that were matched since. */
export const adoptionProof = (adoptions: readonly (Adoption & { readonly unit: number })[]): readonly Sql[] => [
  sql`adopting as (
    select * from ${rowsOf(
      'adopting',
      adoptions.map(({ match, ...adoption }) => ({ ...adoption, ...match })),
      'unit int, id bigint, consignment_id bigint, position int, status text, reason text',
    )})`,
  sql`adoptable as (
    select e.id from adopting join current using (unit) join events e on e.id = adopting.id
    where e.match <> 'matched' order by e.id for update of e)`,
  sql`unadopted as (
    select adopting.unit from adopting left join adoptable using (id) where adoptable.id is null)`,
];

export const ADOPTION = sql`adopted as (
  update events e set match = 'matched', consignment_id = adopting.consignment_id, position = adopting.position,
    status = adopting.status, reason = adopting.reason
  from adopting join ready using (unit) where e.id = adopting.id)`;

/** Those of a push that fit nothing, and for how long. */
export const findUnmatched = async (
  pool: Pool,
  pushId: number,
): Promise<readonly (MatchedEvent & { readonly id: number; readonly forMs: number })[]> =>
  await queryAll<MatchedEvent & { id: number; forMs: number }>(pool)`
    select id, ${MATCHED_EVENT}, (extract(epoch from now() - received_at) * 1000)::float as for_ms
    from events where push_id = ${pushId} and match <> 'matched'`;

/** Those of a push that fit nothing or are not known and that it does not say, as it is read now: not of these keys (hex). */
export const forgetMisread = async (
  pool: Pool,
  { id, carrierCode }: { readonly id: number; readonly carrierCode: string },
  keys: readonly string[],
): Promise<void> => {
  await execute(pool)`
    delete from events where id in (
        select id from events where push_id = ${id} and match <> 'matched'
        union select id from events where push_id = ${id} and status = 'Unmapped' and carrier_code = ${carrierCode})
      and (match <> 'matched' or status = 'Unmapped') and encode(identity, 'hex') <> all (${keys}::text[])`;
};

/** A label's bytes as text, for JSON has none. */
const keptUpdate = (update: StatusUpdate): StatusUpdate => {
  const content = update.label?.content;
  if (update.label === undefined || !(content instanceof Uint8Array)) return update;
  const { format } = update.label;
  const label = { content: Buffer.from(content).toString('base64'), ...(format === undefined ? {} : { format }) };
  return { ...update, label };
};

/** Of these keys of events (see src/engine/statuses/normalise.ts), those that are recorded, in hex. */
export const findRecordedKeys = async (
  pool: Pool,
  carrierCode: string,
  keys: readonly Buffer[],
): Promise<ReadonlySet<string>> => {
  const rows = await queryAll<{ key: string }>(pool)`
    select encode(identity, 'hex') as key from events
    where carrier_code = ${carrierCode} and identity = any (${keys}::bytea[])`;
  return new Set(rows.map(({ key }) => key));
};

/** What a carrier said of a consignment. */
export interface ConsignmentEvent extends Pick<MatchedEvent, 'position' | 'reason' | 'update'> {
  readonly id: number;
  readonly status: string;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
}

/** In the order they happened; of very many, the latest `limit`. */
export const listConsignmentEvents = async (
  pool: Pool,
  consignmentId: number,
  limit: number,
): Promise<readonly ConsignmentEvent[]> => {
  const rows = await queryAll<ConsignmentEvent>(pool)`
    select id, position, status, reason, occurred_at, received_at, body::json as update from events
    where consignment_id = ${consignmentId} and match = 'matched' order by occurred_at desc, id desc limit ${limit}`;
  return rows.toReversed();
};

export interface UnmappedStatus {
  readonly carrierCode: string;
  readonly code: string;
  readonly subCode: string;
  readonly description: string;
  readonly count: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** The latest event that said it. */
  readonly sample: StatusUpdate;
}

/** What no row of a status table knows, the most frequent first. */
export const listUnmapped = async (
  pool: Pool,
  { carrierCode, limit }: { readonly carrierCode?: string | undefined; readonly limit: number },
): Promise<UnmappedStatus[]> =>
  await queryAll<UnmappedStatus>(pool)`
    select said.carrier_code, code, sub_code, description, count, first_seen, last_seen, e.body::json as sample from (
      select carrier_code, carrier_status as code, carrier_sub_status as sub_code, carrier_description as description,
        count(*) as count, min(received_at) as first_seen, max(received_at) as last_seen, max(id) as latest
      from events where status = 'Unmapped' and ${matching({ 'carrier_code =': carrierCode })}
      group by 1, 2, 3, 4 order by count desc, latest desc limit ${limit}) said
    join events e on e.id = said.latest order by said.count desc, said.latest desc`;
