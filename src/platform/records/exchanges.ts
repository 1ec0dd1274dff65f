import type { Pool } from 'pg';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { execute, raw, rowsOf, sql, type Sql } from './sql.ts';

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

/** The columns of an exchange that are written and read: their types, and what is written. */
const COLUMNS = {
  at: ['timestamptz', ({ exchange }) => new Date(exchange.atMs)],
  carrier_code: ['text', ({ context }) => context.carrierCode],
  environment: ['text', ({ context }) => context.environment],
  account_id: ['bigint', ({ context }) => context.accountId],
  consignment_id: ['bigint', ({ context }) => context.consignmentId],
  dispatch_id: ['bigint', ({ context }) => context.dispatchId],
  profile_hash: ['text', ({ context }) => context.profileHash],
  operation: ['text', ({ exchange }) => exchange.operation],
  step: ['text', ({ exchange }) => exchange.step],
  element: ['int', ({ exchange }) => exchange.element],
  attempt: ['int', ({ exchange }) => exchange.attempt],
  method: ['text', ({ exchange }) => exchange.method],
  url: ['text', ({ exchange }) => clean(exchange.url)],
  request_headers: ['text', ({ exchange }) => clean(JSON.stringify(exchange.requestHeaders))],
  request_body: ['bytea', ({ exchange }) => exchange.requestBody],
  status: ['int', ({ exchange }) => exchange.status],
  response_headers: [
    'text',
    ({ exchange }) => clean(exchange.responseHeaders && JSON.stringify(exchange.responseHeaders)),
  ],
  response_body: ['bytea', ({ exchange }) => exchange.responseBody],
  duration_ms: ['int', ({ exchange }) => Math.max(0, Math.round(exchange.durationMs))],
  outcome: ['text', ({ exchange }) => exchange.outcome],
  message: ['text', ({ exchange }) => clean(exchange.message)],
} satisfies Readonly<Record<string, readonly [type: string, of: (item: NewExchange) => unknown]>>;
const names = Object.keys(COLUMNS);
const NAMES = raw(names.join(', '));
const OF_ROWS = raw(names.map((name) => `exchange.${name}`).join(', '));

/** `insert … select … from` rows `exchange`, to which a join may be added. */
export const insertExchanges = (exchanges: readonly NewExchange[]): Sql =>
  sql`insert into exchanges (${NAMES}) select ${OF_ROWS} from ${rowsOf('exchange', exchanges, COLUMNS)}`;

/** Writes an exchange that belongs to no fenced call: a login, a lookup, a read. */
export const recordExchange = async (pool: Pool, context: ExchangeContext, exchange: Exchange): Promise<void> => {
  await execute(pool)`${insertExchanges([{ context, exchange }])}`;
};

export interface ExchangeQuery {
  readonly carrierCode?: string | undefined;
  readonly consignmentId?: number | undefined;
  readonly dispatchId?: number | undefined;
  /** Only those before this id: the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
  /** Longer bodies are cut to so many bytes. */
  readonly bodyMax?: number | undefined;
}

export type ExchangeRow = { readonly id: number } & Readonly<
  Record<keyof typeof COLUMNS | 'request_size' | 'response_size', unknown>
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
