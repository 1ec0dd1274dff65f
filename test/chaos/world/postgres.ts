/** PostgreSQL for a run: one server for all rows, each with a database; or one of a row's own, to be broken. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, type Pool } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/records/embedded.ts';
import { migrate } from '../../../src/platform/records/migrate.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { quietLog } from '../../support/log.ts';
import { whenWeAreGone } from '../../support/watchdog.ts';

export interface Postgres extends AsyncDisposable {
  createDatabase(): Promise<string>;
  /** And ends what is connected to it. */
  dropDatabase(databaseUrl: string): Promise<void>;
  /** As a crash: it recovers from its log when it comes back, which the keeper in this process sees to. */
  restartImmediately(): Promise<void>;
}

/** A fleet with two API and two worker processes has some 150 connections. */
const CONNECTIONS = 500;
const ENDED = '[ -d "$1" ] && kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 1; rm -rf "$1"';

/** Starts one in a folder of its own; what it wrote survives an immediate restart. */
export const startPostgres = async (given?: string): Promise<Postgres> => {
  const folder = given ?? (await mkdtemp(path.join(tmpdir(), 'waybill-chaos-postgres-')));
  whenWeAreGone(ENDED, folder);
  const start = async (): Promise<EmbeddedPostgres> => await startEmbeddedPostgres({ folder, log: quietLog });
  const first = await start();
  await asAdmin(first.databaseUrl, async (admin) => {
    await admin.query(`alter system set max_connections = ${CONNECTIONS}`);
  });
  await first.stop();
  const server = await start();
  return {
    createDatabase: async () => {
      const name = `chaos_${randomBytes(6).toString('hex')}`;
      await asAdmin(server.databaseUrl, async (admin) => await admin.query(`create database ${name}`));
      const url = new URL(server.databaseUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    dropDatabase: async (databaseUrl) => {
      const name = new URL(databaseUrl).pathname.slice(1);
      await asAdmin(server.databaseUrl, async (admin) => await admin.query(`drop database ${name} with (force)`));
    },
    restartImmediately: async () => {
      const [pid] = (await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      if (given === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};

let shared: Promise<Postgres> | undefined;

/** The server of all rows that do not break it; it ends with the run. */
const sharedPostgres = async (): Promise<Postgres> => await (shared ??= startPostgres());

export const stopSharedPostgres = async (): Promise<void> => {
  await (await shared)?.[Symbol.asyncDispose]();
};

interface Database extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly pool: Pool;
}

const MIGRATIONS = path.resolve(import.meta.dirname, '../../../src/platform/records/migrations');

/** A migrated database, on the server of all rows unless told. */
export const openDatabase = async (given?: Postgres): Promise<Database> => {
  const postgres = given ?? (await sharedPostgres());
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl, MIGRATIONS);
  const pool = createPool({ databaseUrl, log: quietLog, applicationName: 'chaos' });
  return {
    databaseUrl,
    pool,
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      // One of a row's own may be broken yet, and ends with the row.
      if (given === undefined) await postgres.dropDatabase(databaseUrl);
    },
  };
};

/** On a connection of its own. */
export const asAdmin = async <Result>(url: string, act: (admin: Client) => Promise<Result>): Promise<Result> => {
  const admin = new Client({ connectionString: url, application_name: 'chaos-admin' });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    return await act(admin);
  } finally {
    await admin.end();
  }
};
