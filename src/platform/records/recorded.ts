/** What the records hold of traffic, in the order it came, page by page: for replaying it. */
import type { Pool } from 'pg';
import type { Exchange, Inputs } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import { EXCHANGE_COLUMNS, exchangeOf, type WrittenExchange } from './exchanges.ts';
import type { PushSource } from './status-push.ts';

/** Each that is said must hold. */
export interface RecordedQuery {
  readonly carrier?: string | undefined;
  readonly environment?: EnvironmentName | undefined;
  /** Not of pushes. */
  readonly operation?: string | undefined;
  readonly dispatchId?: number | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly limit?: number | undefined;
}

/** A request and its answer, masked as they were written. */
export interface RecordedExchange extends Exchange {
  readonly id: number;
  readonly carrierCode: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
}

export interface RecordedDispatch {
  readonly id: number;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
  readonly operation: OperationName;
  readonly profileHash: string;
  readonly inputs: Inputs;
  readonly accountId: number | undefined;
  /** Of the account, as they are now; no secret is among them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** When its first try began. */
  readonly startedAtMs: number;
  readonly exchanges: readonly RecordedExchange[];
}

export interface RecordedPush {
  readonly id: number;
  readonly carrierCode: string;
  readonly source: PushSource;
  readonly receivedAtMs: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly body: Buffer;
}

const PAGE = 200;
const LIMIT_MAX = 10_000_000;

/** Rows of a query that takes the last id seen and a page's size as its first two parameters. */
async function* paged<Row extends { readonly id: number }>(
  pool: Pool,
  sql: string,
  parameters: readonly unknown[],
  limit: number = LIMIT_MAX,
): AsyncGenerator<Row> {
  let after = 0;
  let left = limit;
  while (left > 0) {
    const size = Math.min(PAGE, left);
    const { rows } = await pool.query<Row>(sql, [after, size, ...parameters]);
    yield* rows;
    left -= rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < size) return;
  }
}

const date = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));

export async function* recordedPushes(pool: Pool, query: RecordedQuery): AsyncGenerator<RecordedPush> {
  const sql = `select id, carrier_code, source, received_at, request, body from pushes
    where id > $1 and ($3::text is null or carrier_code = $3) and ($4::text is null or environment is null or environment = $4)
      and ($5::timestamptz is null or received_at >= $5) and ($6::timestamptz is null or received_at < $6)
    order by id limit $2`;
  const { carrier = null, environment = null, sinceMs, untilMs, limit } = query;
  const rows = paged<PushRow>(pool, sql, [carrier, environment, date(sinceMs), date(untilMs)], limit);
  for await (const row of rows) {
    yield {
      id: row.id,
      carrierCode: row.carrier_code,
      source: row.source,
      receivedAtMs: row.received_at.getTime(),
      request: JSON.parse(row.request) as RecordedPush['request'],
      body: row.body,
    };
  }
}
interface PushRow {
  readonly id: number;
  readonly carrier_code: string;
  readonly source: PushSource;
  readonly received_at: Date;
  readonly request: string;
  readonly body: Buffer;
}

const EXCHANGE = `id, carrier_code, ${EXCHANGE_COLUMNS}`;

export async function* recordedExchanges(pool: Pool, query: RecordedQuery): AsyncGenerator<RecordedExchange> {
  const sql = `select ${EXCHANGE} from exchanges
    where id > $1 and ($3::text is null or carrier_code = $3) and ($4::text is null or environment = $4)
      and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
      and ($7::text is null or operation = $7) and ($8::bigint is null or dispatch_id = $8)
    order by id limit $2`;
  for await (const row of paged<RecordedRow>(pool, sql, dispatchTerms(query), query.limit)) yield recordedOf(row);
}

export async function* recordedDispatches(pool: Pool, query: RecordedQuery): AsyncGenerator<RecordedDispatch> {
  const sql = `select d.id, c.carrier_code, c.environment, d.operation, d.profile_hash, d.input, d.account_id, a.settings,
      coalesce(d.started_at, d.created_at) as started_at
    from dispatches d join consignments c on c.id = d.consignment_id left join accounts a on a.id = d.account_id
    where d.id > $1 and ($3::text is null or c.carrier_code = $3) and ($4::text is null or c.environment = $4)
      and ($5::timestamptz is null or d.created_at >= $5) and ($6::timestamptz is null or d.created_at < $6)
      and ($7::text is null or d.operation = $7) and ($8::bigint is null or d.id = $8)
    order by d.id limit $2`;
  for await (const row of paged<DispatchRow>(pool, sql, dispatchTerms(query), query.limit)) {
    const { rows } = await pool.query<RecordedRow>(
      `select ${EXCHANGE} from exchanges where dispatch_id = $1 order by id`,
      [row.id],
    );
    yield {
      id: row.id,
      carrierCode: row.carrier_code,
      environment: row.environment,
      operation: row.operation,
      profileHash: row.profile_hash,
      inputs: JSON.parse(row.input) as Inputs,
      accountId: row.account_id ?? undefined,
      settings: JSON.parse(row.settings ?? '{}') as Record<string, unknown>,
      startedAtMs: row.started_at.getTime(),
      exchanges: rows.map(recordedOf),
    };
  }
}

const dispatchTerms = (query: RecordedQuery): unknown[] => {
  const { carrier = null, environment = null, operation = null, dispatchId = null, sinceMs, untilMs } = query;
  return [carrier, environment, date(sinceMs), date(untilMs), operation, dispatchId];
};

interface DispatchRow {
  readonly id: number;
  readonly carrier_code: string;
  readonly environment: EnvironmentName;
  readonly operation: OperationName;
  readonly profile_hash: string;
  readonly input: string;
  readonly account_id: number | null;
  readonly settings: string | null;
  readonly started_at: Date;
}

interface RecordedRow extends WrittenExchange {
  readonly id: number;
  readonly carrier_code: string;
}

const recordedOf = (row: RecordedRow): RecordedExchange => {
  const exchange = exchangeOf(row);
  const { responseHeaders = {} } = exchange;
  return { ...exchange, id: row.id, carrierCode: row.carrier_code, responseHeaders };
};
