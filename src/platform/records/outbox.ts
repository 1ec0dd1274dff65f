/** The outbox: jobs written in the transaction that makes them due, and handed to the queue afterwards. */
import type { Pool } from 'pg';
import type { QueueName } from '../queue/queues.ts';
import { transaction } from './pool.ts';
import { queryAll, queryOne } from './sql.ts';

// Ids of jobs are deterministic, so that a second relay or the reconciler adds no second job.
export const statusJobId = (pushId: number): string => `s-${pushId}`;

const numberIn =
  (pattern: RegExp) =>
  (jobId: string): number | undefined => {
    const id = pattern.exec(jobId)?.[1];
    return id === undefined ? undefined : Number(id);
  };
export const parseStatusJobId = numberIn(/^s-(\d{1,15})$/);

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
    const rows = await queryAll<{ queue: QueueName; id: string; dueAtMs: number }>(client)`
      delete from outbox where id in (select id from outbox order by id limit ${BATCH} for update skip locked)
      returning queue, job_id as id, due_at as due_at_ms`;
    for (const [queue, jobs] of Map.groupBy(rows, (row) => row.queue)) await add(queue, jobs);
    return rows.length;
  });

/** Names this installation, for what it shares with others, such as a Redis: 8 hex digits. */
export const getInstallation = async (pool: Pool): Promise<string> =>
  (await queryOne<{ name: string }>(pool)`select left(id::text, 8) as name from installation`).name;
