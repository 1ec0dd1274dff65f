/** What carriers said of consignments: events as they are written, matched, and read. */
import type { Pool, PoolClient } from 'pg';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { TableStatus } from '../../engine/statuses/status.ts';
import type { Match, Name } from '../../engine/statuses/match.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { queryAll, sql, type Sql, rowsOf } from './sql.ts';

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

export interface EventRecord extends MatchedEvent {
  readonly id: number;
  readonly consignmentId: number;
}

/** Those of an `EventRecord`; the body may be left out where nobody reads it. */
export const eventColumns = (body: Sql = sql`body`): Sql => sql`
  id, events.consignment_id, events.position, encode(identity, 'hex') as deduplication_key, status, reason,
  occurred_at as occurred_at_ms, event_timezone, ${body}::json as update`;

/**
 * Records events that are not known yet; yields those that are now matched for the first time, among them known ones
 * that had fitted nothing before, and the keys of those that are new. The caller holds the locks of the
 * consignments they match.
 */
export const writeEvents = async (
  client: PoolClient,
  carrierCode: string,
  pushId: number,
  events: readonly NewEvent[],
): Promise<{ readonly fresh: readonly EventRecord[]; readonly recorded: ReadonlySet<string> }> => {
  if (events.length === 0) return { fresh: [], recorded: new Set() };
  // In one order everywhere: two pushes of the same events must not wait for each other.
  const ordered = events.toSorted((a, b) => (a.deduplicationKey < b.deduplicationKey ? -1 : 1));
  const rows = rowsOf('event', ordered, {
    identity: ['text', ({ deduplicationKey }) => deduplicationKey],
    match: ['text', ({ match }) => match.kind],
    sought_kind: ['text', ({ soughtBy }) => soughtBy?.kind],
    sought_value: ['text', ({ soughtBy }) => soughtBy?.value],
    consignment_id: ['bigint', ({ match }) => (match.kind === 'unmatched' ? undefined : match.consignmentId)],
    position: ['int', ({ match }) => (match.kind === 'matched' ? match.position : undefined)],
    status: ['text', ({ status }) => status],
    reason: ['text', ({ reason }) => reason],
    carrier_status: ['text', ({ carrierStatus }) => carrierStatus.code],
    carrier_sub_status: ['text', ({ carrierStatus }) => carrierStatus.subCode],
    carrier_description: ['text', ({ carrierStatus }) => carrierStatus.description],
    occurred_at: ['timestamptz', ({ occurredAtMs }) => new Date(occurredAtMs)],
    event_timezone: ['text', ({ eventTimezone }) => eventTimezone],
    warnings: ['text', ({ warnings }) => JSON.stringify(warnings)],
    body: ['text', ({ update }) => JSON.stringify(keptUpdate(update))],
  });
  const inserted = await queryAll<EventRecord & { match: string }>(client)`
    insert into events (push_id, carrier_code, identity, match, sought_kind, sought_value, consignment_id, position,
      status, reason, carrier_status, carrier_sub_status, carrier_description, occurred_at, event_timezone, warnings,
      body)
    select ${pushId}, ${carrierCode}, decode(identity, 'hex'), match, sought_kind, sought_value, consignment_id,
      position, status, reason, carrier_status, carrier_sub_status, carrier_description, occurred_at, event_timezone,
      warnings, body
    from ${rows}
    on conflict (carrier_code, identity) do nothing
    returning ${eventColumns()}, match`;
  const recorded = new Set(inserted.map(({ deduplicationKey }) => deduplicationKey));
  const known = ordered.filter((event) => !recorded.has(event.deduplicationKey) && event.match.kind === 'matched');
  const rematched = await adoptKnown(client, carrierCode, known);
  return { fresh: [...inserted.filter(({ match }) => match === 'matched'), ...rematched], recorded };
};

/** Gives events that are recorded as unmatched the match that they have now. */
const adoptKnown = async (
  client: PoolClient,
  carrierCode: string,
  events: readonly NewEvent[],
): Promise<readonly EventRecord[]> => {
  if (events.length === 0) return [];
  const matches = new Map(events.map(({ deduplicationKey, match }) => [deduplicationKey, match]));
  const rows = await queryAll<{ id: number; key: string }>(client)`
    select id, encode(identity, 'hex') as key from events
    where carrier_code = ${carrierCode} and match <> 'matched'
      and identity in (select decode(hex, 'hex') from unnest(${[...matches.keys()]}::text[]) as hex)
    order by id for update`;
  const adoptions = rows.flatMap(({ id, key }) => {
    const match = matches.get(key);
    return match?.kind === 'matched' ? [{ id, match }] : [];
  });
  return await adoptMatches(client, adoptions);
};

export interface Adoption {
  readonly id: number;
  readonly match: Match & { readonly kind: 'matched' };
}

/** Writes the matches of events that had none. */
export const adoptMatches = async (
  client: PoolClient,
  adoptions: readonly Adoption[],
): Promise<readonly EventRecord[]> => {
  if (adoptions.length === 0) return [];
  const found = rowsOf('found', adoptions, {
    event_id: ['bigint', ({ id }) => id],
    consignment_id: ['bigint', ({ match }) => match.consignmentId],
    position: ['int', ({ match }) => match.position],
  });
  return await queryAll<EventRecord>(client)`
    update events set match = 'matched', consignment_id = found.consignment_id, position = found.position
    from ${found}
    where id = event_id returning ${eventColumns()}`;
};

/** A label's bytes as text, for JSON has none. */
const keptUpdate = (update: StatusUpdate): StatusUpdate => {
  const content = update.label?.content;
  if (update.label === undefined || !(content instanceof Uint8Array)) return update;
  const { format } = update.label;
  const label = { content: Buffer.from(content).toString('base64'), ...(format === undefined ? {} : { format }) };
  return { ...update, label };
};

/** Of these keys of events (see src/engine/statuses/deduplication-key.ts), those that are recorded, in hex. */
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
export interface ConsignmentEvent extends Pick<EventRecord, 'id' | 'position' | 'reason' | 'update'> {
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
      from events where status = 'Unmapped' and (${carrierCode}::text is null or carrier_code = ${carrierCode})
      group by 1, 2, 3, 4 order by count desc, latest desc limit ${limit}) said
    join events e on e.id = said.latest order by said.count desc, said.latest desc`;
