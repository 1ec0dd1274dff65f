/** Deliveries as the worker sees them: claimed under a lease, concluded under the same. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Sealer } from './sealer.ts';
import type { NextState } from '../../engine/webhooks/decide.ts';
import type { ClaimedDelivery, Deliveries, DeliveryClaim, DeliveryTry } from '../../engine/webhooks/deliver.ts';
import { fromNow } from './lease.ts';
import { deliveryJobId } from './notices.ts';
import { writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';
import { openSecrets, type SecretColumns } from './subscriptions.ts';

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

export const parseDeliveryJobId = (jobId: string): number | undefined => {
  const id = /^w-(\d{1,15})-a\d{1,9}$/.exec(jobId)?.[1];
  return id === undefined ? undefined : Number(id);
};

export const createDeliveries = (store: DeliveryStore): Deliveries => ({
  claim: async (deliveryId) => await claim(store, deliveryId),
  conclude: async (claimed, tried, next) => await conclude(store, claimed, tried, next),
});

interface ClaimRow extends SecretColumns {
  subscription_id: string;
  is_active: boolean;
  failing_since: Date | null;
  url: string;
  /** null: not claimed. */
  attempts: number | null;
  uncounted: number | null;
  notice_id: string;
  body: string;
}

/**
 * One statement. A try whose lease ran out was cut short with the process that made it: it is written down as lost,
 * does not count, and is made again.
 */
const CLAIM = `
  with found as (
    select d.id, d.state, d.attempts, d.lease_until, s.state = 'active' as is_active, s.failing_since,
      (select count(*) from deliveries busy where busy.subscription_id = d.subscription_id and busy.state = 'sending'
        and busy.lease_until >= ${fromNow('$5')})
        < case when s.failing_since < $6 then ${AT_ONCE_WHEN_FAILING} else ${AT_ONCE} end as has_room
    from deliveries d join subscriptions s on s.id = d.subscription_id
    where d.id = $1 and (d.state = 'pending' or (d.state = 'waiting' and d.due_at <= $3)
      or (d.state = 'sending' and d.lease_until < now()))
    for update of d),
  lost as (
    insert into delivery_attempts (delivery_id, attempt, at, duration_ms, outcome, message)
    select id, attempts, $3, 0, 'lost', 'the process that sent it ended; it is sent again' from found
    where state = 'sending' and is_active and has_room
    on conflict do nothing),
  parked as (
    update deliveries d set parked = true from found where d.id = found.id and found.is_active and not found.has_room),
  claimed as (
    update deliveries d set state = 'sending', attempts = d.attempts + 1, lease = $2, lease_until = ${fromNow('$4')},
      parked = false, uncounted = d.uncounted + case when found.state = 'sending' then 1 else 0 end
    from found where d.id = found.id and found.is_active and found.has_room
    returning d.attempts, d.uncounted)
  select d.subscription_id, found.is_active, found.failing_since, s.url, s.secret, s.old_secret, s.old_secret_until,
    claimed.attempts, claimed.uncounted, n.id as notice_id, n.body
  from found join deliveries d on d.id = found.id join subscriptions s on s.id = d.subscription_id
    join notices n on n.id = d.notice_id left join claimed on true`;

const claim = async (store: DeliveryStore, deliveryId: number): Promise<ClaimedDelivery> => {
  const lease = randomUUID();
  const nowMs = store.nowMs();
  const { rows } = await store.pool.query<ClaimRow>(CLAIM, [
    deliveryId,
    lease,
    new Date(nowMs),
    LEASE_MS,
    LEASE_MS - HOLDS_A_PLACE_MS,
    new Date(nowMs - FAILING_FOR_MS),
  ]);
  const [row] = rows;
  if (row === undefined) return { kind: 'not_ours' };
  if (row.attempts === null) return { kind: row.is_active ? 'busy' : 'paused' };
  return {
    kind: 'claimed',
    claim: {
      deliveryId,
      subscriptionId: row.subscription_id,
      lease,
      attempt: row.attempts,
      tries: row.attempts - (row.uncounted ?? 0),
      failingSinceMs: row.failing_since?.getTime(),
      webhookId: row.notice_id,
      body: row.body,
      url: row.url,
      secrets: () => openSecrets(store.sealer, row.subscription_id, row, nowMs),
    },
  };
};

const conclude = async (
  store: DeliveryStore,
  claimed: DeliveryClaim,
  tried: DeliveryTry,
  next: NextState,
): Promise<boolean> =>
  await transaction(store.pool, async (client) => {
    // The subscription first, as its deletion does.
    await noteHealth(client, claimed.subscriptionId, next, new Date(store.nowMs()));
    const isHeld = await record(client, claimed, tried, next, new Date(store.nowMs()));
    if (isHeld && next.state === 'waiting' && next.pause === undefined) {
      const jobId = deliveryJobId(claimed.deliveryId, claimed.attempt + 1);
      await writeOutbox(client, [{ queue: 'delivery', jobId, dueAtMs: next.dueAtMs }]);
    }
    await releaseParked(client, claimed.subscriptionId);
    return isHeld;
  });

const noteHealth = async (client: PoolClient, subscriptionId: string, next: NextState, now: Date): Promise<void> => {
  if (next.state === 'delivered') {
    await client.query('update subscriptions set failing_since = null where id = $1 and failing_since is not null', [
      subscriptionId,
    ]);
    return;
  }
  if (next.state === 'waiting' && !next.counted && next.pause === undefined) return;
  await client.query(`update subscriptions set failing_since = $2 where id = $1 and failing_since is null`, [
    subscriptionId,
    now,
  ]);
  if (next.pause === undefined) return;
  await client.query(
    `update subscriptions set state = 'paused', paused_at = $2, pause_reason = $3 where id = $1 and state = 'active'`,
    [subscriptionId, now, next.pause],
  );
};

/** The try goes into the log even when the lease is lost: it was made. */
const record = async (
  client: PoolClient,
  claimed: DeliveryClaim,
  tried: DeliveryTry,
  next: NextState,
  now: Date,
): Promise<boolean> => {
  const isWaiting = next.state === 'waiting';
  const { rowCount } = await client.query(
    `update deliveries set state = $3, due_at = coalesce($4, due_at), uncounted = uncounted + $5, lease = null,
       lease_until = null, finished_at = $6
     where id = $1 and lease = $2 and state = 'sending'`,
    [
      claimed.deliveryId,
      claimed.lease,
      next.state,
      isWaiting ? new Date(next.dueAtMs) : null,
      isWaiting && !next.counted ? 1 : 0,
      isWaiting ? null : now,
    ],
  );
  await client.query(
    `insert into delivery_attempts (delivery_id, attempt, at, status, duration_ms, outcome, message)
     select id, $2, $3, $4, $5, $6, $7 from deliveries where id = $1
     on conflict (delivery_id, attempt) do update set at = excluded.at, status = excluded.status,
       duration_ms = excluded.duration_ms, outcome = excluded.outcome, message = excluded.message`,
    [
      claimed.deliveryId,
      claimed.attempt,
      new Date(tried.atMs),
      tried.status ?? null,
      tried.durationMs,
      tried.outcome,
      tried.message ?? null,
    ],
  );
  return rowCount === 1;
};

/** Who was refused for want of room gets a job again; should that be lost, the reconciler finds them due. */
const releaseParked = async (client: PoolClient, subscriptionId: string): Promise<void> => {
  const { rows } = await client.query<{ id: number; attempts: number }>(
    `update deliveries set parked = false where id in (
       select id from deliveries where subscription_id = $1 and parked order by due_at, id
       limit ${RELEASED_AT_ONCE} for update skip locked)
     returning id, attempts`,
    [subscriptionId],
  );
  await writeOutbox(
    client,
    rows.map(({ id, attempts }) => ({ queue: 'delivery' as const, jobId: deliveryJobId(id, attempts + 1) })),
  );
};

/** Each by an index of its own: many that wait must not be sorted each time. */
const unfinishedOf = (which: 'parked' | 'not parked'): string => `(
  select id, attempts from deliveries d where d.subscription_id = s.id and ${which}
    and state in ('pending', 'sending', 'waiting') and due_at <= $1 and (state <> 'sending' or lease_until < now())
  order by due_at limit $2)`;

/**
 * Deliveries that the records say are due and unfinished, as jobs for the reconciler to queue again. At most
 * `perSubscription` of each, so that one with many does not keep the others from being found; none of the paused. The
 * parked come first: they have no job, while the oldest may have one with a worker that died, which the queue finds.
 */
export const findUnfinishedDeliveries = async (
  pool: Pool,
  {
    nowMs,
    graceMs,
    perSubscription,
  }: { readonly nowMs: number; readonly graceMs: number; readonly perSubscription: number },
): Promise<readonly { readonly id: number; readonly jobId: string }[]> => {
  const { rows } = await pool.query<{ id: number; attempts: number }>(
    `select due.id, due.attempts from subscriptions s cross join lateral (
       ${unfinishedOf('parked')} union all ${unfinishedOf('not parked')} limit $2) due
     where s.state = 'active'`,
    [new Date(nowMs - graceMs), perSubscription],
  );
  return rows.map(({ id, attempts }) => ({ id, jobId: deliveryJobId(id, attempts + 1) }));
};
