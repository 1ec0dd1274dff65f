import type { Pool } from 'pg';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { columnsOf, execute, type Filter, matching, type NameIn, raw, rowsOf, sql, type Sql } from './sql.ts';

/** What an exchange belongs to. */
export interface ExchangeContext {
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly accountId: number | undefined;
  readonly consignmentId: number | undefined;
  readonly dispatchId: number | undefined;
  readonly profileHash: string;
}

/** An exchange with what it belongs to, as it is written. */
export interface NewExchange {
  readonly context: ExchangeContext;
  readonly exchange: Exchange;
}

// PostgreSQL's text holds no NUL; a carrier's header or our message about one might.
const clean = (text: string | undefined): string | undefined => text?.replaceAll('\0', '\uFFFD');

/** The columns of an exchange that are written and read. */
const COLUMNS = `at timestamptz, carrier_code text, environment text, account_id bigint, consignment_id bigint,
  dispatch_id bigint, profile_hash text, operation text, step text, element int, attempt int, method text, url text,
  request_headers text, request_body bytea, status int, response_headers text, response_body bytea, duration_ms int,
  outcome text, message text`;
const names = columnsOf(COLUMNS).map(({ name }) => name);
const NAMES = raw(names.join(', '));
const OF_ROWS = raw(names.map((name) => `exchange.${name}`).join(', '));

/** `insert … select … from` rows `exchange`, to which a join may be added. */
export const insertExchanges = (exchanges: readonly NewExchange[]): Sql => {
  const rows = exchanges.map(({ context, exchange }) => ({ ...context, ...exchange }));
  return sql`insert into exchanges (${NAMES}) select ${OF_ROWS} from ${rowsOf('exchange', rows, COLUMNS, {
    url: ({ url }) => clean(url),
    request_headers: ({ requestHeaders }) => clean(JSON.stringify(requestHeaders)),
    response_headers: ({ responseHeaders }) => clean(responseHeaders && JSON.stringify(responseHeaders)),
    duration_ms: ({ durationMs }) => Math.max(0, Math.round(durationMs)),
    message: ({ message }) => clean(message),
  })}`;
};

/** Writes an exchange that belongs to no fenced call: a login, a lookup, a read. */
export const recordExchange = async (pool: Pool, context: ExchangeContext, exchange: Exchange): Promise<void> => {
  await execute(pool)`${insertExchanges([{ context, exchange }])}`;
};

export interface ExchangeQuery extends Filter<ExchangeContext, 'carrierCode' | 'consignmentId' | 'dispatchId'> {
  /** Only those before this id: the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
  /** Longer bodies are cut to so many bytes. */
  readonly bodyMax?: number | undefined;
}

export type ExchangeRow = { readonly id: number } & Readonly<
  Record<NameIn<typeof COLUMNS> | 'request_size' | 'response_size', unknown>
>;

const SIZES = sql`octet_length(request_body) as request_size, octet_length(response_body) as response_size`;
/** PostgreSQL counts in 32 bits. */
const WHOLE = 2 ** 31 - 1;
const cutTo = (bytes: number): Sql =>
  raw(names.map((name) => (name.endsWith('_body') ? `substring(${name} for ${bytes}) as ${name}` : name)).join(', '));

/** Exchanges as recorded, the newest first. */
export const listExchanges = async (
  pool: Pool,
  { carrierCode, consignmentId, dispatchId, beforeId, limit, bodyMax = WHOLE }: ExchangeQuery,
): Promise<readonly ExchangeRow[]> => {
  const { text, values } = sql`
    select id, ${cutTo(bodyMax)}, ${SIZES} from exchanges
    where ${matching({ 'carrier_code =': carrierCode, 'consignment_id =': consignmentId, 'dispatch_id =': dispatchId })}
      and ${matching({ 'id <': beforeId })}
    order by id desc limit ${limit}`;
  return (await pool.query<ExchangeRow>(text, [...values])).rows;
};

/** What of an exchange is read back, masked as it was written: an `Exchange`. */
export const EXCHANGE_COLUMNS = sql`operation, step, element, attempt, at as at_ms, duration_ms, method, url,
  request_headers::json as request_headers, request_body, status,
    coalesce(response_headers, '{}')::json as response_headers,
  response_body, outcome, message`;
