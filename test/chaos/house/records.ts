/** The records of a house: a database of its own on the server of all rows, migrated. */
import path from 'node:path';
import type { Pool } from 'pg';
import { migrate } from '../../../src/platform/records/migrate.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { quietLog } from '../../support/log.ts';
import { sharedPostgres } from '../world/postgres.ts';

export interface Records {
  readonly databaseUrl: string;
  readonly pool: Pool;
  close(): Promise<void>;
}

const MIGRATIONS = path.resolve(import.meta.dirname, '../../../src/platform/records/migrations');

export const openRecords = async (): Promise<Records> => {
  const postgres = await sharedPostgres();
  const databaseUrl = await postgres.createDatabase();
  await migrate(databaseUrl, MIGRATIONS);
  const pool = createPool({ databaseUrl, log: quietLog, applicationName: 'chaos' });
  return {
    databaseUrl,
    pool,
    close: async () => {
      await pool.end();
      await postgres.dropDatabase(databaseUrl);
    },
  };
};
