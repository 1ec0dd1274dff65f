import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { Failure, messageOf, type Place } from '../../engine/failure.ts';

const LOCK = 0x57_42_4d_47;
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

export interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

interface Migration extends Applied {
  readonly file: string;
  readonly sql: string;
}

/**
 * Applies the migrations of `folder` (`NNNN-<name>.sql`) that the database lacks, in the order of their numbers, each
 * in a transaction of its own. Processes that start together take turns. Resolves with the names applied now. `only`:
 * those that another database has, which have to be the folder's, and no more. `schema`: where its tables are, made
 * where there is none; the default one unless told.
 * Throws a Failure: `migration_changed`, `migration_missing`, `migration_out_of_order`, `migration_name`,
 * `migration_failed` (with the place in the SQL), `database_newer`.
 */
export async function migrate(
  databaseUrl: string,
  folder: string,
  only?: readonly Applied[],
  schema?: string,
): Promise<readonly string[]> {
  const migrations = await readMigrations(folder);
  if (only !== undefined) choosePending(migrations, only, folder);
  const isWanted = ({ number }: Migration): boolean => only?.some((one) => one.number === number) ?? true;
  const client = new Client({ connectionString: databaseUrl, application_name: 'waybill-migrate', keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Held by the session, so that it also ends with it.
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    if (schema !== undefined) {
      const name = client.escapeIdentifier(schema);
      await client.query(`create schema if not exists ${name}`);
      await client.query(`set search_path to ${name}, public`);
    }
    await client.query(`create table if not exists schema_migration (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
    const { rows } = await client.query<Applied>('select number, name, checksum from schema_migration order by number');
    const pending = choosePending(migrations, rows, folder).filter(isWanted);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const migrations: Migration[] = [];
  for (const name of (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()) {
    const file = join(folder, name);
    const digits = FILE_NAME.exec(name)?.[1];
    if (digits === undefined) throw failure('migration_name', `A migration's name is NNNN-<name>.sql, not ${name}`);
    const number = Number(digits);
    const double = migrations.find((other) => other.number === number);
    if (double !== undefined)
      throw failure('migration_name', `The migrations ${double.name} and ${name} have the same number`);
    // A checkout with Windows line ends is no change.
    const sql = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
    migrations.push({ number, name, file, sql, checksum: createHash('sha256').update(sql).digest('hex') });
  }
  return migrations;
}

/** Pure: what is to be applied, or why the database and the folder do not fit. */
function choosePending(migrations: readonly Migration[], applied: readonly Applied[], folder: string) {
  const newest = migrations.at(-1)?.number ?? 0;
  for (const { number, name, checksum } of applied) {
    const migration = migrations.find((one) => one.number === number);
    if (migration === undefined && number > newest) {
      const help = 'Run the version of Waybill that made it, or a later one.';
      throw failure('database_newer', `The database is newer than this version: it has the migration ${name}`, {
        help,
      });
    }
    if (migration === undefined)
      throw failure('migration_missing', `The applied migration ${name} is not in ${folder}`);
    if (migration.checksum !== checksum)
      throw failure('migration_changed', `The migration ${migration.name} was changed after it was applied`, {
        place: { file: migration.file, line: 1, column: 1 },
        help: 'Restore it as it was, and put the change into a new migration.',
      });
  }
  const last = applied.at(-1)?.number ?? 0;
  const pending = migrations.filter(({ number }) => !applied.some((done) => done.number === number));
  const late = pending.find(({ number }) => number < last);
  if (late === undefined) return pending;
  const message = `The migration ${late.name} comes before one that is already applied (${last})`;
  throw failure('migration_out_of_order', message, { help: 'Give it the next free number.' });
}

async function apply(client: Client, migration: Migration): Promise<void> {
  const { number, name, checksum, sql } = migration;
  try {
    await client.query('begin');
    await client.query(sql);
    const values = [number, name, checksum];
    await client.query('insert into schema_migration (number, name, checksum) values ($1, $2, $3)', values);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => undefined);
    const place = placeOf(cause, migration);
    throw failure('migration_failed', `The migration ${name} failed: ${messageOf(cause)}`, { place, cause });
  }
}

function placeOf(error: unknown, { file, sql }: Migration): Place | undefined {
  const position = error instanceof DatabaseError ? Number(error.position) : Number.NaN;
  if (!(position > 0)) return undefined;
  // PostgreSQL counts characters, from 1.
  const before = Array.from(sql)
    .slice(0, position - 1)
    .join('')
    .split('\n');
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const failure = (
  code: string,
  message: string,
  more: Omit<ConstructorParameters<typeof Failure>[1], 'code'> = {},
): Failure => new Failure(message, { code, ...more });
