import type { Pool, PoolClient } from 'pg';
import type { QueueName } from '../queue/queues.ts';
import { transaction } from './pool.ts';

/** Something to be queued, written in the transaction that makes it due. */
export interface OutboxJob {
  readonly queue: QueueName;
  readonly jobId: string;
  /** undefined: at once. */
  readonly dueAtMs?: number | undefined;
}

export const writeOutbox = async (client: PoolClient, jobs: readonly OutboxJob[]): Promise<void> => {
  if (jobs.length === 0) return;
  await client.query(
    `insert into outbox (queue, job_id, due_at)
     select queue, job_id, coalesce(to_timestamp(due_ms / 1000.0), now())
     from unnest($1::text[], $2::text[], $3::float8[]) as job (queue, job_id, due_ms)`,
    [jobs.map((job) => job.queue), jobs.map((job) => job.jobId), jobs.map((job) => job.dueAtMs ?? null)],
  );
};

const BATCH = 200;

/**
 * Hands up to 200 jobs to `add` and removes them from the outbox once it resolves; when it rejects they stay. Rows that
 * another relay has in hand are passed over. Yields how many were handed on.
 */
export const relayOutbox = async (
  pool: Pool,
  add: (queue: QueueName, jobs: readonly { readonly id: string; readonly dueAtMs: number }[]) => Promise<void>,
): Promise<number> =>
  await transaction(pool, async (client) => {
    const { rows } = await client.query<{ queue: QueueName; job_id: string; due_at: Date }>(
      `delete from outbox where id in (select id from outbox order by id limit ${BATCH} for update skip locked)
       returning queue, job_id, due_at`,
    );
    const byQueue = Map.groupBy(rows, (row) => row.queue);
    for (const [queue, jobs] of byQueue) {
      await add(
        queue,
        jobs.map((job) => ({ id: job.job_id, dueAtMs: job.due_at.getTime() })),
      );
    }
    return rows.length;
  });
