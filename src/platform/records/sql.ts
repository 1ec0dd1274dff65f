/** Tagged templates for SQL: values become parameters, rows become objects with names in camel case. */
import type { Pool, PoolClient } from 'pg';

export type Queryable = Pool | PoolClient;

/**
 * A statement, or a piece of one. Its values become parameters, never text; pieces among them become part of it when it
 * is read, which is once, as a whole.
 */
export class Sql {
  readonly #strings: readonly string[];
  readonly #parts: readonly unknown[];
  #read: { readonly text: string; readonly values: readonly unknown[] } | undefined;

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.#strings = strings;
    this.#parts = parts;
  }

  get text(): string {
    return this.#whole().text;
  }

  get values(): readonly unknown[] {
    return this.#whole().values;
  }

  #whole() {
    if (this.#read === undefined) {
      const values: unknown[] = [];
      this.#read = { text: this.#write(values), values };
    }
    return this.#read;
  }

  #write(values: unknown[]): string {
    let text = this.#strings[0] ?? '';
    for (const [at, part] of this.#parts.entries()) {
      text += part instanceof Sql ? part.#write(values) : `$${values.push(part)}`;
      text += this.#strings[at + 1] ?? '';
    }
    return text;
  }
}

type Tag<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Result;

export const sql: Tag<Sql> = (strings, ...parts) => new Sql(strings, parts);

/** Pieces one after another. */
export const join = (pieces: readonly Sql[], separator: string): Sql =>
  new Sql(['', ...pieces.slice(1).map(() => separator), ''], pieces);

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;
type Trimmed<Text> = Text extends ` ${infer Rest}` | `\n${infer Rest}` ? Trimmed<Rest> : Text;
/** The names of columns such as `id bigint, due_at timestamptz`. */
export type NameIn<Columns> = Columns extends `${infer First},${infer Rest}`
  ? NameIn<First> | NameIn<Rest>
  : Trimmed<Columns> extends `${infer Name} ${string}`
    ? Name
    : never;
type ValueOf<Item> = (item: Item) => unknown;
/** For every column of which items have no field, and any other. */
type ValuesFor<Item, Name extends string> = {
  readonly [
    One in Name as (CamelCase<One> | `${CamelCase<One>}Ms`) & keyof Item extends never ? One : never
  ]: ValueOf<Item>;
} & { readonly [One in Name]?: ValueOf<Item> };

/** What `of` makes of a text that stands in the code, of which there are few, made once. */
const onceEach = <Made>(of: (text: string) => Made) => {
  const made = new Map<string, Made>();
  return (text: string): Made => {
    let one = made.get(text);
    if (one === undefined) made.set(text, (one = of(text)));
    return one;
  };
};

/** Of a column: `created_at` → `createdAt`. */
export const camelCase = onceEach((name) => name.replaceAll(/_[a-z]/g, (part) => part.slice(1).toUpperCase()));

/** Of columns such as `id bigint, due_at timestamptz`. */
export const columnsOf = onceEach((columns) =>
  columns.split(',').map((text) => {
    const [, name = '', type = ''] = /^\s*(\w+) (.+)$/.exec(text) ?? [];
    return { name, type };
  }),
);

/** PostgreSQL's numbers of the types that may be long. */
const LONG_TYPES: Readonly<Record<string, number>> = { text: 25, json: 25, bytea: 17 };
const ARRAY_HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

const bytesOf = (value: unknown): Buffer | undefined => {
  if (value === undefined || value === null) return undefined;
  if (Buffer.isBuffer(value)) return value;
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
};

/** A one-dimensional array as PostgreSQL's array_recv() reads it; in its text form both sides look at every character. */
const binaryArray = (values: readonly unknown[], elementType: number): Buffer => {
  const all = values.map(bytesOf);
  const array = Buffer.allocUnsafe(
    all.reduce((sum, bytes) => sum + LENGTH_BYTES + (bytes?.length ?? 0), ARRAY_HEADER_BYTES),
  );
  const dimensions = 1;
  const lowerBound = 1;
  let at = 0;
  for (const word of [dimensions, all.includes(undefined) ? 1 : 0, elementType, all.length, lowerBound])
    at = array.writeInt32BE(word, at);
  for (const bytes of all) {
    at = array.writeInt32BE(bytes?.length ?? NULL_LENGTH, at);
    if (bytes !== undefined) at += bytes.copy(array, at);
  }
  return array;
};

const encode = (value: unknown, type: string): unknown => {
  if (type === 'json') return JSON.stringify(value);
  return type === 'timestamptz' && typeof value === 'number' ? new Date(value) : value;
};

/**
 * Items as rows of a table `name`, for a `from`, with columns such as `id bigint, due_at timestamptz, memo json`. A
 * column holds the field of its name (`dueAt`, or `dueAtMs`: milliseconds since 1970), or what `values` yield for it.
 * `json` becomes text.
 */
export const rowsOf = <Item, const Columns extends string>(
  name: string,
  items: readonly Item[],
  columns: Columns,
  ...[given]: object extends ValuesFor<Item, NameIn<Columns>>
    ? [values?: ValuesFor<Item, NameIn<Columns>>]
    : [values: ValuesFor<Item, NameIn<Columns>>]
): Sql => {
  const values: Readonly<Record<string, ValueOf<Item> | undefined>> = given ?? {};
  const table = columnsOf(columns).map(({ name: column, type }) => {
    const field = camelCase(column);
    const ownOf = (item: Item): unknown => {
      const fields = item as Readonly<Record<string, unknown>>;
      return fields[field] ?? fields[`${field}Ms`];
    };
    const all = items.map(values[column] ?? ownOf).map((value) => encode(value, type));
    const longType = LONG_TYPES[type];
    const array = longType === undefined ? all : binaryArray(all, longType);
    return { column, value: sql`${array}::${raw(type === 'json' ? 'text' : type)}[]` };
  });
  const columnNames = table.map(({ column }) => column).join(', ');
  const arrays = join(
    table.map(({ value }) => value),
    ', ',
  );
  return sql`unnest(${arrays}) as ${raw(`${name} (${columnNames})`)}`;
};

/**
 * All of these conditions whose values are given; each is named by its column and operator, of the code's own text:
 * `{ 'id >': afterId, 'carrier_code =': carrierCode }`. What is left out may be anything.
 */
export const matching = (conditions: Readonly<Record<string, unknown>>): Sql => {
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  return join([sql`true`, ...given.map(([condition, value]) => sql`${raw(condition)} ${value}`)], ' and ');
};

/** Of these columns of a row, each that is given has to be so. */
export type Filter<Row, Column extends keyof Row> = { readonly [Name in Column]?: Row[Name] | undefined };

/** Text of our own that is no value, such as the name of a table. */
export const raw = (text: string): Sql => new Sql([text], []);

const rowsFrom = async <Row>(client: Queryable, { text, values }: Sql, name?: string): Promise<Row[]> => {
  const { fields, rows } = await client.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' });
  const names = fields.map((field) => camelCase(field.name));
  return rows.map((row) => {
    const read: Record<string, unknown> = {};
    for (const [at, field] of names.entries()) {
      const value = row[at];
      read[field] = value instanceof Date && field.endsWith('Ms') ? value.getTime() : (value ?? undefined);
    }
    return read as Row;
  });
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
    const statement = sql(...template);
    const { text } = statement;
    if (!named.has(text) && named.size < NAMED_MAX) named.set(text, `waybill_${named.size}`);
    return await rowsFrom<Row>(client, statement, named.get(text));
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
export const notifyWork = (name: WorkName): Sql => sql`pg_notify(${WORK_CHANNEL}, ${name})`;
