/** Tables partitioned by month (UTC): future months are added, old ones are dropped whole. */
import type { Pool } from 'pg';
import { isConnectionError, type Log, transaction } from './pool.ts';
import { countRows, execute, queryAll, type Queryable, queryOne, raw, sql, type Sql } from './sql.ts';

/** By the column that holds ids of a month. */
const KEYS = { exchanges: 'id', delivery_attempts: 'delivery_id', pushes: 'id' } as const;
type MonthlyTable = keyof typeof KEYS;
const TABLES = Object.keys(KEYS) as readonly MonthlyTable[];

const MONTHS_AHEAD = 3;
/**
 * While one waits for such a lock, all wait that come later. After a second PostgreSQL looks for a deadlock: by then
 * this has given way, so that no writer has to.
 */
const LOCK_LIMIT = sql`set local lock_timeout = '500ms'`;

interface Partition {
  readonly name: string;
  /** The first id behind it. */
  readonly upTo: number;
}

/** All but `_default`. */
const partitionsOf = (table: MonthlyTable): Sql => sql`(
  select * from (
    select relname::text as name, substring(pg_get_expr(relpartbound, oid) from 'TO [(]''([0-9]+)')::bigint as up_to
    from pg_inherits join pg_class on oid = inhrelid where inhparent = ${table}::regclass) any_partition
  where up_to is not null) as partition`;

/** What there is not between the last month there is and some ahead. */
const findMissing = async (client: Queryable, table: MonthlyTable, ahead: number) =>
  await queryAll<Partition & { readonly from: number }>(client)`
    select ${table} || to_char(month, '_YYMM') as name, history_from(month at time zone 'UTC') as from,
      history_from((month + interval '1 month') at time zone 'UTC') as up_to
    from (select max(up_to) as last from ${partitionsOf(table)}) known,
      generate_series(to_date((last / 100000000000 + 200000)::text, 'YYYYMM')::timestamp,
        (now() at time zone 'UTC') + ${ahead} * interval '1 month', interval '1 month') as month`;

/** Adds the months up to some ahead. What was written meanwhile of one that there was not moves to it. */
export const addMonths = async (pool: Pool, log: Log, ahead = MONTHS_AHEAD): Promise<void> => {
  for (const table of TABLES) {
    if ((await findMissing(pool, table, ahead)).length === 0) continue;
    await transaction(pool, async (client) => {
      await execute(client)`${LOCK_LIMIT}`;
      await execute(client)`lock table ${raw(table)}_default in access exclusive mode`;
      // Those that no other process has added before it let go of the lock.
      for (const { name, from, upTo } of await findMissing(client, table, ahead)) {
        await execute(client)`create table ${raw(name)} (like ${raw(table)} including all)`;
        const rows = await execute(client)`
          with moved as (
            delete from ${raw(table)}_default where ${raw(KEYS[table])} >= ${from} and ${raw(KEYS[table])} < ${upTo}
            returning *)
          insert into ${raw(name)} select * from moved`;
        await execute(client)`
          alter table ${raw(table)} attach partition ${raw(name)} for values from (${raw(`${from}`)}) to (${raw(`${upTo}`)})`;
        if (rows > 0)
          log.warn({ partition: name, rows }, 'a month was added late; what was written of it has moved there');
      }
    });
  }
};

/** Rows of months that there are not yet. What a dropped month gets late, a try of an old delivery, is none of them. */
export const countUnplaced = async (pool: Pool): Promise<number> => {
  const counts = TABLES.map(
    async (table) =>
      await countRows(
        pool,
        sql`${raw(`${table}_default`)} where ${raw(KEYS[table])} >= (select max(up_to) from ${partitionsOf(table)})`,
      ),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

/** More would take its time, so that PostgreSQL's own estimate has to do. */
const COUNTED_MAX = 1_000_000;

/**
 * Drops the months that ended before `limit`, but for those with rows that are `kept`; yields how many rows they had,
 * of many about how many. One that others do not let go of within a moment is left: its rows are to be deleted.
 */
export const dropMonths = async (
  pool: Pool,
  { table, kept = sql`false` }: { readonly table: MonthlyTable; readonly kept?: Sql },
  limit: Date,
): Promise<number> => {
  const old = await queryAll<Partition>(pool)`
    select * from ${partitionsOf(table)} where up_to <= history_from(${limit}) order by up_to`;
  let dropped = 0;
  for (const { name } of old) {
    const { about, isKept } = await queryOne<{ about: number; isKept: boolean }>(pool)`
      select reltuples::bigint as about, exists (select from ${raw(name)} where ${kept}) as is_kept
      from pg_class where oid = ${name}::regclass`;
    if (isKept) continue;
    const rows = about > COUNTED_MAX ? about : await countRows(pool, raw(name));
    try {
      await transaction(pool, async (client) => {
        await execute(client)`${LOCK_LIMIT}`;
        await execute(client)`drop table ${raw(name)}`;
      });
      dropped += rows;
    } catch (error) {
      if (!isConnectionError(error)) throw error;
    }
  }
  return dropped;
};
