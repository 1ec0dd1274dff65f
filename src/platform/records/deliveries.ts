/** Deliveries as the worker sees them: claimed under a lease, concluded under the same. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type {
  NextState,
  ClaimedDelivery,
  Deliveries,
  DeliveryClaim,
  DeliveryAttempt,
} from '../../engine/webhooks/delivery.ts';
import { deliveryJobId, writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';
import type { Sealer } from './sealer.ts';
import {
  dateOf,
  type DueQuery,
  execute,
  fromNow,
  leasedTo,
  queryAll,
  queryFirst,
  RELEASED,
  sql,
  type Sql,
} from './sql.ts';
import { openSecrets, type SealedSecrets } from './subscriptions.ts';

export interface DeliveryStore {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
}

/** More than a receiver's time to answer. */
const LEASE_MS = 45_000;
/** Deliveries of one subscription that may be under way at once: one that hangs must not hold all workers. */
const AT_ONCE = 12;
const AT_ONCE_WHEN_FAILING = 2;
/** Nobody may tell a receiver that hangs from a sender that died: after so long its place is another's. */
const HOLDS_A_PLACE_MS = 15_000;
/** One failure is none yet. */
const FAILING_FOR_MS = 60_000;
/** Each end releases two of those that were refused, until there are as many under way as may be. */
const RELEASED_AT_ONCE = 2;

export const createDeliveries = (store: DeliveryStore): Deliveries => ({
  claim: async (deliveryId) => await claim(store, deliveryId),
  conclude: async (claimed, tried, next) => await conclude(store, claimed, tried, next),
});

interface ClaimRow extends SealedSecrets, Omit<DeliveryClaim, 'deliveryId' | 'attempt' | 'secrets'> {
  readonly isActive: boolean;
  /** Undefined: not claimed. */
  readonly attempt: number | undefined;
}

/**
 * One statement. A try whose lease ran out was cut short with the process that made it: it is written down as lost,
 * does not count, and is made again.
 */
const claimOf = (deliveryId: number, lease: string, nowMs: number): Sql => {
  const now = new Date(nowMs);
  return sql`
  with found as (
    select d.id, d.state, d.attempts, d.lease_until, s.state = 'active' as is_active, s.failing_since,
      (select count(*) from deliveries busy where busy.subscription_id = d.subscription_id and busy.state = 'sending'
        and busy.lease_until >= ${fromNow(LEASE_MS - HOLDS_A_PLACE_MS)})
        < case when s.failing_since < ${new Date(nowMs - FAILING_FOR_MS)} then ${AT_ONCE_WHEN_FAILING}::int
          else ${AT_ONCE}::int end as has_room
    from deliveries d join subscriptions s on s.id = d.subscription_id
    where d.id = ${deliveryId} and (d.state = 'pending' or (d.state = 'waiting' and d.due_at <= ${now})
      or (d.state = 'sending' and d.lease_until < now()))
    for update of d),
  lost as (
    insert into delivery_attempts (delivery_id, attempt, at, duration_ms, outcome, message)
    select id, attempts, ${now}, 0, 'lost', 'the process that sent it ended; it is sent again' from found
    where state = 'sending' and is_active and has_room
    on conflict do nothing),
  parked as (
    update deliveries d set parked = true from found where d.id = found.id and found.is_active and not found.has_room),
  claimed as (
    update deliveries d set state = 'sending', attempts = d.attempts + 1, ${leasedTo(lease, LEASE_MS)}, parked = false,
      uncounted = d.uncounted + case when found.state = 'sending' then 1 else 0 end
    from found where d.id = found.id and found.is_active and found.has_room
    returning d.lease, d.attempts, d.uncounted)
  select d.subscription_id, claimed.lease, found.is_active, found.failing_since as failing_since_ms, s.url, s.secret,
    s.old_secret, s.old_secret_until as old_secret_until_ms, claimed.attempts as attempt,
    claimed.attempts - claimed.uncounted as tries, n.id as webhook_id, n.body
  from found join deliveries d on d.id = found.id join subscriptions s on s.id = d.subscription_id
    join notices n on n.id = d.notice_id left join claimed on true`;
};

const claim = async ({ pool, sealer, ...store }: DeliveryStore, deliveryId: number): Promise<ClaimedDelivery> => {
  const nowMs = store.nowMs();
  const row = await queryFirst<ClaimRow>(pool)`${claimOf(deliveryId, randomUUID(), nowMs)}`;
  if (row === undefined) return { kind: 'not_ours' };
  const { isActive, attempt, secret, oldSecret, oldSecretUntilMs, ...claimed } = row;
  if (attempt === undefined) return { kind: isActive ? 'busy' : 'paused' };
  const secrets = () => openSecrets(sealer, row.subscriptionId, { secret, oldSecret, oldSecretUntilMs }, nowMs);
  return { kind: 'claimed', claim: { ...claimed, deliveryId, attempt, secrets } };
};

const conclude = async (
  { pool, nowMs }: DeliveryStore,
  claimed: DeliveryClaim,
  tried: DeliveryAttempt,
  next: NextState,
): Promise<boolean> =>
  await transaction(pool, async (client) => {
    const now = new Date(nowMs());
    // The subscription first, as its deletion does.
    await noteHealth(client, claimed.subscriptionId, next, now);
    const isHeld = await writeState(client, claimed, next, now);
    await logTry(client, claimed, tried);
    if (isHeld && next.state === 'waiting' && next.pause === undefined) {
      const jobId = deliveryJobId(claimed.deliveryId, claimed.attempt + 1);
      await writeOutbox(client, 'delivery', [{ jobId, dueAtMs: next.dueAtMs }]);
    }
    await releaseParked(client, claimed.subscriptionId);
    return isHeld;
  });

const noteHealth = async (client: PoolClient, subscriptionId: string, next: NextState, now: Date): Promise<void> => {
  if (next.state === 'delivered') {
    await execute(client)`
      update subscriptions set failing_since = null where id = ${subscriptionId} and failing_since is not null`;
    return;
  }
  if (next.state === 'waiting' && !next.counted && next.pause === undefined) return;
  await execute(client)`
    update subscriptions set failing_since = ${now} where id = ${subscriptionId} and failing_since is null`;
  if (next.pause === undefined) return;
  await execute(client)`
    update subscriptions set state = 'paused', paused_at = ${now}, pause_reason = ${next.pause}
    where id = ${subscriptionId} and state = 'active'`;
};

/** False: the lease is lost. */
const writeState = async (
  client: PoolClient,
  { deliveryId, lease }: DeliveryClaim,
  next: NextState,
  now: Date,
): Promise<boolean> => {
  const waiting = next.state === 'waiting' ? next : undefined;
  const written = await execute(client)`
    update deliveries set state = ${next.state}, due_at = coalesce(${dateOf(waiting?.dueAtMs)}, due_at),
      uncounted = uncounted + ${waiting?.counted === false ? 1 : 0}, ${RELEASED},
      finished_at = ${waiting === undefined ? now : undefined}
    where id = ${deliveryId} and lease = ${lease} and state = 'sending'`;
  return written === 1;
};

/** Even when the lease is lost: the try was made. */
const logTry = async (
  client: PoolClient,
  { deliveryId, attempt }: DeliveryClaim,
  { atMs, status, durationMs, outcome, message }: DeliveryAttempt,
): Promise<void> => {
  await execute(client)`
    insert into delivery_attempts (delivery_id, attempt, at, status, duration_ms, outcome, message)
    select id, ${attempt}, ${new Date(atMs)}, ${status}, ${durationMs}, ${outcome}, ${message} from deliveries
    where id = ${deliveryId}
    on conflict (delivery_id, attempt) do update set at = excluded.at, status = excluded.status,
      duration_ms = excluded.duration_ms, outcome = excluded.outcome, message = excluded.message`;
};

/** Who was refused for want of room gets a job again; should that be lost, the reconciler finds them due. */
const releaseParked = async (client: PoolClient, subscriptionId: string): Promise<void> => {
  const rows = await queryAll<JobRow>(client)`
    update deliveries set parked = false where id in (
      select id from deliveries where subscription_id = ${subscriptionId} and parked order by due_at, id
      limit ${RELEASED_AT_ONCE} for update skip locked)
    returning id, attempts`;
  await writeOutbox(client, 'delivery', rows.map(nextJob));
};

type JobRow = { readonly id: number; readonly attempts: number };
const nextJob = ({ id, attempts }: JobRow) => ({ jobId: deliveryJobId(id, attempts + 1) });

/**
 * As many tries as a new one has, the first at once. What is being sent at this moment is left alone. The number of one
 * that waits is spent: the job of that name is put off until its next try was due, and the queue would keep that.
 */
export const resetDeliveries = async (client: PoolClient, ids: readonly number[], nowMs: number): Promise<number> => {
  const rows = await queryAll<JobRow>(client)`
    update deliveries set state = 'pending', due_at = ${new Date(nowMs)},
      attempts = attempts + (state = 'waiting')::int,
      uncounted = attempts + (state = 'waiting')::int, parked = false, finished_at = null
    where id = any(${ids}::bigint[]) and state <> 'sending' returning id, attempts`;
  await writeOutbox(client, 'delivery', rows.map(nextJob));
  return rows.length;
};

/** Each by an index of its own: many that wait must not be sorted each time. */
const unfinishedOf = (which: Sql, dueBy: Date, limit: number): Sql => sql`(
  select id, attempts from deliveries d where d.subscription_id = s.id and ${which}
    and state in ('pending', 'sending', 'waiting') and due_at <= ${dueBy}
      and (state <> 'sending' or lease_until < now())
  order by due_at limit ${limit})`;

/**
 * Deliveries that the records say are due and unfinished, as jobs for the reconciler to queue again. At most
 * `limit` of each subscription, so that one with many does not keep the others from being found; none of the paused. The
 * parked come first: they have no job, while the oldest may have one with a worker that died, which the queue finds.
 */
export const findDueDeliveries = async (
  pool: Pool,
  { nowMs, graceMs, limit: perSubscription }: DueQuery,
): Promise<readonly string[]> => {
  const dueBy = new Date(nowMs - graceMs);
  const rows = await queryAll<JobRow>(pool)`
    select due.id, due.attempts from subscriptions s cross join lateral (
      ${unfinishedOf(sql`parked`, dueBy, perSubscription)} union all
      ${unfinishedOf(sql`not parked`, dueBy, perSubscription)} limit ${perSubscription}) due
    where s.state = 'active'`;
  return rows.map((row) => nextJob(row).jobId);
};
