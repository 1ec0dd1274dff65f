/** Databases of a run: one server for all rows, which ends with this process, however it ends. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, type Pool } from 'pg';
import { startEmbeddedPostgres } from '../../../src/store/embedded.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { createPool } from '../../../src/store/pool.ts';
import { quietLog } from '../../support/log.ts';
import { whenWeAreGone } from '../../support/watchdog.ts';

export interface Records {
  readonly databaseUrl: string;
  readonly pool: Pool;
  close(): Promise<void>;
}

const MIGRATIONS = path.resolve(import.meta.dirname, '../../../src/store/migrations');

let server: Promise<string> | undefined;

const startServer = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-postgres-'));
  whenWeAreGone('[ -d "$1" ] && kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 1; rm -rf "$1"', folder);
  return (await startEmbeddedPostgres({ folder, log: quietLog, fsync: false })).databaseUrl;
};

/** A new database, migrated. */
export const openRecords = async (): Promise<Records> => {
  const adminUrl = await (server ??= startServer());
  const name = `chaos_${randomBytes(6).toString('hex')}`;
  const asAdmin = async (sql: string): Promise<void> => {
    const admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    try {
      await admin.query(sql);
    } finally {
      await admin.end();
    }
  };
  await asAdmin(`create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  await migrate(url.href, MIGRATIONS);
  const pool = createPool({ databaseUrl: url.href, log: quietLog, applicationName: 'chaos' });
  return {
    databaseUrl: url.href,
    pool,
    close: async () => {
      await pool.end();
      await asAdmin(`drop database if exists ${name} with (force)`);
    },
  };
};
