/** Forgetting by age what is kept for looking into and for repeating. */
import type { Pool } from 'pg';
import { recordAudit } from './audit.ts';
import { execute, queryOne } from './sql.ts';

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
  readonly table: string;
  /** `$1`: the limit. */
  readonly where: string;
  /** What is set where the row itself stays; without it the row goes. */
  readonly empty?: string;
}

const KEPT: readonly Kept[] = [
  { name: 'exchanges', table: 'exchanges', where: 'at < $1' },
  {
    name: 'pushes',
    table: 'pushes',
    where: `state <> 'pending' and received_at < $1 and request <> '{}'`,
    empty: `body = '', request = '{}', failure = null`,
  },
  {
    name: 'unmatchedEvents',
    table: 'events',
    where: `match <> 'matched' and consignment_id is null and received_at < $1`,
  },
  {
    name: 'answers',
    table: 'calls',
    where: `answer is not null and sent_at < $1 and dispatch_id in (
      select id from dispatches where state in ('done', 'rejected', 'cancelled'))`,
    empty: 'answer = null',
  },
  {
    name: 'labels',
    table: 'labels',
    where: `state <> 'pending' and coalesce(stored_at, created_at) < $1`,
  },
  { name: 'idempotencyKeys', table: 'idempotency_keys', where: 'created_at < $1' },
];

/** Rows a statement takes, so that none holds its locks for long. */
const BATCH = 1_000;

/** Counts what is older; forgets nothing. */
export const countOlder = async (pool: Pool, limit: Date): Promise<Retained> =>
  await eachKept(async ({ table, where }) => {
    const counted = await queryOne<{ count: number }>(pool, `select count(*) as count from ${table} where ${where}`, [
      limit,
    ]);
    return counted.count;
  });

/** Forgets what is older, in batches, and notes in the audit log how much it was. */
export const forgetOlder = async (pool: Pool, limit: Date): Promise<Retained> => {
  const forgotten = await eachKept(async ({ table, where, empty }) => {
    const rows = `ctid = any (array(select ctid from ${table} where ${where} limit ${BATCH}))`;
    // A row that changed since the look is judged anew by its own conditions.
    const statement =
      empty === undefined
        ? `delete from ${table} where ${rows} and ${where}`
        : `update ${table} set ${empty} where ${rows} and ${where}`;
    let sum = 0;
    for (;;) {
      const count = await execute(pool, statement, [limit]);
      if (count === 0) return sum;
      sum += count;
    }
  });
  const detail = JSON.stringify({ olderThan: limit.toISOString(), ...forgotten });
  await recordAudit(pool, { actor: 'command', action: 'retain', subject: 'records', detail });
  return forgotten;
};

const eachKept = async (count: (kept: Kept) => Promise<number>): Promise<Retained> => {
  const counts: Partial<Record<keyof Retained, number>> = {};
  for (const kept of KEPT) counts[kept.name] = await count(kept);
  return counts as Retained;
};
