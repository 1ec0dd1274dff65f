/** Statements with their values where they stand, and rows as the rest of the code has them. */
import type { Pool, PoolClient } from 'pg';

export type Queryable = Pool | PoolClient;

/** A piece of a statement. Its values become parameters, never text. */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }

  get text(): string {
    return this.strings.reduce((text, string, at) => `${text}$${at}${string}`);
  }
}

type Tag<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Result;

/** A piece of SQL; pieces among its values become part of it. */
export const sql: Tag<Sql> = (strings, ...values) => {
  const parts = [strings[0] ?? ''];
  const own: unknown[] = [];
  for (const [at, value] of values.entries()) {
    const [first = '', ...rest] = value instanceof Sql ? value.strings : ['', ''];
    parts[parts.length - 1] += first;
    parts.push(...rest);
    own.push(...(value instanceof Sql ? value.values : [value]));
    parts[parts.length - 1] += strings[at + 1] ?? '';
  }
  return new Sql(parts, own);
};

/** Pieces one after another. */
export const join = (pieces: readonly Sql[], separator: string): Sql =>
  pieces.reduce((whole, piece) => sql`${whole}${raw(separator)}${piece}`);

/** Arrays are text, in which PostgreSQL and we look at every character; a value of its own is sent as it is. */
const LARGE_LENGTH = 64 * 1024;
const isLarge = (value: unknown): boolean =>
  (typeof value === 'string' || Buffer.isBuffer(value)) && value.length > LARGE_LENGTH;

/** Items as rows of a table `name`, for a `from`: of each column its type and where its values come from. */
export const rowsOf = <Item>(
  name: string,
  items: readonly Item[],
  columns: Readonly<Record<string, readonly [type: string, of: (item: Item) => unknown]>>,
): Sql => {
  const values = Object.values(columns).map(([type, of]) => ({ type: raw(type), all: items.map(of) }));
  const named = raw(`${name} (${Object.keys(columns).join(', ')})`);
  if (values.some(({ all }) => all.some(isLarge))) {
    const rows = items.map((_, at) =>
      join(
        values.map(({ type, all }) => sql`${all[at]}::${type}`),
        ', ',
      ),
    );
    return sql`(values (${join(rows, '), (')})) as ${named}`;
  }
  return sql`unnest(${join(
    values.map(({ type, all }) => sql`${all}::${type}[]`),
    ', ',
  )}) as ${named}`;
};

/** Text of our own that is no value, such as the name of a table. */
export const raw = (text: string): Sql => new Sql([text], []);

/** `created_at` → `createdAt`. */
export const camelCase = (name: string): string => name.replaceAll(/_[a-z]/g, (part) => part.slice(1).toUpperCase());

const rowsFrom = async <Row>(
  client: Queryable,
  { text, values }: Pick<Sql, 'text' | 'values'>,
  name?: string,
): Promise<Row[]> => {
  const { fields, rows } = await client.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' });
  const names = fields.map(({ name }) => camelCase(name));
  const valueOf = (value: unknown, at: number): unknown =>
    value instanceof Date && names[at]?.endsWith('Ms') === true ? value.getTime() : (value ?? undefined);
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at], valueOf(value, at)])) as Row);
};

/**
 * Rows with names in camel case and undefined for null. A timestamp selected as `…_ms` is milliseconds since 1970, JSON
 * that is kept as text is read where it is selected `::json`.
 */
export const queryAll =
  <Row>(client: Queryable): Tag<Promise<Row[]>> =>
  async (...template) =>
    await rowsFrom<Row>(client, sql(...template));

const NAMED_MAX = 200;
const named = new Map<string, string>();

/** As `queryAll`, of a statement that has few texts and is hot: each connection parses and plans it once. */
export const queryPrepared =
  <Row>(client: Queryable): Tag<Promise<Row[]>> =>
  async (...template) => {
    const { text, values } = sql(...template);
    if (!named.has(text) && named.size < NAMED_MAX) named.set(text, `waybill_${named.size}`);
    return await rowsFrom<Row>(client, { text, values }, named.get(text));
  };

export const queryFirst =
  <Row>(client: Queryable): Tag<Promise<Row | undefined>> =>
  async (...template) =>
    (await queryAll<Row>(client)(...template))[0];

/** For statements that always yield a row. */
export const queryOne =
  <Row>(client: Queryable): Tag<Promise<Row>> =>
  async (...template) => {
    const [row] = await queryAll<Row>(client)(...template);
    if (row === undefined) throw new Error(`no row from: ${sql(...template).text}`);
    return row;
  };

/** `from` with its conditions. */
export const countRows = async (client: Queryable, from: Sql): Promise<number> =>
  (await queryOne<{ count: number }>(client)`select count(*) as count from ${from}`).count;

/** Yields how many rows were written. */
export const execute =
  (client: Queryable): Tag<Promise<number>> =>
  async (...template) => {
    const { text, values } = sql(...template);
    return (await client.query(text, [...values])).rowCount ?? 0;
  };

export const dateOf = (atMs: number | undefined): Date | undefined => (atMs === undefined ? undefined : new Date(atMs));

/**
 * So many milliseconds from now. Leases run on PostgreSQL's clock, so that no process's clock, however wrong, ends
 * another's.
 */
export const fromNow = (ms: number): Sql => sql`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** Sets the lease of a row: `owner`'s for so many milliseconds. */
export const leasedTo = (owner: string, forMs: number): Sql => sql`lease = ${owner}, lease_until = ${fromNow(forMs)}`;

export const RELEASED = sql`lease = null, lease_until = null`;

/** What pumps take from the records, each by its name. */
export type WorkName = 'dispatch' | 'push' | 'delivery' | 'redelivery' | 'label';

export const WORK_CHANNEL = 'waybill_work';

/**
 * Tells the pumps of all processes, once this is committed, that there is work. To be selected by the outermost query:
 * PostgreSQL leaves out a `with` of which nobody reads. Commits that tell wait for one another, so say it only where
 * something is left for others.
 */
export const tellOfWork = (name: WorkName): Sql => sql`pg_notify(${WORK_CHANNEL}, ${name})`;
