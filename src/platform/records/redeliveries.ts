/** Sending again what was delivered or failed, under the same webhook-id: one delivery, or all that match. */
import type { Pool, PoolClient } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { recordShipperAudit } from './audit.ts';
import { type DeliveryFilter, FILTERED, filterValues } from './delivery-log.ts';
import { deliveryJobId } from './notices.ts';
import { writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';
import type { Owner } from './subscriptions.ts';

/**
 * As many tries as a new one has, the first at once. What is being sent at this moment is left alone. The number of one
 * that waits is spent: the job of that name is put off until its next try was due, and the queue would keep that.
 */
const resetAll = async (client: PoolClient, ids: readonly number[], nowMs: number): Promise<number> => {
  const { rows } = await client.query<{ id: number; attempts: number }>(
    `update deliveries set state = 'pending', due_at = $2, attempts = attempts + (state = 'waiting')::int,
       uncounted = attempts + (state = 'waiting')::int, parked = false, finished_at = null
     where id = any($1::bigint[]) and state <> 'sending' returning id, attempts`,
    [ids, new Date(nowMs)],
  );
  await writeOutbox(
    client,
    rows.map(({ id, attempts }) => ({ queue: 'delivery' as const, jobId: deliveryJobId(id, attempts + 1) })),
  );
  return rows.length;
};

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
    const { rows } = await client.query<{ state: string }>(
      `select s.state from deliveries d join subscriptions s on s.id = d.subscription_id
       where d.id = $1 and s.shipper_id = $2 and s.environment = $3`,
      [id, owner.shipperId, owner.environment],
    );
    if (rows[0] === undefined) return undefined;
    if ((await resetAll(client, [id], nowMs)) === 0) return 'under_way';
    await recordShipperAudit(client, owner, { action: 'redeliver', subject: `delivery:${id}` });
    return rows[0].state === 'paused' ? 'paused' : 'queued';
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

interface Row {
  id: number;
  shipper_id: number;
  environment: EnvironmentName;
  filter: string;
  state: 'running' | 'done';
  matching: number;
  redelivered: number;
  position: number;
  last: number;
  created_at: Date;
  finished_at: Date | null;
}

const BATCH = 500;

const redeliveryOf = (row: Row): Redelivery => ({
  id: row.id,
  state: row.state,
  matching: row.matching,
  redelivered: row.redelivered,
  createdAtMs: row.created_at.getTime(),
  finishedAtMs: row.finished_at?.getTime(),
});

/** The position makes each batch's job another one. */
const redeliveryJobId = ({ id, position }: Pick<Row, 'id' | 'position'>): string => `r-${id}-p${position}`;

export const parseRedeliveryJobId = (jobId: string): number | undefined => {
  const id = /^r-(\d{1,15})-p\d{1,15}$/.exec(jobId)?.[1];
  return id === undefined ? undefined : Number(id);
};

/** Records the wish and queues its first batch. Without a state it means those that failed. */
export const beginRedelivery = async (pool: Pool, owner: Owner, filter: DeliveryFilter): Promise<Redelivery> =>
  await transaction(pool, async (client) => {
    const whole: DeliveryFilter = { ...filter, state: filter.state ?? 'failed' };
    const { rows } = await client.query<Row>(
      `insert into redeliveries (shipper_id, environment, filter, matching, last)
       select $1, $2, $8, count(*), coalesce(max(d.id), 0) from ${FILTERED} returning *`,
      [...filterValues(owner, whole), JSON.stringify(whole)],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('insert … returning gave no row');
    await writeOutbox(client, [{ queue: 'delivery', jobId: redeliveryJobId(row) }]);
    const detail = JSON.stringify({ ...whole, matching: row.matching });
    await recordShipperAudit(client, owner, { action: 'redeliver_matching', subject: `redelivery:${row.id}`, detail });
    return redeliveryOf(row);
  });

/** Carries out the next batch, and queues the one after it. undefined: it is done, or there is none. */
export const continueRedelivery = async (pool: Pool, id: number, nowMs: number): Promise<Redelivery | undefined> =>
  await transaction(pool, async (client) => {
    const running = await client.query<Row>(
      `select * from redeliveries where id = $1 and state = 'running' for update`,
      [id],
    );
    const [row] = running.rows;
    if (row === undefined) return undefined;
    const owner: Owner = { shipperId: row.shipper_id, environment: row.environment };
    const found = await client.query<{ id: number }>(
      `select d.id from ${FILTERED} and d.id > $8 and d.id <= $9 order by d.id limit ${BATCH} for update of d`,
      [...filterValues(owner, JSON.parse(row.filter) as DeliveryFilter), row.position, row.last],
    );
    const ids = found.rows.map((delivery) => delivery.id);
    const count = await resetAll(client, ids, nowMs);
    const isDone = ids.length < BATCH;
    const { rows } = await client.query<Row>(
      `update redeliveries set redelivered = redelivered + $2, position = $3, state = $4, finished_at = $5
       where id = $1 returning *`,
      [id, count, ids.at(-1) ?? row.last, isDone ? 'done' : 'running', isDone ? new Date(nowMs) : null],
    );
    const [after] = rows;
    if (after === undefined) return undefined;
    if (!isDone) await writeOutbox(client, [{ queue: 'delivery', jobId: redeliveryJobId(after) }]);
    return redeliveryOf(after);
  });

export const findRedelivery = async (pool: Pool, owner: Owner, id: number): Promise<Redelivery | undefined> => {
  const { rows } = await pool.query<Row>(
    'select * from redeliveries where id = $1 and shipper_id = $2 and environment = $3',
    [id, owner.shipperId, owner.environment],
  );
  return rows[0] === undefined ? undefined : redeliveryOf(rows[0]);
};

/** Jobs of those that are not done, for the reconciler to queue again. */
export const findRunningRedeliveries = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<Pick<Row, 'id' | 'position'>>(
    `select id, position from redeliveries where state = 'running' order by id limit 100`,
  );
  return rows.map(redeliveryJobId);
};
