/** Forgetting by age what is kept for looking into and for repeating. */
import type { Pool } from 'pg';
import { recordAudit } from './audit.ts';
import { execute, queryOne, sql, type Sql } from './sql.ts';

/** How many there are older than the limit, or were. */
export interface Retained {
  readonly exchanges: number;
  /** Carriers' raw answers kept with finished dispatches. */
  readonly answers: number;
  readonly labels: number;
  readonly idempotencyKeys: number;
  /** Carriers' status pushes as they came; what was read from them stays. */
  readonly pushes: number;
  /** Events that never found a consignment. */
  readonly unmatchedEvents: number;
}

interface Kept {
  readonly name: keyof Retained;
  readonly table: Sql;
  readonly where: Sql;
  /** What is set where the row itself stays; without it the row goes. */
  readonly empty?: Sql;
}

const keptBefore = (limit: Date): readonly Kept[] => [
  { name: 'exchanges', table: sql`exchanges`, where: sql`at < ${limit}` },
  {
    name: 'pushes',
    table: sql`pushes`,
    where: sql`state <> 'pending' and received_at < ${limit} and request <> '{}'`,
    empty: sql`body = '', request = '{}', failure = null`,
  },
  {
    name: 'unmatchedEvents',
    table: sql`events`,
    where: sql`match <> 'matched' and consignment_id is null and received_at < ${limit}`,
  },
  {
    name: 'answers',
    table: sql`calls`,
    where: sql`answer is not null and sent_at < ${limit} and dispatch_id in (
      select id from dispatches where state in ('done', 'rejected', 'cancelled'))`,
    empty: sql`answer = null`,
  },
  { name: 'labels', table: sql`labels`, where: sql`state <> 'pending' and coalesce(stored_at, created_at) < ${limit}` },
  { name: 'idempotencyKeys', table: sql`idempotency_keys`, where: sql`created_at < ${limit}` },
];

/** Rows a statement takes, so that none holds its locks for long. */
const BATCH = 1_000;

/** Counts what is older; forgets nothing. */
export const countOlder = async (pool: Pool, limit: Date): Promise<Retained> =>
  await eachKept(limit, async ({ table, where }) => {
    const counted = await queryOne<{ count: number }>(pool)`select count(*) as count from ${table} where ${where}`;
    return counted.count;
  });

/** Forgets what is older, in batches, and notes in the audit log how much it was. */
export const forgetOlder = async (pool: Pool, limit: Date): Promise<Retained> => {
  const forgotten = await eachKept(limit, async ({ table, where, empty }) => {
    const rows = sql`ctid = any (array(select ctid from ${table} where ${where} limit ${BATCH}))`;
    const change = empty === undefined ? sql`delete from ${table}` : sql`update ${table} set ${empty}`;
    let sum = 0;
    for (;;) {
      // A row that changed since the look is judged anew by its own conditions.
      const count = await execute(pool)`${change} where ${rows} and ${where}`;
      if (count === 0) return sum;
      sum += count;
    }
  });
  const detail = JSON.stringify({ olderThan: limit.toISOString(), ...forgotten });
  await recordAudit(pool, { actor: 'command', action: 'retain', subject: 'records', detail });
  return forgotten;
};

const eachKept = async (limit: Date, count: (kept: Kept) => Promise<number>): Promise<Retained> => {
  const counts: Partial<Record<keyof Retained, number>> = {};
  for (const kept of keptBefore(limit)) counts[kept.name] = await count(kept);
  return counts as Retained;
};
