/** The log of pushes, for operators: what could not be read, matched or normalised, and what became of it. */
import type { Pool } from 'pg';
import type { Name } from '../../engine/statuses/match.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { lookUp } from './identifiers.ts';
import type { PushRecord } from './pushes.ts';
import { join, matching, queryAll, queryOne, raw, sql, type Sql } from './sql.ts';

/** Why a push is not well, and where its ids are found. */
const REASONS = {
  /** Events of it fit no consignment. */
  unmatched: sql`select push_id from events where match = 'unmatched'`,
  /** They fit several, or one of which several packages may be meant. */
  ambiguous: sql`select push_id from events where match = 'ambiguous'`,
  /** No row of the status table knows what they say. */
  unmapped: sql`select push_id from events where status = 'Unmapped'`,
  /** It could not be read, or not all of it. */
  failed: sql`select id from pushes where state = 'failed'`,
} satisfies Record<string, Sql>;
export type PushReason = keyof typeof REASONS;
export const PUSH_REASONS = Object.keys(REASONS) as PushReason[];

export interface PushFilter {
  readonly ids?: readonly number[] | undefined;
  readonly carrierCode?: string | undefined;
  readonly source?: string | undefined;
  readonly state?: string | undefined;
  /** One of them; none: all pushes. */
  readonly reasons?: readonly PushReason[] | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export interface LoggedPush extends Pick<PushRecord, 'id' | 'carrierCode' | 'source' | 'environment' | 'state'> {
  readonly receivedAt: Date;
  readonly failure: string | undefined;
  /** How many of its events. */
  readonly unmatched: number;
  readonly ambiguous: number;
  readonly unmapped: number;
}

/** The newest first. */
export const listPushes = async (pool: Pool, filter: PushFilter): Promise<readonly LoggedPush[]> => {
  const { ids, carrierCode, source, state, reasons = [], since, until, beforeId, limit } = filter;
  const among = reasons.map((reason) => REASONS[reason]);
  const some = {
    ...(among.length > 0 && { 'id in': sql`(${join(among, ' union ')})` }),
    ...(ids !== undefined && { 'id =': sql`any (${ids}::bigint[])` }),
  };
  const own = { 'carrier_code =': carrierCode, 'source =': source, 'state =': state };
  return await queryAll<LoggedPush>(pool)`
    with page as materialized (
      select id, carrier_code, source, environment, received_at, state, failure from pushes
      where ${matching({ ...some, ...own, 'received_at >=': since, 'received_at <': until, 'id <': beforeId })}
      order by id desc limit ${limit}),
    unplaced as (
      select push_id, count(*) filter (where match = 'unmatched') as unmatched,
        count(*) filter (where match = 'ambiguous') as ambiguous
      from events where match <> 'matched' and push_id in (select id from page) group by push_id),
    unknown as (
      select push_id, count(*) as unmapped from events
      where status = 'Unmapped' and push_id in (select id from page) group by push_id)
    select page.*, coalesce(unmatched, 0) as unmatched, coalesce(ambiguous, 0) as ambiguous,
      coalesce(unmapped, 0) as unmapped
    from page left join unplaced on unplaced.push_id = page.id left join unknown on unknown.push_id = page.id
    order by page.id desc`;
};

/** How many events, or pushes that failed, there are for each reason. */
export const countUnsettled = async (pool: Pool): Promise<Readonly<Record<PushReason, number>>> =>
  await queryOne<Record<PushReason, number>>(pool)`
    select ${join(
      PUSH_REASONS.map((reason) => sql`(select count(*) from (${REASONS[reason]}) one) as ${raw(reason)}`),
      ', ',
    )}`;

interface ConsignmentName {
  readonly id: number;
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
}

/** By the names that operators know them by. */
export const nameConsignments = async (
  pool: Pool,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Omit<ConsignmentName, 'id'>>> => {
  if (ids.length === 0) return new Map();
  const named = await queryAll<ConsignmentName>(pool)`
    select c.id, s.code as shipper, c.environment, c.reference_number
    from consignments c join shippers s on s.id = c.shipper_id where c.id = any (${ids}::bigint[])`;
  return new Map(named.map(({ id, ...name }) => [id, name]));
};

export interface LoggedEvent {
  readonly id: number;
  /** Another, where it had come before. */
  readonly pushId: number;
  readonly match: string;
  readonly consignmentId: number | undefined;
  readonly packageId: string | undefined;
  readonly status: string;
  readonly reason: string | undefined;
  readonly carrierStatus: string;
  readonly carrierSubStatus: string;
  readonly carrierDescription: string;
  readonly occurredAt: Date;
  readonly eventTimezone: string;
  readonly warnings: readonly string[];
  readonly update: StatusUpdate;
}

/** Events that a push brought: those of these keys (hex), and of those that are not well whatever it is read as by now. */
export const findPushEvents = async (
  pool: Pool,
  { id, carrierCode }: Pick<PushRecord, 'id' | 'carrierCode'>,
  keys: readonly string[],
): Promise<readonly LoggedEvent[]> =>
  await queryAll<LoggedEvent>(pool)`
    select e.id, e.push_id, e.match, e.consignment_id, p.reference as package_id, e.status, e.reason, e.carrier_status,
      e.carrier_sub_status, e.carrier_description, e.occurred_at, e.event_timezone, e.warnings::json as warnings,
      e.body::json as update
    from events e left join packages p on p.consignment_id = e.consignment_id and p.position = e.position
    where e.id in (
      select id from events where match <> 'matched' and push_id = ${id}
      union select id from events where status = 'Unmapped' and carrier_code = ${carrierCode} and push_id = ${id}
      union select id from events where carrier_code = ${carrierCode}
        and identity in (select decode(key, 'hex') from unnest(${keys}::text[]) key))
    order by e.id`;

/** Of each of these lists of names the consignments that any of them stands for. */
export const findCandidates = async (
  pool: Pool,
  push: Pick<PushRecord, 'carrierCode' | 'environment' | 'accountId'>,
  lists: readonly (readonly Name[])[],
): Promise<readonly (readonly number[])[]> => {
  const answers = await lookUp(
    pool,
    lists.map((names) => ({ ...push, names, keys: [] })),
  );
  return answers.map(({ known }, at) => [
    ...new Set((lists[at] ?? []).flatMap((name) => (known(name)?.candidates ?? []).map((one) => one.consignmentId))),
  ]);
};
