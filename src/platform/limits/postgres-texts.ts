import { createPool, type Log, type PoolOptions } from '../records/pool.ts';
import { execute, queryAll, queryOne, rowsOf, sql } from '../records/sql.ts';
import { ALIVE_FOR_MS, type SharedTexts } from './sharing.ts';

const ANSWER_LIMIT_MS = 1_000;
/** No carrier's code begins so. */
const nameOf = (process: string): string => ` process/${process}`;

/**
 * What processes share of limits, in PostgreSQL: a row for each, on its clock. Over a connection of its own, for a call
 * must not wait for its limits behind the work that waits for a connection.
 */
export const openPostgresTexts = (at: Pick<PoolOptions, 'databaseUrl' | 'isPooled'>, log: Log): SharedTexts => {
  const pool = createPool({
    databaseUrl: at.databaseUrl,
    isPooled: at.isPooled,
    log,
    max: 1,
    applicationName: 'waybill-limits',
    statementTimeoutMs: ANSWER_LIMIT_MS,
  });
  return {
    read: async (process, _isNew, names) => {
      const name = nameOf(process);
      // Not each time: what was said last holds for a while.
      const { nowMs, processes, texts } = await queryOne<{
        nowMs: number;
        processes: number;
        texts: Readonly<Record<string, string>> | undefined;
      }>(pool)`
        with alive as (
          insert into shared_limits as known (name, state, ends_at)
          values (${name}, '', now() + ${ALIVE_FOR_MS} * interval '1 millisecond')
          on conflict (name) do update set ends_at = excluded.ends_at
          where known.ends_at < excluded.ends_at - ${ALIVE_FOR_MS / 3} * interval '1 millisecond'
        )
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
          (select 1 + count(*) from shared_limits
           where name like ' process/%' and name <> ${name} and ends_at > now()) as processes,
          (select json_object_agg(name, state) from shared_limits where name = any(${names})) as texts`;
      return { nowMs, processes, bornMs: 0, texts: new Map(Object.entries(texts ?? {})) };
    },
    write: async (changes) => {
      const given = rowsOf('given', changes, 'name text, before text, after text, kept_for_ms float8');
      const endsAt = sql`now() + given.kept_for_ms * interval '1 millisecond'`;
      const written = await queryAll<{ name: string }>(pool)`
        with given as (select * from ${given}),
        locked as (
          select known.name from shared_limits known join given on given.name = known.name and given.before = known.state
          order by known.name for update of known
        ),
        changed as (
          update shared_limits known set state = given.after, ends_at = ${endsAt}
          from given join locked using (name) where known.name = given.name and known.state = given.before
          returning known.name
        ),
        added as (
          insert into shared_limits (name, state, ends_at)
          select name, after, ${endsAt} from given where before = '' order by name
          on conflict (name) do nothing returning name
        )
        select name from changed union all select name from added`;
      return new Set(written.map(({ name }) => name));
    },
    leave: async (process) => void (await execute(pool)`delete from shared_limits where name = ${nameOf(process)}`),
    close: async () => await pool.end(),
  };
};
