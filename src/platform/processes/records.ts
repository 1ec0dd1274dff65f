import path from 'node:path';
import type { Pool } from 'pg';
import { startEmbeddedPostgres } from '../records/embedded.ts';
import { migrate } from '../records/migrate.ts';
import { createPool, type Log } from '../records/pool.ts';
import type { Config } from './config.ts';

export interface Records {
  readonly databaseUrl: string;
  readonly pool: Pool;
  /** The database is one that the server started itself. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

const MIGRATIONS = path.resolve(import.meta.dirname, '../records/migrations');

/** What the server keeps beside its own database. */
export const stateFolder = (config: Config): string => path.join(config.home, '.waybill');

/** Opens the records, migrated: the configured PostgreSQL, or one of our own that is started here. */
export const openRecords = async (config: Config, log: Log, connections = 20): Promise<Records> => {
  const own =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ folder: path.join(stateFolder(config), 'postgres'), log })
      : undefined;
  const databaseUrl = own?.databaseUrl ?? config.databaseUrl ?? '';
  try {
    await migrate(databaseUrl, MIGRATIONS);
    const pool = createPool({ databaseUrl, log, max: connections });
    return {
      databaseUrl,
      pool,
      isOwn: own !== undefined,
      close: async () => {
        await pool.end();
        await own?.stop();
      },
    };
  } catch (error) {
    await own?.stop();
    throw error;
  }
};
