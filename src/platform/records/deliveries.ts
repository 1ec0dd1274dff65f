/** Unsent deliveries: written with their notices, and claimed under a lease either at once or when they are due. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { DeliveryClaim } from '../../engine/webhooks/delivery.ts';
import { execute, fromNow, leasedTo, queryPrepared, rowsOf, sql, type Sql, notifyWork } from './sql.ts';
import type { HeadersOf, KeysOf, SealedSecrets } from './subscriptions.ts';

/** More than a receiver's time to answer. */
const LEASE_MS = 45_000;
const AT_ONCE_WHEN_FAILING = 2;
/** One failure is none yet. */
const FAILING_FOR_MS = 60_000;

/** How many more deliveries of each subscription a process may send now. */
export interface Capacity {
  readonly bySubscription: ReadonlyMap<string, number>;
  /** Of each that is not among them. */
  readonly others: number;
}

const capacityRows = ({ bySubscription }: Capacity): Sql =>
  rowsOf('known', [...bySubscription], 'id text, free int', { id: ([id]) => id, free: ([, free]) => free });

// Written -------------------------------------------------------------------------------------------------------------

/** Slots that a process reserves for deliveries that are written already claimed by it. */
export interface ReservedSlots {
  readonly lease: string;
  readonly slots: number;
  readonly capacity: Capacity;
  /** Subscriptions of which more is due already. */
  readonly behind: readonly string[];
}

/** A delivery that was written claimed, as its statement yields it. */
export interface LeasedDelivery extends SealedSecrets {
  readonly deliveryId: number;
  readonly subscriptionId: string;
  readonly webhookId: string;
  readonly body: string;
  readonly trace?: string | undefined;
  readonly url: string;
  /** Sealed. */
  readonly headers: Buffer | undefined;
  readonly retryAfterSeconds: readonly number[] | undefined;
}

/** The pump, as those who write deliveries know it. */
export interface DeliverySender {
  /** undefined: this process sends none, or no more now. */
  reserve(atMost: number): ReservedSlots | undefined;
  /** Once they are committed. To be called for every reserved, with none where the statement failed. */
  take(leased: readonly LeasedDelivery[], reserved: ReservedSlots): void;
  /** Some are due that were not written claimed. */
  wake(): void;
}

const NO_CAPACITY: Capacity = { bySubscription: new Map(), others: 0 };

const ofOwnUrl = sql`array_remove(array_remove(told.order_types, 'FORWARD'), 'REVERSE')`;

/**
 * Parts of a `with`: a delivery of each notice in `told (notice_id, shipper_id, environment, order_types, events, place)`
 * for each subscription that it concerns, in a table `delivery`: what is an exchange or a transfer goes to those that ask
 * for these, and only where there is none, by its direction. Those that fit into the reservation are claimed for it
 * (`sending`); of the others, `is_due` says that a process is to be notified.
 */
export const deliveryParts = (reserved: ReservedSlots | undefined): Sql => sql`
  subscribed as (
    -- Locked, as one that is deleted meanwhile would take the whole transaction with it.
    select told.notice_id, told.place, s.id as subscription_id, s.url, s.secret, s.old_secret, s.old_secret_until,
      s.headers, s.retry_after_seconds,
      s.state = 'active' as is_active, s.failing_since is not null as is_failing
    from told join subscriptions s on s.shipper_id = told.shipper_id and s.environment = told.environment
      and s.order_types && told.order_types and (s.events is null or s.events && told.events)
      and (s.order_types && ${ofOwnUrl} or not exists (select from subscriptions own
        where own.shipper_id = told.shipper_id and own.environment = told.environment
          and own.order_types && ${ofOwnUrl}))
    for key share of s),
  ranked as (
    select subscribed.*, is_active and not is_failing and subscription_id <> all(${reserved?.behind ?? []}::text[])
        and row_number() over (partition by subscription_id order by place) <= coalesce(known.free, ${reserved?.capacity.others ?? 0})
        as fits
    from subscribed left join ${capacityRows(reserved?.capacity ?? NO_CAPACITY)} on known.id = subscription_id),
  placed as (
    select ranked.*, fits and row_number() over (partition by fits order by place) <= ${reserved?.slots ?? 0} as is_leased
    from ranked),
  made as (
    insert into deliveries (notice_id, subscription_id, state, attempts, lease, lease_until)
    select notice_id, subscription_id, case when is_leased then 'sending' else 'pending' end, is_leased::int,
      case when is_leased then ${reserved?.lease}::uuid end, case when is_leased then ${fromNow(LEASE_MS)} end
    from placed order by place
    returning id, notice_id, subscription_id),
  delivery as (
    select made.id, placed.*, is_active and not is_leased as is_due
    from made join placed using (notice_id, subscription_id))`;

/** To be selected by the outermost query of a statement with `deliveryParts`: a process without reserved slots notifies the others. */
export const notifyDeliveries = (reserved: ReservedSlots | undefined): Sql => sql`(
  select ${notifyWork('delivery')} from (select from delivery where is_due and ${reserved === undefined} limit 1) due)`;

// Claimed -------------------------------------------------------------------------------------------------------------

interface DeliveryQuery {
  readonly free: number;
  readonly capacity: Capacity;
  /** As the claim before said; '' at first. */
  readonly after: string;
  readonly nowMs: number;
}

export interface ClaimedDeliveries {
  readonly claims: readonly DeliveryClaim[];
  /** Subscriptions of which more is due than they may have under way. */
  readonly behind: readonly string[];
  readonly nextInMs: number | undefined;
  /** Where the next claim begins; '' when all subscriptions with something unfinished were looked at. */
  readonly after: string;
}

/** One claim looks at so many, the next goes on from there. */
const SUBSCRIPTIONS_MAX = 200;

/** What may be sent now; one whose lease ran out was cut short with its process. */
const dueOf = (now: Date): Sql =>
  sql`(state = 'pending' or state = 'waiting' and due_at <= ${now} or state = 'sending' and lease_until < now())`;

/** Of one subscription, each kind by the index, in its order. */
const oldestOf = (kind: Sql): Sql => sql`(
  select id, due_at from deliveries where subscription_id = place.id and ${kind} order by due_at, id
  limit place.free + 1)`;

/**
 * One statement. It goes from subscription to subscription by the index of what is unfinished, so that those with
 * nothing to send cost nothing, and takes of each the oldest, of all the oldest. A try whose lease ran out is written
 * down as lost, does not count, and is made again.
 */
const claimOf = ({ free, capacity, after, nowMs }: DeliveryQuery, lease: string): Sql => {
  const now = new Date(nowMs);
  const waits = sql`state in ('pending', 'waiting')`;
  return sql`
  with recursive unfinished (id, nth) as (
    (select subscription_id, 1 from deliveries where ${waits} and subscription_id > ${after}
      order by subscription_id limit 1)
    union all
    select (select subscription_id from deliveries where ${waits} and subscription_id > unfinished.id
      order by subscription_id limit 1), nth + 1
    from unfinished where id is not null and nth < ${SUBSCRIPTIONS_MAX}),
  place as (
    select s.id, url, headers, retry_after_seconds, secret, old_secret, old_secret_until, failing_since,
      least(coalesce(known.free, ${capacity.others}),
        case when failing_since < ${new Date(nowMs - FAILING_FOR_MS)} then ${AT_ONCE_WHEN_FAILING}::int end) as free
    from subscriptions s left join ${capacityRows(capacity)} on known.id = s.id
    where state = 'active' and s.id in (
      select id from unfinished
      union select subscription_id from deliveries where state = 'sending' and lease_until < now())),
  candidate as (
    select oldest.*, place.id as subscription_id, nth > place.free as is_over from place cross join lateral (
      select id, due_at, row_number() over (order by due_at, id) as nth from (
        ${oldestOf(sql`state = 'pending'`)} union all
        ${oldestOf(sql`state = 'waiting' and due_at <= ${now}`)} union all
        ${oldestOf(sql`state = 'sending' and lease_until < now()`)}) due) oldest),
  chosen as (select id, due_at from candidate where not is_over order by due_at, id limit ${free}),
  found as (
    select id, attempts, state = 'sending' as is_lost from deliveries
    where id in (select id from chosen) and ${dueOf(now)} for update skip locked),
  lost as (
    insert into delivery_attempts (delivery_id, attempt, at, duration_ms, outcome, message)
    select id, attempts, ${now}, 0, 'lost', 'the process that sent it ended; it is sent again' from found where is_lost
    on conflict do nothing),
  claimed as (
    update deliveries d set state = 'sending', attempts = d.attempts + 1, ${leasedTo(lease, LEASE_MS)},
      uncounted = d.uncounted + found.is_lost::int
    from found where d.id = found.id
    returning d.id, d.notice_id, d.subscription_id, d.attempts, d.uncounted),
  seen as (
    select array(select distinct subscription_id from candidate where is_over) as behind,
      coalesce((select id from unfinished where nth = ${SUBSCRIPTIONS_MAX}), '') as after,
      (select min(due_at) from place cross join lateral (
        select due_at from deliveries where subscription_id = place.id and state = 'waiting' and due_at > ${now}
        order by due_at limit 1) later) as next_due_ms)
  select seen.*, claimed.id as delivery_id, place.id as subscription_id, claimed.attempts as attempt,
    claimed.attempts - claimed.uncounted as tries, notices.id as webhook_id, notices.body, notices.trace, place.url,
    place.headers, place.retry_after_seconds, place.secret,
    place.old_secret, place.old_secret_until as old_secret_until_ms, place.failing_since as failing_since_ms
  from seen left join (claimed join chosen using (id) join place on place.id = claimed.subscription_id
    join notices on notices.id = claimed.notice_id) on true
  order by chosen.due_at, claimed.id`;
};

interface ClaimRow extends SealedSecrets, Omit<DeliveryClaim, 'deliveryId' | 'lease' | 'keys' | 'headers'> {
  readonly headers: Buffer | undefined;
  readonly behind: readonly string[];
  readonly after: string;
  readonly nextDueMs: number | undefined;
  /** undefined: nothing was claimed. */
  readonly deliveryId: number | undefined;
}

/** Claims what is due of all active subscriptions, of each as many as it may have under way. */
export const claimDeliveries = async (
  { pool, keysOf, headersOf }: { readonly pool: Pool; readonly keysOf: KeysOf; readonly headersOf: HeadersOf },
  query: DeliveryQuery,
): Promise<ClaimedDeliveries> => {
  const lease = randomUUID();
  const { nowMs } = query;
  const rows = await queryPrepared<ClaimRow>(pool)`${claimOf(query, lease)}`;
  const { behind = [], after = '', nextDueMs } = rows[0] ?? {};
  const claims = rows.flatMap(
    ({ deliveryId, secret, oldSecret, oldSecretUntilMs, headers, ...row }): DeliveryClaim[] => {
      if (deliveryId === undefined) return [];
      const { behind: _, after: __, nextDueMs: ___, ...own } = row;
      const keys = () => keysOf(row.subscriptionId, { secret, oldSecret, oldSecretUntilMs }, nowMs);
      return [{ ...own, deliveryId, lease, keys, headers: () => headersOf(row.subscriptionId, headers) }];
    },
  );
  return { claims, behind, after, nextInMs: nextDueMs === undefined ? undefined : Math.max(1, nextDueMs - nowMs) };
};

/** As many tries as a new one has, the first at once. What is being sent at this moment is left alone. */
export const resetDeliveries = async (client: PoolClient, ids: readonly number[], nowMs: number): Promise<number> => {
  const reset = await execute(client)`
    update deliveries set state = 'pending', due_at = ${new Date(nowMs)}, uncounted = attempts, finished_at = null
    where id = any(${ids}::bigint[]) and state <> 'sending'`;
  if (reset > 0) await execute(client)`select ${notifyWork('delivery')}`;
  return reset;
};
