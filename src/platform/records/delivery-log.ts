/** The delivery log, as the owner of the subscriptions reads it. */
import type { Pool } from 'pg';
import type { DeliveryAttempt } from '../../engine/webhooks/delivery.ts';
import { OTHER_EVENTS, STATUS_EVENT } from '../../engine/webhooks/event.ts';
import { type Owner, ofWhom, type Whose } from './shippers.ts';
import { dateOf, matching, queryAll, sql, type Sql } from './sql.ts';

export const DELIVERY_STATES = ['pending', 'sending', 'waiting', 'delivered', 'failed'] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What is given must hold. */
export interface DeliveryFilter {
  readonly subscriptionId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** One of `EVENT_FILTERS`. */
  readonly event?: string | undefined;
  readonly referenceNumber?: string | undefined;
  /** Written at or after; milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
}

export interface LoggedTry extends DeliveryAttempt {
  readonly attempt: number;
}

export interface DeliveryView {
  readonly id: number;
  /** Also the `webhook-id`. */
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly event: string;
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

/** What an event may be asked for by: its name without the number of a repeat, and whether it is a status. */
export const eventNames = (event: Sql): Sql => {
  const name = sql`regexp_replace(${event}, '\\.\\d+$', '')`;
  return sql`array[${name}, case when ${name} <> all(${OTHER_EVENTS}::text[]) then ${STATUS_EVENT} end]`;
};

const ownSubscriptions = (owner: Whose, id?: string): Sql =>
  sql`select id from subscriptions where ${ofWhom(owner)} and ${matching({ 'id =': id })}`;
const JOINED = sql`deliveries d join notices n on n.id = d.notice_id join consignments c on c.id = n.consignment_id`;
const fits = ({ state, event, referenceNumber, sinceMs }: DeliveryFilter): Sql => sql`
  ${matching({ 'd.state =': state, 'c.reference_number =': referenceNumber, 'd.created_at >=': dateOf(sinceMs) })}
  and ${event === undefined ? sql`true` : sql`${event} = any(${eventNames(sql`n.event`)})`}`;

/** Deliveries (`d`) of the owner that match, with a `where` to which more may be added. */
export const matchingDeliveries = (owner: Owner, filter: DeliveryFilter): Sql => sql`
  ${JOINED} where d.subscription_id in (${ownSubscriptions(owner, filter.subscriptionId)}) and ${fits(filter)}`;

const VIEW = sql`d.id, d.notice_id as event_id, d.subscription_id, n.event, c.reference_number, d.state,
  case when d.finished_at is null then d.due_at end as due_at_ms, d.created_at as created_at_ms,
  d.finished_at as finished_at_ms`;

type ViewRow = Omit<DeliveryView, 'attempts' | 'lastTry'>;

/** Adds the tries of each, oldest first, in one statement. */
const withTries = async <Row extends ViewRow>(pool: Pool, rows: readonly Row[]) => {
  const tries = await queryAll<LoggedTry & { readonly deliveryId: number }>(pool)`
    select delivery_id, attempt, at as at_ms, status, duration_ms, outcome, message from delivery_attempts
    where delivery_id = any (${rows.map(({ id }) => id)}::bigint[]) order by attempt`;
  const byDelivery = Map.groupBy(tries, ({ deliveryId }) => deliveryId);
  return rows.map((row) => {
    const own = (byDelivery.get(row.id) ?? []).map((one): LoggedTry => {
      const { deliveryId: _, ...tried } = one;
      return tried;
    });
    return { ...row, attempts: own.length, lastTry: own.at(-1), tries: own };
  });
};

/** The newest first, of those before this id. */
export const listDeliveries = async (
  pool: Pool,
  owner: Whose,
  filter: DeliveryFilter,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<readonly DeliveryView[]> => {
  // Subscription by subscription, so that who has few deliveries need not look through everybody's.
  const rows = await queryAll<ViewRow>(pool)`
    select one.* from (${ownSubscriptions(owner, filter.subscriptionId)}) own cross join lateral (
      select ${VIEW} from ${JOINED}
      where d.subscription_id = own.id and ${fits(filter)} and ${matching({ 'd.id <': before })}
      order by d.id desc limit ${limit}) one
    order by one.id desc limit ${limit}`;
  return await withTries(pool, rows);
};

/** Those of a consignment, the newest first. */
export const listDeliveriesOf = async (
  pool: Pool,
  consignmentId: number,
  limit: number,
): Promise<readonly DeliveryView[]> =>
  await withTries(
    pool,
    await queryAll<ViewRow>(pool)`
      select ${VIEW} from ${JOINED} where c.id = ${consignmentId} order by d.id desc limit ${limit}`,
  );

export interface DeliveryDetail extends DeliveryView {
  readonly tries: readonly LoggedTry[];
  /** JSON, as it is sent. */
  readonly body: string;
}

/** One delivery with its body and every try, oldest first. */
export const findDelivery = async (pool: Pool, owner: Whose, id: number): Promise<DeliveryDetail | undefined> => {
  const rows = await queryAll<ViewRow & { readonly body: string }>(pool)`
    select ${VIEW}, n.body from ${JOINED} where d.subscription_id in (${ownSubscriptions(owner)}) and d.id = ${id}`;
  return (await withTries(pool, rows))[0];
};
