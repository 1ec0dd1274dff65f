/** Asking PostgreSQL: rows as the rest of the code has them, and what statements on leases share. */
import type { Pool, PoolClient } from 'pg';

export type Queryable = Pool | PoolClient;

/**
 * Rows with names in camel case and undefined for null. A timestamp selected as `…_ms` is milliseconds since 1970, JSON
 * that is kept as text is read where it is selected `::json`.
 */
export const queryAll = async <Row>(
  client: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const { fields, rows } = await client.query<unknown[]>({ text: sql, values: [...values], rowMode: 'array' });
  const names = fields.map(({ name }) => name.replaceAll(/_[a-z]/g, (part) => part.slice(1).toUpperCase()));
  const valueOf = (value: unknown, at: number): unknown =>
    value instanceof Date && names[at]?.endsWith('Ms') === true ? value.getTime() : (value ?? undefined);
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at], valueOf(value, at)])) as Row);
};

export const queryFirst = async <Row>(
  client: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row | undefined> => (await queryAll<Row>(client, sql, values))[0];

/** For statements that always yield a row. */
export const queryOne = async <Row>(client: Queryable, sql: string, values: readonly unknown[] = []): Promise<Row> => {
  const row = await queryFirst<Row>(client, sql, values);
  if (row === undefined) throw new Error(`no row from: ${sql}`);
  return row;
};

/** Yields how many rows were written. */
export const execute = async (client: Queryable, sql: string, values: readonly unknown[] = []): Promise<number> =>
  (await client.query(sql, [...values])).rowCount ?? 0;

export const dateOf = (atMs: number | undefined): Date | undefined => (atMs === undefined ? undefined : new Date(atMs));

/**
 * So many milliseconds from now. Leases run on PostgreSQL's clock, so that no process's clock, however wrong, ends
 * another's.
 */
export const fromNow = (parameter: `$${number}`): string => `now() + ${parameter} * interval '1 millisecond'`;

/** Sets the lease of a row: `owner`'s for so many milliseconds. */
export const leasedTo = (owner: `$${number}`, forMs: `$${number}`): string =>
  `lease = ${owner}, lease_until = ${fromNow(forMs)}`;

export const RELEASED = 'lease = null, lease_until = null';
