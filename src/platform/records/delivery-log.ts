/** The delivery log as the owner of the subscriptions reads it. */
import type { Pool } from 'pg';
import type { NoticeEvent } from '../../engine/webhooks/notice.ts';
import type { Owner } from './subscriptions.ts';

export const DELIVERY_STATES = ['pending', 'sending', 'waiting', 'delivered', 'failed'] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What is given must hold. */
export interface DeliveryFilter {
  readonly subscriptionId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly event?: NoticeEvent | undefined;
  readonly referenceNumber?: string | undefined;
  /** Written at or after; milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
}

export interface LoggedTry {
  readonly attempt: number;
  readonly atMs: number;
  readonly status: number | undefined;
  readonly durationMs: number;
  readonly outcome: string;
  readonly message: string | undefined;
}

export interface DeliveryView {
  readonly id: number;
  /** Also the `webhook-id`. */
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly event: NoticeEvent;
  readonly referenceNumber: string;
  readonly state: DeliveryState;
  /** When it is tried (again); undefined: it is finished. */
  readonly dueAtMs: number | undefined;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | undefined;
  /** How many tries were made, redeliveries and those cut short included. */
  readonly attempts: number;
  readonly lastTry: LoggedTry | undefined;
}

interface TryRow {
  attempt: number;
  at: Date;
  status: number | null;
  duration_ms: number;
  outcome: string;
  message: string | null;
}

type Row = {
  id: number;
  notice_id: string;
  subscription_id: string;
  event: NoticeEvent;
  reference_number: string;
  state: DeliveryState;
  due_at: Date;
  created_at: Date;
  finished_at: Date | null;
  attempts: number;
} & { [Column in keyof TryRow]: TryRow[Column] | null };

const tryOf = (row: TryRow): LoggedTry => ({
  attempt: row.attempt,
  atMs: row.at.getTime(),
  status: row.status ?? undefined,
  durationMs: row.duration_ms,
  outcome: row.outcome,
  message: row.message ?? undefined,
});

const viewOf = (row: Row): DeliveryView => ({
  id: row.id,
  eventId: row.notice_id,
  subscriptionId: row.subscription_id,
  event: row.event,
  referenceNumber: row.reference_number,
  state: row.state,
  dueAtMs: row.finished_at === null ? row.due_at.getTime() : undefined,
  createdAtMs: row.created_at.getTime(),
  finishedAtMs: row.finished_at?.getTime(),
  attempts: row.attempts,
  lastTry: row.attempt === null ? undefined : tryOf(row as TryRow),
});

/** For queries whose first seven parameters are those of `filterValues`. */
const OWN_SUBSCRIPTIONS =
  'select id from subscriptions where shipper_id = $1 and environment = $2 and ($3::text is null or id = $3)';
const JOINED = 'deliveries d join notices n on n.id = d.notice_id join consignments c on c.id = n.consignment_id';
const MATCHING = `($4::text is null or d.state = $4) and ($5::text is null or n.event = $5)
  and ($6::text is null or c.reference_number = $6) and ($7::timestamptz is null or d.created_at >= $7)`;
export const FILTERED = `${JOINED} where d.subscription_id in (${OWN_SUBSCRIPTIONS}) and ${MATCHING}`;

export const filterValues = (owner: Owner, filter: DeliveryFilter): readonly unknown[] => [
  owner.shipperId,
  owner.environment,
  filter.subscriptionId ?? null,
  filter.state ?? null,
  filter.event ?? null,
  filter.referenceNumber ?? null,
  filter.sinceMs === undefined ? null : new Date(filter.sinceMs),
];

export interface DeliveryPage {
  readonly items: readonly DeliveryView[];
  /** To be given as `before` for the next page; undefined: this is the last. */
  readonly next: number | undefined;
}

/** Newest first. */
export const listDeliveries = async (
  pool: Pool,
  owner: Owner,
  filter: DeliveryFilter,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<DeliveryPage> => {
  const { rows } = await pool.query<Row>(
    // Subscription by subscription, so that who has few deliveries need not look through everybody's.
    `with page as (
       select one.* from (${OWN_SUBSCRIPTIONS}) own cross join lateral (
         select d.id, d.notice_id, d.subscription_id, n.event, c.reference_number, d.state, d.due_at, d.created_at,
           d.finished_at
         from ${JOINED} where d.subscription_id = own.id and ${MATCHING} and ($8::bigint is null or d.id < $8)
         order by d.id desc limit $9) one
       order by one.id desc limit $9)
     select page.*, coalesce(last.attempts, 0) as attempts, last.attempt, last.at, last.status, last.duration_ms,
       last.outcome, last.message
     from page left join lateral (
       select *, count(*) over () as attempts from delivery_attempts where delivery_id = page.id order by attempt desc limit 1) last on true
     order by page.id desc`,
    [...filterValues(owner, filter), page.before ?? null, page.limit + 1],
  );
  const items = rows.slice(0, page.limit).map(viewOf);
  return { items, next: rows.length > page.limit ? items.at(-1)?.id : undefined };
};

export interface DeliveryDetail extends DeliveryView {
  readonly tries: readonly LoggedTry[];
  /** JSON, as it is sent. */
  readonly body: string;
}

/** One delivery with its body and every try, oldest first. */
export const findDelivery = async (pool: Pool, owner: Owner, id: number): Promise<DeliveryDetail | undefined> => {
  const { rows } = await pool.query<Row & { body: string }>(
    `select d.id, d.notice_id, d.subscription_id, n.event, c.reference_number, d.state, d.due_at, d.created_at,
       d.finished_at, count(t.attempt) over () as attempts, n.body, t.attempt, t.at, t.status, t.duration_ms, t.outcome, t.message
     from deliveries d join subscriptions s on s.id = d.subscription_id join notices n on n.id = d.notice_id
       join consignments c on c.id = n.consignment_id left join delivery_attempts t on t.delivery_id = d.id
     where d.id = $1 and s.shipper_id = $2 and s.environment = $3 order by t.attempt`,
    [id, owner.shipperId, owner.environment],
  );
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const tries = rows.flatMap((row) => (row.attempt === null ? [] : [tryOf(row as TryRow)]));
  return { ...viewOf(last), tries, body: last.body };
};
