import type { Pool } from 'pg';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { execute } from './sql.ts';

/** What an exchange belongs to. */
export interface ExchangeContext {
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly accountId: number | undefined;
  readonly consignmentId: number | undefined;
  readonly dispatchId: number | undefined;
  readonly profileHash: string;
}

/** The columns of an exchange that are written and read, with their types. */
const COLUMNS = {
  at: 'timestamptz',
  carrier_code: 'text',
  environment: 'text',
  account_id: 'bigint',
  consignment_id: 'bigint',
  dispatch_id: 'bigint',
  profile_hash: 'text',
  operation: 'text',
  step: 'text',
  element: 'int',
  attempt: 'int',
  method: 'text',
  url: 'text',
  request_headers: 'text',
  request_body: 'bytea',
  status: 'int',
  response_headers: 'text',
  response_body: 'bytea',
  duration_ms: 'int',
  outcome: 'text',
  message: 'text',
};
const NAMES = Object.keys(COLUMNS).join(', ');

/** `insert … select` of an exchange whose values follow `before` other parameters. */
export const INSERT_EXCHANGE = (before: number): string =>
  `insert into exchanges (${NAMES})
   select ${Object.values(COLUMNS)
     .map((type, index) => `$${before + index + 1}::${type}`)
     .join(', ')}`;

// PostgreSQL's text holds no NUL; a carrier's header or our message about one might.
const clean = (text: string | undefined): string | undefined => text?.replaceAll('\0', '\uFFFD');

/** The values of `INSERT_EXCHANGE`, in its order. */
export const exchangeColumns = (context: ExchangeContext, exchange: Exchange): unknown[] => [
  new Date(exchange.atMs),
  context.carrierCode,
  context.environment,
  context.accountId,
  context.consignmentId,
  context.dispatchId,
  context.profileHash,
  exchange.operation,
  exchange.step,
  exchange.element,
  exchange.attempt,
  exchange.method,
  clean(exchange.url),
  clean(JSON.stringify(exchange.requestHeaders)),
  exchange.requestBody,
  exchange.status,
  clean(exchange.responseHeaders && JSON.stringify(exchange.responseHeaders)),
  exchange.responseBody,
  Math.max(0, Math.round(exchange.durationMs)),
  exchange.outcome,
  clean(exchange.message),
];

/** Writes an exchange that belongs to no fenced call: a login, a lookup, a read. */
export const recordExchange = async (pool: Pool, context: ExchangeContext, exchange: Exchange): Promise<void> => {
  await execute(pool, INSERT_EXCHANGE(0), exchangeColumns(context, exchange));
};

export interface ExchangeQuery {
  readonly carrierCode?: string | undefined;
  readonly consignmentId?: number | undefined;
  readonly dispatchId?: number | undefined;
  /** Only those before this id: the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export type ExchangeRow = { readonly id: number } & Readonly<Record<keyof typeof COLUMNS, unknown>>;

/** Exchanges as recorded, the newest first. */
export const listExchanges = async (
  pool: Pool,
  { carrierCode, consignmentId, dispatchId, beforeId, limit }: ExchangeQuery,
): Promise<readonly ExchangeRow[]> => {
  const { rows } = await pool.query<ExchangeRow>(
    `select id, ${NAMES} from exchanges
     where ($1::text is null or carrier_code = $1) and ($2::bigint is null or consignment_id = $2)
       and ($3::bigint is null or dispatch_id = $3) and ($4::bigint is null or id < $4)
     order by id desc limit $5`,
    [carrierCode, consignmentId, dispatchId, beforeId, limit],
  );
  return rows;
};

/** What of an exchange is read back, masked as it was written: an `Exchange`. */
export const EXCHANGE_COLUMNS = `operation, step, element, attempt, at as at_ms, duration_ms, method, url,
  request_headers::json as request_headers, request_body, status, coalesce(response_headers, '{}')::json as response_headers,
  response_body, outcome, message`;
