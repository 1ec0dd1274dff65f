import { Client, type ClientBase, Pool, type PoolClient, type PoolConfig, type QueryConfig, types } from 'pg';
import { Failure, messageOf } from '../../engine/failure.ts';

/** Where the engine writes what happened; pino's loggers are such. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface PoolOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  /** Connections at most, 10 unless told; for what is prepared there is always one of its own. */
  readonly max?: number | undefined;
  /** As PostgreSQL's pg_stat_activity shows it. */
  readonly applicationName?: string | undefined;
  readonly statementTimeoutMs?: number | undefined;
  /** A pooler stands between, which may give each transaction another connection of PostgreSQL. */
  readonly isPooled?: boolean | undefined;
}

const INT8 = 20;
const DATE = 1082;
const TIMESTAMP = 1114;
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009;
const parserOf = types.getTypeParser as (oid: number, format?: 'text' | 'binary') => (text: string) => unknown;

/**
 * How columns become JavaScript values, where pg's own way is a trap. `bigint` (and so `count(*)`) is a number, and
 * one that a number cannot hold exactly is an error, never rounded. `date` and `timestamp` without a zone are text:
 * pg would read them in this machine's zone. `numeric` is text, `timestamptz` a Date, as pg has them.
 */
const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
    if (format !== 'binary') {
      if (oid === INT8) return exactNumber;
      if (oid === INT8_ARRAY) return exactNumbers;
      if (oid === DATE || oid === TIMESTAMP) return String;
    }
    return parserOf(oid, format);
  },
};

function exactNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new Failure(`The bigint ${text} is too large for a number`, { code: 'bigint_out_of_range' });
}

const readTexts = parserOf(TEXT_ARRAY) as (text: string) => (string | null)[];
const exactNumbers = (text: string) => readTexts(text).map((item) => (item === null ? null : exactNumber(item)));

/** Together with what else a request waits for, under the 35 s that anybody may be kept waiting. */
const STATEMENT_TIMEOUT_MS = 25_000;
/** PostgreSQL itself ends a statement at its limit: whoever hears nothing until then, and a tenth, hears nothing more. */
const SILENCE = 1.1;

/** Of pg: nothing came over the connection, which is taken for dead. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** Codes of PostgreSQL and of sockets: no connection, none to be had now, or a choice made between two transactions. */
const CONNECTION_CODES =
  /^(?:08...|40...|53...|55P03|57014|57P0.|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ENOENT)$/;
const CONNECTION_LOST =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection|Cannot use a pool after calling end/;

/** Whether it failed only because the database could not be reached: it may be done again as it was. */
export const isConnectionError = (thrown: unknown): boolean => {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError && thrown.errors.some(isConnectionError)) return true;
  const { code } = thrown as { code?: unknown };
  return (typeof code === 'string' && CONNECTION_CODES.test(code)) || CONNECTION_LOST.test(thrown.message);
};

/** A transaction in which nothing is done holds locks. */
const IDLE_LIMIT_MS = 60_000;

const isPrepared = (query: unknown): query is QueryConfig =>
  typeof query === 'object' && query !== null && 'name' in query && query.name !== undefined && 'text' in query;

/** What it prepares may be asked of a connection that does not know of it: so nothing is prepared by a name. */
class PooledClient extends Client {
  override query(...given: unknown[]): never {
    const [query, ...rest] = given;
    const unnamed = isPrepared(query) ? { ...query, name: undefined } : query;
    return (super.query as (...asked: unknown[]) => never)(unnamed, ...rest);
  }
}

/** Of the connections. Each of them plans what it prepares, which costs as much as to do it many times. */
const PREPARING_SHARE = 0.4;
/**
 * One plan for all values, and by indexes: every prepared statement looks up what it names. Plans made for the empty tables
 * of a new installation would read them from end to end until PostgreSQL has analysed them.
 */
const ONE_PLAN = 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off';
/** The pool waits for it, though its type does not say so. */
const planOnce: (client: ClientBase) => unknown = async (client) => await client.query(ONE_PLAN);

/** What is prepared goes over connections of its own. */
class RecordsPool extends Pool {
  readonly preparing: Pool;

  constructor({ max = 10, ...config }: PoolConfig) {
    const preparing = Math.ceil(max * PREPARING_SHARE);
    super({ ...config, max: Math.max(1, max - preparing) });
    this.preparing = new Pool({ ...config, max: preparing, onConnect: planOnce });
    for (const event of ['error', 'connect'] as const)
      this.preparing.on(event, (...told: unknown[]) => void this.emit(event, ...told));
  }

  override query(...given: unknown[]): never {
    const over = isPrepared(given[0]) ? this.preparing : this;
    return (super.query as (...asked: unknown[]) => never).apply(over, given);
  }

  override async end(): Promise<void> {
    await Promise.all([super.end(), this.preparing.end()]);
  }
}

/** Pieces of work that wait for a connection. */
export const waitingFor = (pool: Pool): number =>
  pool.waitingCount + (pool instanceof RecordsPool ? pool.preparing.waitingCount : 0);

const beginning = (client: PoolClient): string =>
  client instanceof PooledClient
    ? `begin; set local statement_timeout = ${STATEMENT_TIMEOUT_MS}; set local idle_in_transaction_session_timeout = ${IDLE_LIMIT_MS}`
    : 'begin';

/** A pool whose connections may drop, or fall silent, at any time without ending the process. */
export function createPool(options: PoolOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const config = {
    connectionString: options.databaseUrl,
    max: options.max,
    application_name: options.applicationName ?? 'waybill',
    query_timeout: Math.ceil(statementTimeoutMs * SILENCE),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: columnTypes,
  };
  // A pooler refuses limits, or gives them to others; `beginning` says them anew to each transaction.
  const pool =
    options.isPooled === true
      ? new Pool({ ...config, Client: PooledClient })
      : new RecordsPool({
          ...config,
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: IDLE_LIMIT_MS,
        });
  pool.on('error', (error) => {
    // It has ended before its connections have, which then only hear that their server stops.
    if (!pool.ending) options.log.warn({ error: messageOf(error) }, 'an idle database connection was lost');
  });
  // The pool listens to idle connections only; one lost while in use would end the process. Its query rejects anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Runs `fn` in one transaction: committed when it resolves, rolled back when it rejects; a rehearsal is rolled back. */
export async function transaction<Result>(
  pool: Pool,
  fn: (client: PoolClient) => Promise<Result>,
  isRehearsal = false,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(beginning(client));
    const result = await fn(client);
    await client.query(isRehearsal ? 'rollback' : 'commit');
    return result;
  } catch (error) {
    if (isSilence(error)) broken = error as Error;
    else
      await client.query('rollback').catch((failed: Error) => {
        broken = failed;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}
