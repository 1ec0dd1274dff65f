/** Sends deliveries again under the same webhook-id: one, or all that match a filter. */
import type { Pool } from 'pg';
import { recordAudit } from './audit.ts';
import { resetDeliveries } from './deliveries.ts';
import { type DeliveryFilter, matchingDeliveries } from './delivery-log.ts';
import { transaction } from './pool.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, queryAll, queryFirst, queryOne, sql, notifyWork } from './sql.ts';

export type Redelivered =
  | 'queued'
  /** Goes out when its subscription is resumed. */
  | 'paused'
  /** It is being sent at this moment. */
  | 'under_way';

/** undefined: the owner has no such delivery. */
export const redeliverOne = async (
  pool: Pool,
  owner: Owner,
  id: number,
  nowMs: number,
): Promise<Redelivered | undefined> =>
  await transaction(pool, async (client) => {
    const found = await queryFirst<{ state: string }>(client)`
      select s.state from deliveries d join subscriptions s on s.id = d.subscription_id
      where d.id = ${id} and ${ownedBy(owner)}`;
    if (found === undefined) return undefined;
    if ((await resetDeliveries(client, [id], nowMs)) === 0) return 'under_way';
    await recordAudit(client, { actor: owner, action: 'redeliver', subject: `delivery:${id}` });
    return found.state === 'paused' ? 'paused' : 'queued';
  });

/** How far the redelivery of all that matched has come. */
export interface Redelivery {
  readonly id: number;
  readonly state: 'running' | 'done';
  /** When it was asked for. */
  readonly matching: number;
  /** Put back to be sent so far. */
  readonly redelivered: number;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | undefined;
}

/** Deliveries up to `position` are done, those after `last` came later. */
type Running = Owner & { readonly filter: DeliveryFilter; readonly position: number; readonly last: number };

const VIEW = sql`id, state, matching, redelivered, created_at as created_at_ms, finished_at as finished_at_ms`;
const BATCH = 500;

/** Records the wish, for the pump to carry out. Without a state it means those that failed. */
export const beginRedelivery = async (pool: Pool, owner: Owner, filter: DeliveryFilter): Promise<Redelivery> =>
  await transaction(pool, async (client) => {
    const whole: DeliveryFilter = { ...filter, state: filter.state ?? 'failed' };
    const begun = await queryOne<Redelivery>(client)`
      insert into redeliveries (shipper_id, environment, filter, matching, last)
      select ${owner.shipperId}, ${owner.environment}, ${JSON.stringify(whole)}, count(*), coalesce(max(d.id), 0)
      from ${matchingDeliveries(owner, whole)} returning ${VIEW}`;
    const { id, matching } = begun;
    await execute(client)`select ${notifyWork('redelivery')}`;
    const detail = JSON.stringify({ ...whole, matching });
    await recordAudit(client, { actor: owner, action: 'redeliver_matching', subject: `redelivery:${id}`, detail });
    return begun;
  });

/** Carries out the next batch. undefined: it is done, there is none, or another process is at it. */
export const continueRedelivery = async (pool: Pool, id: number, nowMs: number): Promise<Redelivery | undefined> =>
  await transaction(pool, async (client) => {
    const running = await queryFirst<Running>(client)`
      select *, filter::json as filter from redeliveries where id = ${id} and state = 'running'
      for update skip locked`;
    if (running === undefined) return undefined;
    const found = await queryAll<{ id: number }>(client)`
      select d.id from ${matchingDeliveries(running, running.filter)} and d.id > ${running.position}
        and d.id <= ${running.last}
      order by d.id limit ${BATCH} for update of d`;
    const ids = found.map((delivery) => delivery.id);
    const count = await resetDeliveries(client, ids, nowMs);
    const isDone = ids.length < BATCH;
    const position = ids.at(-1) ?? running.last;
    return await queryOne<Redelivery>(client)`
      update redeliveries set redelivered = redelivered + ${count}, position = ${position},
        state = ${isDone ? 'done' : 'running'}, finished_at = ${isDone ? new Date(nowMs) : undefined}
      where id = ${id} returning ${VIEW}`;
  });

export const findRedelivery = async (pool: Pool, owner: Owner, id: number): Promise<Redelivery | undefined> =>
  await queryFirst<Redelivery>(pool)`
    select ${VIEW} from redeliveries where id = ${id} and ${ownedBy(owner)}`;

/** Of those that are not done and that nobody is at, any: a long one, or one that fails, must not keep the others. */
export const findRunningRedeliveries = async (pool: Pool, limit: number): Promise<readonly number[]> => {
  const rows = await queryAll<{ id: number }>(pool)`
    select id from redeliveries where state = 'running' order by random() limit ${limit}
    for update skip locked`;
  return rows.map(({ id }) => id);
};
