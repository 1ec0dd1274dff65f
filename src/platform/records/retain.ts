/** Deletes by age what is kept only for diagnosis and idempotent repeats. */
import type { Pool } from 'pg';
import { recordAudit } from './audit.ts';
import { dropMonths } from './partitions.ts';
import { countRows, execute, sql, type Sql } from './sql.ts';

type Name =
  | 'exchanges'
  | 'deliveryAttempts'
  | 'pushes'
  | 'unmatchedEvents'
  | 'answers'
  | 'labels'
  | 'manifestDocuments'
  | 'idempotencyKeys'
  | 'pickups';
/** How many there are older than the limit, or were. */
type Retained = Readonly<Record<Name, number>>;

/** `empty`: what is set where the row itself stays; without it the row goes. `months`: of these, whole months go first. */
type Kept = {
  readonly table: Sql;
  readonly where: Sql;
  readonly empty?: Sql;
  readonly months?: Parameters<typeof dropMonths>[1];
};

const keptBefore = (limit: Date): Readonly<Record<Name, Kept>> => ({
  exchanges: { table: sql`exchanges`, where: sql`at < ${limit}`, months: { table: 'exchanges' } },
  deliveryAttempts: {
    table: sql`delivery_attempts`,
    where: sql`at < ${limit}`,
    months: { table: 'delivery_attempts' },
  },
  /** As they came; what was read from them stays. */
  pushes: {
    table: sql`pushes`,
    where: sql`state <> 'pending' and due_at is null and received_at < ${limit}`,
    // What is pending is due.
    months: { table: 'pushes', kept: sql`due_at is not null` },
  },
  unmatchedEvents: {
    table: sql`events`,
    where: sql`match <> 'matched' and consignment_id is null and received_at < ${limit}`,
  },
  /** Carriers' raw answers kept with finished dispatches. */
  answers: {
    table: sql`calls`,
    where: sql`answer is not null and sent_at < ${limit} and dispatch_id in (
      select id from dispatches where state in ('done', 'rejected', 'cancelled'))`,
    empty: sql`answer = null`,
  },
  labels: { table: sql`labels`, where: sql`state <> 'pending' and coalesce(stored_at, created_at) < ${limit}` },
  /** Of carriers: our own lists are drawn of what there is. */
  manifestDocuments: {
    table: sql`manifest_documents`,
    where: sql`(content is not null or source_url is not null) and created_at < ${limit}`,
  },
  idempotencyKeys: { table: sql`idempotency_keys`, where: sql`created_at < ${limit}` },
  /** Of days gone by, of which nothing is under way or held. */
  pickups: {
    table: sql`errands`,
    where: sql`kind = 'pickup' and day < ${limit}::date and not exists (select from dispatches
      where errand_id = errands.id and state in ('pending', 'sending', 'waiting', 'held'))`,
  },
});

/** Rows a statement takes, so that none holds its locks for long. */
const BATCH = 1_000;

/** Counts what is older; forgets nothing. */
export const countOlder = async (pool: Pool, limit: Date): Promise<Retained> =>
  await eachKept(limit, async ({ table, where }) => await countRows(pool, sql`${table} where ${where}`));

/** Forgets what is older, in batches, and notes in the audit log how much it was. */
export const forgetOlder = async (pool: Pool, limit: Date): Promise<Retained> => {
  const forgotten = await eachKept(limit, async ({ table, where, empty, months }) => {
    let sum = months === undefined ? 0 : await dropMonths(pool, months, limit);
    const rows = sql`ctid = any (array(select ctid from ${table} where ${where} limit ${BATCH}))`;
    const change = empty === undefined ? sql`delete from ${table}` : sql`update ${table} set ${empty}`;
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
  const counts: Partial<Record<string, number>> = {};
  for (const [name, kept] of Object.entries(keptBefore(limit))) counts[name] = await count(kept);
  return counts as Retained;
};
