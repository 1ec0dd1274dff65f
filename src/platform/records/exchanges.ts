import type { Pool } from 'pg';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { execute, join, raw, sql, type Sql } from './sql.ts';

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
const NAMES = raw(Object.keys(COLUMNS).join(', '));

// PostgreSQL's text holds no NUL; a carrier's header or our message about one might.
const clean = (text: string | undefined): string | undefined => text?.replaceAll('\0', '\uFFFD');

/** `insert … select` of an exchange, to which a `from` may be added. */
export const insertExchange = (context: ExchangeContext, exchange: Exchange): Sql => {
  const values: Readonly<Record<keyof typeof COLUMNS, unknown>> = {
    at: new Date(exchange.atMs),
    carrier_code: context.carrierCode,
    environment: context.environment,
    account_id: context.accountId,
    consignment_id: context.consignmentId,
    dispatch_id: context.dispatchId,
    profile_hash: context.profileHash,
    operation: exchange.operation,
    step: exchange.step,
    element: exchange.element,
    attempt: exchange.attempt,
    method: exchange.method,
    url: clean(exchange.url),
    request_headers: clean(JSON.stringify(exchange.requestHeaders)),
    request_body: exchange.requestBody,
    status: exchange.status,
    response_headers: clean(exchange.responseHeaders && JSON.stringify(exchange.responseHeaders)),
    response_body: exchange.responseBody,
    duration_ms: Math.max(0, Math.round(exchange.durationMs)),
    outcome: exchange.outcome,
    message: clean(exchange.message),
  };
  const typed = Object.entries(COLUMNS).map(
    ([name, type]) => sql`${values[name as keyof typeof COLUMNS]}::${raw(type)}`,
  );
  return sql`insert into exchanges (${NAMES}) select ${join(typed, ', ')}`;
};

/** Writes an exchange that belongs to no fenced call: a login, a lookup, a read. */
export const recordExchange = async (pool: Pool, context: ExchangeContext, exchange: Exchange): Promise<void> => {
  await execute(pool)`${insertExchange(context, exchange)}`;
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
  const { text, values } = sql`
    select id, ${NAMES} from exchanges
    where (${carrierCode}::text is null or carrier_code = ${carrierCode})
      and (${consignmentId}::bigint is null or consignment_id = ${consignmentId})
      and (${dispatchId}::bigint is null or dispatch_id = ${dispatchId})
        and (${beforeId}::bigint is null or id < ${beforeId})
    order by id desc limit ${limit}`;
  return (await pool.query<ExchangeRow>(text, [...values])).rows;
};

/** What of an exchange is read back, masked as it was written: an `Exchange`. */
export const EXCHANGE_COLUMNS = sql`operation, step, element, attempt, at as at_ms, duration_ms, method, url,
  request_headers::json as request_headers, request_body, status,
    coalesce(response_headers, '{}')::json as response_headers,
  response_body, outcome, message`;
