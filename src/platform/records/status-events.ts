import type { PoolClient } from 'pg';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { TableStatus } from '../../engine/statuses/status.ts';
import type { Match, Name } from '../../engine/statuses/match.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';

export interface NewEvent extends NormalisedEvent {
  /** Hex. */
  readonly identity: string;
  readonly match: Match;
  readonly soughtBy: Name | undefined;
}

/** A matched event as it is recorded. */
export interface EventRecord {
  readonly id: number;
  readonly consignmentId: number;
  /** Undefined: of the whole consignment. */
  readonly position: number | undefined;
  readonly identity: string;
  readonly status: TableStatus;
  readonly reason: string | undefined;
  readonly occurredAtMs: number;
  readonly eventTimezone: string;
  readonly update: StatusUpdate;
}

export interface EventRow {
  id: number;
  consignment_id: number;
  position: number | null;
  identity: string;
  status: TableStatus;
  reason: string | null;
  occurred_at: Date;
  event_timezone: string;
  body: string;
}

export const EVENT_COLUMNS = `id, consignment_id, position, encode(identity, 'hex') as identity, status, reason,
  occurred_at, event_timezone, body`;

export const eventOf = (row: EventRow): EventRecord => ({
  id: row.id,
  consignmentId: row.consignment_id,
  position: row.position ?? undefined,
  identity: row.identity,
  status: row.status,
  reason: row.reason ?? undefined,
  occurredAtMs: row.occurred_at.getTime(),
  eventTimezone: row.event_timezone,
  update: JSON.parse(row.body) as StatusUpdate,
});

/**
 * Records events that are not known yet; yields those that are now matched for the first time, among them known ones
 * that had fitted nothing before, and the identities of those that are new. The caller holds the locks of the
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
  const ordered = events.toSorted((a, b) => (a.identity < b.identity ? -1 : 1));
  const column = <Value>(value: (event: NewEvent) => Value): Value[] => ordered.map(value);
  const inserted = await client.query<EventRow & { match: string }>(
    `insert into events (push_id, carrier_code, identity, match, sought_kind, sought_value, consignment_id, position,
       status, reason, carrier_status, carrier_sub_status, carrier_description, occurred_at, event_timezone, warnings, body)
     select $1, $2, decode(identity, 'hex'), match, sought_kind, sought_value, consignment_id, position,
       status, reason, carrier_status, carrier_sub_status, carrier_description, occurred_at, event_timezone, warnings, body
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::int[], $9::text[], $10::text[],
         $11::text[], $12::text[], $13::text[], $14::timestamptz[], $15::text[], $16::text[], $17::text[])
       as event (identity, match, sought_kind, sought_value, consignment_id, position, status, reason, carrier_status,
         carrier_sub_status, carrier_description, occurred_at, event_timezone, warnings, body)
     on conflict (carrier_code, identity) do nothing
     returning ${EVENT_COLUMNS}, match`,
    [
      pushId,
      carrierCode,
      column(({ identity }) => identity),
      column(({ match }) => match.kind),
      column(({ soughtBy }) => soughtBy?.kind ?? null),
      column(({ soughtBy }) => soughtBy?.value ?? null),
      column(({ match }) => (match.kind === 'unmatched' ? null : (match.consignmentId ?? null))),
      column(({ match }) => (match.kind === 'matched' ? (match.position ?? null) : null)),
      column(({ status }) => status),
      column(({ reason }) => reason ?? null),
      column(({ carrierStatus }) => carrierStatus.code),
      column(({ carrierStatus }) => carrierStatus.subCode),
      column(({ carrierStatus }) => carrierStatus.description),
      column(({ occurredAtMs }) => new Date(occurredAtMs)),
      column(({ eventTimezone }) => eventTimezone),
      column(({ warnings }) => JSON.stringify(warnings)),
      column(({ update }) => JSON.stringify(keptUpdate(update))),
    ],
  );
  const recorded = new Set(inserted.rows.map(({ identity }) => identity));
  const known = ordered.filter(({ identity, match }) => !recorded.has(identity) && match.kind === 'matched');
  const rematched = await adoptKnown(client, carrierCode, known);
  const fresh = [...inserted.rows.filter(({ match }) => match === 'matched').map(eventOf), ...rematched];
  return { fresh, recorded };
};

/** Gives events that are recorded as unmatched the match that they have now. */
const adoptKnown = async (
  client: PoolClient,
  carrierCode: string,
  events: readonly NewEvent[],
): Promise<readonly EventRecord[]> => {
  if (events.length === 0) return [];
  const { rows } = await client.query<{ id: number; identity: string }>(
    `select id, encode(identity, 'hex') as identity from events
     where carrier_code = $1 and match <> 'matched'
       and identity in (select decode(hex, 'hex') from unnest($2::text[]) as hex)
     order by id for update`,
    [carrierCode, events.map(({ identity }) => identity)],
  );
  const matches = new Map(events.map(({ identity, match }) => [identity, match]));
  return await adoptMatches(
    client,
    rows.flatMap(({ id, identity }) => {
      const match = matches.get(identity);
      return match?.kind === 'matched' ? [{ id, match }] : [];
    }),
  );
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
  const { rows } = await client.query<EventRow>(
    `update events set match = 'matched', consignment_id = found.consignment_id, position = found.position
     from unnest($1::bigint[], $2::bigint[], $3::int[]) as found (event_id, consignment_id, position)
     where id = event_id
     returning id, events.consignment_id, events.position, encode(identity, 'hex') as identity, status, reason,
       occurred_at, event_timezone, body`,
    [
      adoptions.map(({ id }) => id),
      adoptions.map(({ match }) => match.consignmentId),
      adoptions.map(({ match }) => match.position ?? null),
    ],
  );
  return rows.map(eventOf);
};

/** A label's bytes as text, for JSON has none. */
const keptUpdate = (update: StatusUpdate): StatusUpdate => {
  const content = update.label?.content;
  if (update.label === undefined || !(content instanceof Uint8Array)) return update;
  const { format } = update.label;
  const label = { content: Buffer.from(content).toString('base64'), ...(format === undefined ? {} : { format }) };
  return { ...update, label };
};
