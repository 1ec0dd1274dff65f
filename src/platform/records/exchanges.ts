import type { Pool } from 'pg';
import type { Exchange } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';

/** What an exchange belongs to. */
export interface ExchangeContext {
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly accountId: number | undefined;
  readonly consignmentId: number | undefined;
  readonly dispatchId: number | undefined;
  readonly profileHash: string;
}

const COLUMNS = [
  'at',
  'carrier_code',
  'environment',
  'account_id',
  'consignment_id',
  'dispatch_id',
  'profile_hash',
  'operation',
  'step',
  'element',
  'attempt',
  'method',
  'url',
  'request_headers',
  'request_body',
  'status',
  'response_headers',
  'response_body',
  'duration_ms',
  'outcome',
  'message',
] as const;
const TYPES: Readonly<Partial<Record<(typeof COLUMNS)[number], string>>> = {
  at: 'timestamptz',
  account_id: 'bigint',
  consignment_id: 'bigint',
  dispatch_id: 'bigint',
  element: 'int',
  attempt: 'int',
  request_body: 'bytea',
  status: 'int',
  response_body: 'bytea',
  duration_ms: 'int',
};

/** `insert … select` of an exchange whose values follow `before` other parameters. */
export const INSERT_EXCHANGE = (before: number): string =>
  `insert into exchanges (${COLUMNS.join(', ')})
   select ${COLUMNS.map((column, index) => `$${before + index + 1}::${TYPES[column] ?? 'text'}`).join(', ')}`;

// PostgreSQL's text holds no NUL; a carrier's header or our message about one might.
const clean = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** The values of `INSERT_EXCHANGE`, in its order. */
export const exchangeColumns = (context: ExchangeContext, exchange: Exchange): unknown[] => [
  new Date(exchange.atMs),
  context.carrierCode,
  context.environment,
  context.accountId ?? null,
  context.consignmentId ?? null,
  context.dispatchId ?? null,
  context.profileHash,
  exchange.operation,
  exchange.step,
  exchange.element,
  exchange.attempt,
  exchange.method,
  clean(exchange.url),
  clean(JSON.stringify(exchange.requestHeaders)),
  exchange.requestBody ?? null,
  exchange.status ?? null,
  exchange.responseHeaders === undefined ? null : clean(JSON.stringify(exchange.responseHeaders)),
  exchange.responseBody ?? null,
  Math.max(0, Math.round(exchange.durationMs)),
  exchange.outcome,
  exchange.message === undefined ? null : clean(exchange.message),
];

/** Writes an exchange that belongs to no fenced call: a login, a lookup, a read. */
export const recordExchange = async (pool: Pool, context: ExchangeContext, exchange: Exchange): Promise<void> => {
  await pool.query(INSERT_EXCHANGE(0), exchangeColumns(context, exchange));
};

export interface ExchangeQuery {
  readonly carrierCode?: string | undefined;
  readonly consignmentId?: number | undefined;
  readonly dispatchId?: number | undefined;
  /** Only those before this id: the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export type ExchangeRow = { readonly id: number } & Readonly<Record<(typeof COLUMNS)[number], unknown>>;

/** Exchanges as recorded, the newest first. */
export const listExchanges = async (pool: Pool, query: ExchangeQuery): Promise<readonly ExchangeRow[]> => {
  const { rows } = await pool.query<ExchangeRow>(
    `select id, ${COLUMNS.join(', ')} from exchanges
     where ($1::text is null or carrier_code = $1) and ($2::bigint is null or consignment_id = $2)
       and ($3::bigint is null or dispatch_id = $3) and ($4::bigint is null or id < $4)
     order by id desc limit $5`,
    [
      query.carrierCode ?? null,
      query.consignmentId ?? null,
      query.dispatchId ?? null,
      query.beforeId ?? null,
      query.limit,
    ],
  );
  return rows;
};

/** What of an exchange is read back; `exchangeOf` makes it one. */
export const EXCHANGE_COLUMNS = `operation, step, element, attempt, at, duration_ms, method, url, request_headers,
  request_body, status, response_headers, response_body, outcome, message`;

export interface WrittenExchange {
  operation: string;
  step: string;
  element: number;
  attempt: number;
  at: Date;
  duration_ms: number;
  method: string;
  url: string;
  request_headers: string;
  request_body: Buffer | null;
  status: number | null;
  response_headers: string | null;
  response_body: Buffer | null;
  outcome: string;
  message: string | null;
}

type Headers = Readonly<Record<string, string>>;

/** One as it was written, masked. */
export const exchangeOf = (row: WrittenExchange): Exchange => ({
  operation: row.operation,
  step: row.step,
  element: row.element,
  attempt: row.attempt,
  atMs: row.at.getTime(),
  durationMs: row.duration_ms,
  method: row.method,
  url: row.url,
  requestHeaders: JSON.parse(row.request_headers) as Headers,
  requestBody: row.request_body ?? undefined,
  status: row.status ?? undefined,
  responseHeaders: row.response_headers === null ? undefined : (JSON.parse(row.response_headers) as Headers),
  responseBody: row.response_body ?? undefined,
  outcome: row.outcome,
  message: row.message ?? undefined,
});
