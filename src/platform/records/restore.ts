/** Reads a backup into an empty database, whole or not at all. */
import { type Client, DatabaseError } from 'pg';
import { Failure, messageOf, problem } from '../../engine/failure.ts';
import {
  connectAlone,
  type Ending,
  FORMAT,
  type Heading,
  MARKS,
  migrationsIn,
  type Partition,
  PARTITIONS,
  type TableHeading,
  TABLES,
} from './backup.ts';
import { migrate } from './migrate.ts';

export interface Restoring {
  readonly databaseUrl: string;
  /** Where the migrations are. */
  readonly folder: string;
  /** Where those of companions are, by their schemas. */
  readonly beside?: Readonly<Record<string, string>>;
  /** The backup, without line ends. */
  readonly lines: AsyncIterable<string>;
  /** Called before anything is written. Throws where it does not fit what is there. */
  readonly check: (heading: Heading) => Promise<void>;
  /** What was under way goes on, as nobody else has gone on with it since. */
  readonly resumes: boolean;
}

export interface Restored {
  readonly heading: Heading;
  readonly rows: number;
  /** Dispatches of which nobody knows what became of them. */
  readonly held: number;
}

export const restore = async (restoring: Restoring): Promise<Restored> => {
  const { databaseUrl, folder, beside = {}, lines, check, resumes } = restoring;
  const read = lines[Symbol.asyncIterator]();
  const heading = headingOf((await read.next()).value as string | undefined);
  const companions = Object.entries(heading.beside ?? {}).map(([schema, applied]) => {
    const theirs = beside[schema];
    if (theirs !== undefined) return { schema, applied, folder: theirs };
    throw new Failure(`The backup has records in the schema ${schema}, which this version does not have`, {
      code: 'backup_newer',
      help: `Restore it with Waybill ${heading.version} or later.`,
    });
  });
  await check(heading);
  const client = await connectAlone(databaseUrl, 'waybill-restore');
  try {
    await requireUnused(client);
    await migrate(databaseUrl, folder, heading.migrations);
    for (const one of companions) await migrate(databaseUrl, one.folder, one.applied, one.schema);
    await client.query('begin');
    const schemas = Object.keys(beside);
    const { rows: tables } = await client.query<TableHeading>(TABLES, [schemas]);
    await requireEmpty(client, heading, tables);
    const rows = await load(client, heading, { schemas, tables }, { [Symbol.asyncIterator]: () => read });
    const held = resumes ? 0 : await holdUnfinished(client, heading);
    await client.query(
      `insert into audit_log (actor, action, subject, detail) values ('command', 'restore', 'records', $1)`,
      [JSON.stringify({ madeAt: heading.madeAt, version: heading.version, rows, held })],
    );
    await client.query('commit');
    await migrate(databaseUrl, folder);
    for (const one of companions) await migrate(databaseUrl, one.folder, undefined, one.schema);
    return { heading, rows, held };
  } finally {
    await client.end();
  }
};

const broken = (message: string): Failure =>
  new Failure(message, { code: 'backup_broken', help: 'Nothing was restored. Take another backup.' });

/** What follows the mark. */
const readMarked = (line: string, mark: string): unknown => {
  try {
    return JSON.parse(line.slice(mark.length));
  } catch {
    throw broken(`The backup has a line ${mark.trim()} that cannot be read`);
  }
};

const headingOf = (line = ''): Heading => {
  if (!line.startsWith(MARKS.heading)) throw broken('This is no backup of Waybill');
  const heading = readMarked(line, MARKS.heading) as Heading;
  if (heading.format <= FORMAT) return heading;
  throw new Failure(`The backup is of format ${heading.format}, and this version reads ${FORMAT}`, {
    code: 'backup_newer',
    help: `Restore it with Waybill ${heading.version} or later.`,
  });
};

const notEmpty = (message: string): Failure =>
  new Failure(message, { code: 'restore_not_empty', help: 'Restore into a new home, or an empty database.' });

const requireUnused = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  if (rows.length === 0) return;
  throw notEmpty(`Others use the database (${rows.map(({ name }) => name || 'unnamed').join(', ')}): stop the server`);
};

const requireEmpty = async (
  client: Client,
  { migrations, beside = {} }: Heading,
  tables: readonly TableHeading[],
): Promise<void> => {
  // Migrations write none into the tables of companions.
  const theirs = tables.map(({ name }) => name).filter((name) => name.includes('.'));
  const used = ['shippers', 'tokens', ...theirs].map((name) => `exists (select from ${name})`).join(' or ');
  const { rows } = await client.query<{ isUsed: boolean }>(`select ${used} as "isUsed"`);
  if (rows[0]?.isUsed !== false) throw notEmpty('There are records in the database already');
  const wanted = Object.entries(beside).map(([schema, { length }]) => [migrationsIn(schema), length] as const);
  for (const [table, length] of [['schema_migration', migrations.length] as const, ...wanted]) {
    const { rowCount } = await client.query(`select from ${table}`);
    if (rowCount !== length) throw notEmpty('The database was made by a later version than the backup');
  }
};

const BATCH_BYTES = 4_000_000;
/** Codes of PostgreSQL: a value is none of its type, a row breaks a constraint, a column is not there. */
const OF_THE_ROWS = /^(?:22|23|42703)/;

/** Yields the number of rows. */
const load = async (
  client: Client,
  { partitions }: Heading,
  { schemas, tables }: { readonly schemas: readonly string[]; readonly tables: readonly TableHeading[] },
  lines: AsyncIterable<string>,
): Promise<number> => {
  await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  // Migrations that make partitions make them of the present, where the backup has its own.
  const { rows: made } = await client.query<Partition>(PARTITIONS, [schemas]);
  for (const { name, bound } of made)
    if (!partitions.some((one) => one.name === name && one.bound === bound))
      await client.query(`drop table if exists ${name}`);
  for (const { name, parent, bound, key } of partitions)
    await client.query(`create table if not exists ${name} partition of ${parent} ${bound} ${key}`);
  let table: TableHeading | undefined;
  let batch: string[] = [];
  let size = 0;
  let rows = 0;
  const write = async (): Promise<void> => {
    if (batch.length === 0) return;
    if (table === undefined) throw broken('The backup has rows of no table');
    const { name, columns } = table;
    await client
      .query(
        `insert into ${name} (${columns.join(', ')}) overriding system value
         select ${columns.join(', ')} from json_populate_recordset(null::${name}, $1)`,
        [`[${batch.join(',')}]`],
      )
      .catch((thrown: unknown) => {
        if (!(thrown instanceof DatabaseError) || !OF_THE_ROWS.test(thrown.code ?? '')) throw thrown;
        throw broken(`The backup has rows of ${name} that cannot be restored: ${messageOf(thrown)}`);
      });
    rows += batch.length;
    [batch, size] = [[], 0];
  };
  for await (const line of lines) {
    if (line.startsWith(MARKS.table)) {
      await write();
      table = readMarked(line, MARKS.table) as TableHeading;
      if (!tables.some(({ name }) => name === table?.name)) throw broken(`The backup has rows of ${table.name}`);
    } else if (line.startsWith(MARKS.ending)) {
      await write();
      const ending = readMarked(line, MARKS.ending) as Ending;
      if (ending.rows !== rows) throw broken(`The backup has ${rows} rows where it had ${ending.rows}`);
      for (const [name, value] of Object.entries(ending.sequences))
        await client.query('select setval($1::regclass, $2)', [name, value]);
      return rows;
    } else {
      batch.push(line);
      size += line.length;
      if (size > BATCH_BYTES) await write();
    }
  }
  throw broken('The backup ends too early');
};

/** Whoever was at work when the backup was taken may have gone on: what it was about to ask may be done already. */
const holdUnfinished = async (client: Client, { madeAt }: Heading): Promise<number> => {
  const message = `it was under way when the backup of ${madeAt} was taken: look at the carrier whether it was done`;
  const failure = JSON.stringify({ why: 'unknown_outcome', problem: problem('restored', message) });
  const { rowCount } = await client.query(
    `update dispatches set state = 'held', failure = $1, lease = null, lease_until = null, finished_at = now()
     where state in ('pending', 'sending', 'waiting')`,
    [failure],
  );
  return rowCount ?? 0;
};
