import path from 'node:path';
import type { Pool } from 'pg';
import { startEmbeddedPostgres } from '../records/embedded.ts';
import { migrate } from '../records/migrate.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import { addMonths } from '../records/partitions.ts';
import { createPool, isConnectionError, type Log, type PoolOptions } from '../records/pool.ts';
import { queryOne } from '../records/sql.ts';
import type { Config } from './config.ts';

export interface Records {
  readonly databaseUrl: string;
  /** Past a pooler, where `databaseUrl` is one: for what a session holds on to. */
  readonly listenUrl: string;
  readonly isPooled: boolean;
  readonly pool: Pool;
  /** The database is one that the server started itself. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

export const MIGRATIONS = path.resolve(import.meta.dirname, '../records/migrations');

/** What the server keeps beside its own database. */
export const stateFolder = (config: Pick<Config, 'home'>): string => path.join(config.home, '.waybill');

/** The database as it is: the configured PostgreSQL, or one of our own that is started here. */
export const openDatabase = async (config: Pick<Config, 'home' | 'databaseUrl' | 'listenUrl'>, log: Log) => {
  const { databaseUrl } = config;
  const own =
    databaseUrl === undefined
      ? await startEmbeddedPostgres({ folder: path.join(stateFolder(config), 'postgres'), log })
      : undefined;
  const url = own?.databaseUrl ?? databaseUrl ?? '';
  return {
    databaseUrl: url,
    listenUrl: config.listenUrl ?? url,
    isPooled: config.listenUrl !== undefined,
    isOwn: own !== undefined,
    close: async () => await own?.stop(),
  };
};

/** Opens the records, migrated. */
export const openRecords = async (
  config: Config,
  log: Log,
  limits: Pick<PoolOptions, 'max' | 'statementTimeoutMs'> = { max: 20 },
): Promise<Records> => {
  const database = await openDatabase(config, log);
  const { databaseUrl, listenUrl, isPooled } = database;
  try {
    await migrate(listenUrl, MIGRATIONS);
    const pool = createPool({ databaseUrl, isPooled, log, ...limits });
    if (isPooled) await warnOfNoLimit(pool, log);
    await addMonths(pool, log).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the months ahead could not be added to the records now');
    });
    return {
      ...database,
      pool,
      close: async () => {
        await pool.end();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw explained(error, config);
  }
};

const CONNECTIONS_USED_UP = '53300';

/** For whoever starts something: why there is no connection to the configured PostgreSQL, and what to do. */
export const explained = (error: unknown, { databaseUrl }: Pick<Config, 'databaseUrl'>): unknown => {
  if (databaseUrl === undefined || error instanceof Failure || !isConnectionError(error)) return error;
  const isFull = (error as { code?: unknown }).code === CONNECTIONS_USED_UP;
  return new Failure(
    `the database of DATABASE_URL cannot be reached: ${messageOf(error instanceof AggregateError ? error.errors[0] : error)}`,
    {
      code: isFull ? 'database_full' : 'database_unreachable',
      cause: error,
      ...(isFull
        ? { help: 'raise max_connections, run fewer processes, or put a pooler in between: docs/operations.md' }
        : {}),
    },
  );
};

/** Outside of transactions nothing can be said to a connection that is another's next: the role has to have its limit. */
const warnOfNoLimit = async (pool: Pool, log: Log): Promise<void> => {
  const { rows } = await pool.query<{ limit: string }>(`select current_setting('statement_timeout') as limit`);
  if (rows[0]?.limit === '0')
    log.warn({}, 'statements behind the pooler have no time limit: alter role … set statement_timeout = 25000');
};
/** Names this installation, for what it shares with others, such as a Redis: 8 hex digits. */
export const getInstallation = async (pool: Pool): Promise<string> =>
  (await queryOne<{ name: string }>(pool)`select left(id::text, 8) as name from installation`).name;
