/** Rotates the sealing key: what older keys sealed is sealed again with the current one, batch by batch. */
import type { Pool, PoolClient } from 'pg';
import { keyName, type Sealer } from './sealer.ts';
import { recordAudit } from './audit.ts';
import { transaction } from './pool.ts';
import { countRows, execute, queryAll, raw, sql, type Sql } from './sql.ts';

const ABOUT_ACCOUNT = `'account/' || shipper_id || '/' || carrier_code || '/' || environment`;

/** Every sealed column, with what its values are sealed about in SQL. A test compares them with the schema. */
export const SEALED_COLUMNS = [
  { table: 'accounts', column: 'credentials', about: ABOUT_ACCOUNT },
  { table: 'carrier_tokens', column: 'token', about: `'token/' || key` },
  { table: 'carrier_tokens', column: 'refresh_token', about: `'token/' || key` },
  { table: 'subscriptions', column: 'secret', about: `'subscription/' || id` },
  { table: 'subscriptions', column: 'headers', about: `'subscription/' || id` },
  { table: 'subscriptions', column: 'old_secret', about: `'subscription/' || id` },
  { table: 'calls', column: 'answer', about: `'answer/' || dispatch_id || '/' || step || '/' || element` },
] as const;

export interface SealedColumn {
  /** With its schema, where that is another than `public`. */
  readonly table: string;
  readonly column: string;
  /** In SQL. */
  readonly about: string;
}

/** By `table.column`: values that another key than the current one has sealed. */
export type Resealing = Readonly<Record<string, number>>;

const MARK_BYTES = 5;
const BATCH = 200;

const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;
const markOf = ({ column }: SealedColumn): Sql => raw(`substring(${column} from 1 for ${MARK_BYTES})`);

/** Values that an older key has sealed, and those of a key that is not configured: nobody can open them here. */
export const countStale = async (pool: Pool, { marks }: Sealer, columns: readonly SealedColumn[] = SEALED_COLUMNS) => {
  const [current, ...older] = marks;
  const count = async ({ table, column }: SealedColumn, where: Sql): Promise<number> =>
    await countRows(pool, sql`${raw(table)} where ${raw(column)} is not null and ${where}`);
  const counts = { older: {} as Record<string, number>, unreadable: {} as Record<string, number> };
  for (const sealed of columns) {
    const [name, mark] = [nameOf(sealed), markOf(sealed)];
    counts.older[name] = await count(sealed, sql`${mark} = any(${older}::bytea[]) and ${mark} <> ${current}`);
    counts.unreadable[name] = await count(sealed, sql`${mark} <> all(${marks}::bytea[])`);
  }
  return counts;
};

/** What people gave us to keep; logins and raw answers come and go. */
export const STANDING: readonly SealedColumn[] = SEALED_COLUMNS.filter(
  ({ table }) => table === 'accounts' || table === 'subscriptions',
);

/** Keys that are not configured and have sealed what people gave us to keep, by name; with how many values of what. */
export const findUnknownKeys = async (
  pool: Pool,
  { marks }: Sealer,
  columns: readonly SealedColumn[] = STANDING,
): Promise<ReadonlyMap<string, Resealing>> => {
  const keys = new Map<string, Record<string, number>>();
  for (const sealed of columns) {
    const mark = markOf(sealed);
    const rows = await queryAll<{ mark: Buffer; count: number }>(pool)`
      select ${mark} as mark, count(*) as count from ${raw(sealed.table)}
      where ${raw(sealed.column)} is not null and ${mark} <> all(${marks}::bytea[]) group by 1 order by 1`;
    for (const row of rows) {
      const name = keyName(row.mark);
      keys.set(name, { ...keys.get(name), [nameOf(sealed)]: row.count });
    }
  }
  return keys;
};

/**
 * Seals anew what older keys have sealed. A value says itself which key that was, so one that is interrupted goes on
 * where it was left, and any number may run at once beside a server.
 */
export const reseal = async (
  pool: Pool,
  sealer: Sealer,
  actor: string,
  columns: readonly SealedColumn[] = SEALED_COLUMNS,
): Promise<Resealing> => {
  const done: Record<string, number> = {};
  for (const sealed of columns) {
    let sum = 0;
    for (;;) {
      const count = await transaction(pool, async (client) => await resealBatch(client, sealer, sealed));
      if (count === 0) break;
      sum += count;
    }
    done[nameOf(sealed)] = sum;
  }
  const detail = JSON.stringify({ key: keyName(sealer.mark), ...done });
  await recordAudit(pool, { actor, action: 'reseal', subject: 'records', detail });
  return done;
};

const resealBatch = async (client: PoolClient, sealer: Sealer, sealed: SealedColumn): Promise<number> => {
  const [table, column, about] = [raw(sealed.table), raw(sealed.column), raw(sealed.about)];
  const older = sealer.marks.slice(1).filter((mark) => !mark.equals(sealer.mark));
  const rows = await queryAll<{ ctid: string; value: Buffer; about: string }>(client)`
    select ctid::text, ${column} as value, ${about} as about from ${table}
    where ${markOf(sealed)} = any(${older}::bytea[]) limit ${BATCH} for update skip locked`;
  if (rows.length === 0) return 0;
  const values = rows.map((row) => sealer.seal(sealer.open(row.value, row.about), row.about));
  // The rows are locked: a ctid names one until the end of the transaction.
  await execute(client)`
    update ${table} set ${column} = fresh.value
    from unnest(${rows.map(({ ctid }) => ctid)}::tid[], ${values}::bytea[]) as fresh (place, value)
    where ${table}.ctid = fresh.place`;
  return rows.length;
};
