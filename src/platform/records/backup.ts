/**
 * A backup: lines of text in the order in which a restore needs them, taken of one moment beside whatever runs. It
 * knows tables, columns and partitions from PostgreSQL's catalog only, so that no change of them can be forgotten here.
 */
import { Client, escapeIdentifier } from 'pg';
import { Failure } from '../../engine/failure.ts';
import type { Applied } from './migrate.ts';

/** The first had the records of one schema. */
export const FORMAT = 2;

/** What a backup begins with. */
export interface Heading {
  readonly format: number;
  /** Of Waybill. */
  readonly version: string;
  readonly madeAt: string;
  /** Those that the rows are of. */
  readonly migrations: readonly Applied[];
  /** Those of companions, by their schemas; absent in the first format. */
  readonly beside?: Readonly<Record<string, readonly Applied[]>>;
  readonly partitions: readonly Partition[];
  /** Secrets that the server keeps beside its own database, by the names of their files. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Partition {
  readonly name: string;
  readonly parent: string;
  readonly bound: string;
  /** How it is partitioned itself, or nothing. */
  readonly key: string;
}

/** Precedes the rows of a table. Names are quoted where they need it. */
export interface TableHeading {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A backup without it was cut off. */
export interface Ending {
  readonly rows: number;
  /** Of each sequence that was used, its last value. */
  readonly sequences: Readonly<Record<string, string>>;
}

/** Lines that are no row, which is an object of JSON, begin so. */
export const MARKS = { heading: '#waybill ', table: '#table ', ending: '#end ' } as const;

/** The records' own schema, and those named by the only parameter. */
const SCHEMAS = `(select oid from pg_namespace where nspname = current_schema() or nspname = any($1::text[]))`;

/** Tables whose rows are kept, those that others refer to first. A partitioned one stands for its partitions. */
export const TABLES = `
  with recursive own as (
    select oid from pg_class where relnamespace in ${SCHEMAS} and relkind in ('r', 'p')
      and not relispartition and relname <> 'schema_migration'),
  ranked (oid, depth) as (
    select oid, 0 from own
    union
    select conrelid, depth + 1 from ranked join pg_constraint on confrelid = ranked.oid
    where contype = 'f' and conrelid <> confrelid and depth < 50)
  select oid::regclass::text as name, array(
      select quote_ident(attname) from pg_attribute
      where attrelid = own.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
  from own join ranked using (oid) group by oid order by max(depth), name`;

/** Those of a partitioned table after it. */
export const PARTITIONS = `
  select c.oid::regclass::text as name, inhparent::regclass::text as parent, pg_get_expr(relpartbound, c.oid) as bound,
    coalesce('partition by ' || pg_get_partkeydef(c.oid), '') as key
  from pg_class c join pg_inherits on inhrelid = c.oid
  where relispartition and relkind in ('r', 'p') and relnamespace in ${SCHEMAS}
  order by (select count(*) from pg_partition_ancestors(c.oid)), name`;

const SEQUENCES = `
  select case schemaname when current_schema() then format('%I', sequencename)
    else format('%I.%I', schemaname, sequencename) end as name, last_value::text as value
  from pg_sequences where (schemaname = current_schema() or schemaname = any($1::text[])) and last_value is not null
  order by name`;

/** Rows are read so many bytes at a time, as one may be a label of megabytes; and few, as such may follow small ones. */
const BATCH_BYTES = 4_000_000;
const BATCH_ROWS = 200;

/** Yields the lines, in pieces. `schemas`: of companions, where the database has them. Ends the transaction that it reads in whether it is read to its end or not. */
export async function* backUp(
  databaseUrl: string,
  { version, secrets, schemas = [] }: Pick<Heading, 'version' | 'secrets'> & { readonly schemas?: readonly string[] },
): AsyncGenerator<string, void> {
  const client = await connectAlone(databaseUrl, 'waybill-backup');
  const rowsOf = async <Row>(sql: string, values: unknown[] = []): Promise<readonly Row[]> =>
    (await client.query(sql, values)).rows as Row[];
  try {
    await client.query('begin transaction isolation level repeatable read, read only');
    const appliedIn = async (table: string): Promise<readonly Applied[] | undefined> => {
      const [found] = await rowsOf<{ isMade: boolean }>(`select to_regclass($1) is not null as "isMade"`, [table]);
      if (found?.isMade !== true) return undefined;
      return await rowsOf<Applied>(`select number, name, checksum from ${table} order by number`);
    };
    const migrations = await appliedIn('schema_migration');
    if (migrations === undefined)
      throw new Failure('there are no records in this database', { code: 'backup_of_nothing' });
    const beside: Record<string, readonly Applied[]> = {};
    for (const schema of schemas) {
      const applied = await appliedIn(migrationsIn(schema));
      if (applied !== undefined) beside[schema] = applied;
    }
    const ours = [Object.keys(beside)];
    const [tables, partitions] = [await rowsOf<TableHeading>(TABLES, ours), await rowsOf<Partition>(PARTITIONS, ours)];
    // Partitions that are dropped meanwhile would be missing from what is read, whatever its moment.
    await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
    const madeAt = new Date().toISOString();
    const heading: Heading = { format: FORMAT, version, madeAt, migrations, beside, partitions, secrets };
    yield `${MARKS.heading}${JSON.stringify(heading)}\n`;
    let rows = 0;
    for (const table of tables) {
      yield `${MARKS.table}${JSON.stringify(table)}\n`;
      await client.query(`declare line cursor for select row_to_json(one)::text as line from ${table.name} one`);
      for (let wanted = 1; ;) {
        const lines = await rowsOf<{ line: string }>(`fetch ${wanted} from line`);
        const text = lines.map(({ line }) => `${line}\n`).join('');
        if (lines.length > 0) yield text;
        rows += lines.length;
        if (lines.length < wanted) break;
        wanted = text.length < BATCH_BYTES ? Math.min(wanted * 2, BATCH_ROWS) : Math.ceil(wanted / 4);
      }
      await client.query('close line');
    }
    const used = await rowsOf<{ name: string; value: string }>(SEQUENCES, ours);
    const sequences = Object.fromEntries(used.map(({ name, value }) => [name, value]));
    yield `${MARKS.ending}${JSON.stringify({ rows, sequences } satisfies Ending)}\n`;
  } finally {
    await client.end();
  }
}

/** The table of a companion's migrations. */
export const migrationsIn = (schema: string): string => `${escapeIdentifier(schema)}.schema_migration`;

/** A connection of its own, for statements that may take long. */
export const connectAlone = async (databaseUrl: string, name: string): Promise<Client> => {
  const client = new Client({ connectionString: databaseUrl, application_name: name, keepAlive: true });
  // What it waits for rejects.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  return client;
};
