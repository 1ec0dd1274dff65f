/** Records the results of delivery attempts in batches, each under its lease, and the health of their receivers. */
import { DatabaseError, type Pool } from 'pg';
import type { EndedDelivery } from '../../engine/webhooks/delivery.ts';
import { APART_MS, createBatcher } from './batch.ts';
import { queryPrepared, RELEASED, rowsOf } from './sql.ts';

interface Health {
  readonly id: string;
  /** A try succeeded: what failed before it is forgotten. */
  isWell: boolean;
  /** A try failed, after that success. */
  hasFailed: boolean;
  pause: string | undefined;
}

/** What the ends, in their order, say of each subscription. */
const healthOf = (ended: readonly EndedDelivery[]): readonly Health[] => {
  const byId = new Map<string, Health>();
  for (const { claim, next } of ended) {
    const id = claim.subscriptionId;
    const health = byId.get(id) ?? { id, isWell: false, hasFailed: false, pause: undefined };
    byId.set(id, health);
    if (next.state === 'delivered') Object.assign(health, { isWell: true, hasFailed: false });
    else if (next.state === 'failed' || next.counted || next.pause !== undefined) {
      health.hasFailed = true;
      health.pause ??= next.pause;
    }
  }
  return [...byId.values()];
};

/** One statement. An attempt is logged even when the lease is lost: it was made. */
const concludeAll = async (pool: Pool, ended: readonly EndedDelivery[], nowMs: number): Promise<readonly boolean[]> => {
  const now = new Date(nowMs);
  const rows = rowsOf(
    'ended',
    ended.map(({ claim, attempt, next }, place) => ({ ...claim, ...next, ...attempt, attempt: claim.attempt, place })),
    `place int, id bigint, lease uuid, attempt int, state text, due_at timestamptz, uncounted int, at timestamptz,
     status int, duration_ms int, outcome text, message text`,
    {
      id: ({ deliveryId }) => deliveryId,
      due_at: (one) => (one.state === 'waiting' ? one.dueAtMs : undefined),
      uncounted: (one) => (one.state === 'waiting' && !one.counted ? 1 : 0),
    },
  );
  const health = rowsOf('health', healthOf(ended), 'id text, is_well bool, failed_at timestamptz, pause text', {
    failed_at: ({ hasFailed }) => (hasFailed ? now : undefined),
  });
  const held = await queryPrepared<{ place: number }>(pool)`
    with ended as (select * from ${rows}),
    changed as (
      -- In one order: other processes write down what they saw of the same ones.
      select health.* from ${health} join subscriptions s on s.id = health.id
      where failing_since is not null and is_well or failing_since is null and failed_at is not null
        or pause is not null and state = 'active'
      order by s.id for no key update of s),
    noted as (
      update subscriptions s set
        failing_since = case when is_well then failed_at else coalesce(failing_since, failed_at) end,
        state = case when pause is null then state else 'paused' end,
        paused_at = case when pause is null or state = 'paused' then paused_at else ${now}::timestamptz end,
        pause_reason = case when state = 'paused' then pause_reason else pause end
      from changed where s.id = changed.id
      returning s.id),
    held as (
      -- The subscriptions first, as their deletion does.
      update deliveries d set state = ended.state, due_at = coalesce(ended.due_at, d.due_at),
        uncounted = d.uncounted + ended.uncounted, ${RELEASED},
        finished_at = case when ended.state <> 'waiting' then ${now}::timestamptz end
      from ended where d.id = ended.id and d.lease = ended.lease and d.state = 'sending'
        and (select count(*) from noted) >= 0
      returning ended.place),
    logged as (
      insert into delivery_attempts (delivery_id, attempt, at, status, duration_ms, outcome, message)
      select d.id, ended.attempt, at, status, duration_ms, outcome, message from ended join deliveries d using (id)
      on conflict (delivery_id, attempt) do update set at = excluded.at, status = excluded.status,
        duration_ms = excluded.duration_ms, outcome = excluded.outcome, message = excluded.message)
    select place from held`;
  const places = new Set(held.map(({ place }) => place));
  return ended.map((_, place) => places.has(place));
};

const CONCLUDED_MAX = 100;
const FOREIGN_KEY = '23503';

/** Records attempts and what follows, each under its claim's lease; false when that is gone, or the delivery is. */
export const createConclude = (pool: Pool, nowMs: () => number): ((ended: EndedDelivery) => Promise<boolean>) => {
  const add = createBatcher<EndedDelivery, boolean>(async (ended) => await concludeAll(pool, ended, nowMs()), {
    max: CONCLUDED_MAX,
    apartMs: APART_MS,
  });
  return async (ended) =>
    await add(ended).catch((error: unknown) => {
      // Its subscription was deleted at this moment.
      if (error instanceof DatabaseError && error.code === FOREIGN_KEY) return false;
      throw error;
    });
};
