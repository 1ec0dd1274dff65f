/** The delivery log as the owner of the subscriptions reads it. */
import type { Pool } from 'pg';
import type { NoticeEvent } from '../../engine/webhooks/event.ts';
import { dateOf, queryAll } from './sql.ts';
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
  filter.subscriptionId,
  filter.state,
  filter.event,
  filter.referenceNumber,
  dateOf(filter.sinceMs),
];

const VIEW = `d.id, d.notice_id as event_id, d.subscription_id, n.event, c.reference_number, d.state,
  case when d.finished_at is null then d.due_at end as due_at_ms, d.created_at as created_at_ms,
  d.finished_at as finished_at_ms`;

type ViewRow = Omit<DeliveryView, 'attempts' | 'lastTry'>;
type TryRow = LoggedTry & { readonly deliveryId: number };

/** Adds the tries of each, oldest first, in one statement. */
const withTries = async <Row extends ViewRow>(
  pool: Pool,
  rows: readonly Row[],
): Promise<(Row & DeliveryView & { readonly tries: readonly LoggedTry[] })[]> => {
  const tries = await queryAll<TryRow>(
    pool,
    `select delivery_id, attempt, at as at_ms, status, duration_ms, outcome, message from delivery_attempts
     where delivery_id = any ($1::bigint[]) order by attempt`,
    [rows.map(({ id }) => id)],
  );
  const byDelivery = Map.groupBy(tries, ({ deliveryId }) => deliveryId);
  return rows.map((row) => {
    const own = (byDelivery.get(row.id) ?? []).map(withoutDelivery);
    return { ...row, attempts: own.length, lastTry: own.at(-1), tries: own };
  });
};

const withoutDelivery = (row: TryRow): LoggedTry => {
  const { deliveryId: _, ...one } = row;
  return one;
};

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
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<DeliveryPage> => {
  const rows = await queryAll<ViewRow>(
    pool,
    // Subscription by subscription, so that who has few deliveries need not look through everybody's.
    `select one.* from (${OWN_SUBSCRIPTIONS}) own cross join lateral (
       select ${VIEW} from ${JOINED}
       where d.subscription_id = own.id and ${MATCHING} and ($8::bigint is null or d.id < $8)
       order by d.id desc limit $9) one
     order by one.id desc limit $9`,
    [...filterValues(owner, filter), before, limit + 1],
  );
  const items = await withTries(pool, rows.slice(0, limit));
  return { items, next: rows.length > limit ? items.at(-1)?.id : undefined };
};

export interface DeliveryDetail extends DeliveryView {
  readonly tries: readonly LoggedTry[];
  /** JSON, as it is sent. */
  readonly body: string;
}

/** One delivery with its body and every try, oldest first. */
export const findDelivery = async (pool: Pool, owner: Owner, id: number): Promise<DeliveryDetail | undefined> => {
  const rows = await queryAll<ViewRow & { readonly body: string }>(
    pool,
    `select ${VIEW}, n.body from ${JOINED} where d.subscription_id in (${OWN_SUBSCRIPTIONS}) and d.id = $4`,
    [owner.shipperId, owner.environment, undefined, id],
  );
  return (await withTries(pool, rows))[0];
};
