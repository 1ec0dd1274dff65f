/** What the records hold of traffic, for explaining and replaying it. */
import type { Pool } from 'pg';
import type { Exchange, Inputs, RecordedDispatch } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import { readDraws } from './attempt-log.ts';
import { EXCHANGE_COLUMNS } from './exchanges.ts';
import type { PushRequest, PushSource } from './pushes.ts';
import { dateOf, queryAll, queryFirst } from './sql.ts';

/** A dispatch of more than these is explained as far as they go. */
const EXCHANGES_MAX = 1_000;

const exchangesOf = async (pool: Pool, dispatchId: number, limit?: number): Promise<TrafficExchange[]> =>
  await queryAll<TrafficExchange>(
    pool,
    `select id, carrier_code, ${EXCHANGE_COLUMNS} from exchanges where dispatch_id = $1 order by id limit $2`,
    [dispatchId, limit],
  );

/** A dispatch with all that is recorded of it. */
export const findRecordedDispatch = async (pool: Pool, id: number): Promise<RecordedDispatch | undefined> => {
  const found = await queryFirst<Omit<RecordedDispatch, 'draws' | 'exchanges'>>(
    pool,
    `select d.id, d.operation, d.state, c.carrier_code, d.profile_hash, c.environment, d.account_id, d.seed,
       d.input::json as inputs, coalesce(d.started_at, d.created_at) as started_at_ms
     from dispatches d join consignments c on c.id = d.consignment_id where d.id = $1`,
    [id],
  );
  if (found === undefined) return undefined;
  return { ...found, draws: await readDraws(pool, id), exchanges: await exchangesOf(pool, id, EXCHANGES_MAX) };
};

/** Each that is given must hold. */
export interface TrafficQuery {
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
export interface TrafficExchange extends Exchange {
  readonly id: number;
  readonly carrierCode: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
}

export interface TrafficDispatch {
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
  readonly exchanges: readonly TrafficExchange[];
}

export interface TrafficPush {
  readonly id: number;
  readonly carrierCode: string;
  readonly source: PushSource;
  readonly receivedAtMs: number;
  readonly request: PushRequest;
  readonly body: Buffer;
}

const PAGE = 200;

/** Rows in the order they came, of a query that takes the last id seen and a page's size as its first two parameters. */
async function* paged<Row extends { readonly id: number }>(
  pool: Pool,
  sql: string,
  { carrier, environment, sinceMs, untilMs, limit = Infinity }: TrafficQuery,
  more: readonly unknown[] = [],
): AsyncGenerator<Row> {
  const terms = [carrier, environment, dateOf(sinceMs), dateOf(untilMs), ...more];
  for (let [after, left] = [0, limit]; left > 0;) {
    const size = Math.min(PAGE, left);
    const rows = await queryAll<Row>(pool, sql, [after, size, ...terms]);
    yield* rows;
    left -= rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < size) return;
  }
}

export async function* readPushes(pool: Pool, query: TrafficQuery): AsyncGenerator<TrafficPush> {
  const sql = `select id, carrier_code, source, received_at as received_at_ms, request::json as request, body from pushes
    where id > $1 and ($3::text is null or carrier_code = $3) and ($4::text is null or environment is null or environment = $4)
      and ($5::timestamptz is null or received_at >= $5) and ($6::timestamptz is null or received_at < $6)
    order by id limit $2`;
  yield* paged<TrafficPush>(pool, sql, query);
}

export async function* readExchanges(pool: Pool, query: TrafficQuery): AsyncGenerator<TrafficExchange> {
  const sql = `select id, carrier_code, ${EXCHANGE_COLUMNS} from exchanges
    where id > $1 and ($3::text is null or carrier_code = $3) and ($4::text is null or environment = $4)
      and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
      and ($7::text is null or operation = $7) and ($8::bigint is null or dispatch_id = $8)
    order by id limit $2`;
  yield* paged<TrafficExchange>(pool, sql, query, [query.operation, query.dispatchId]);
}

export async function* readDispatches(pool: Pool, query: TrafficQuery): AsyncGenerator<TrafficDispatch> {
  const sql = `select d.id, c.carrier_code, c.environment, d.operation, d.profile_hash, d.input::json as inputs,
      d.account_id, coalesce(a.settings, '{}')::json as settings, coalesce(d.started_at, d.created_at) as started_at_ms
    from dispatches d join consignments c on c.id = d.consignment_id left join accounts a on a.id = d.account_id
    where d.id > $1 and ($3::text is null or c.carrier_code = $3) and ($4::text is null or c.environment = $4)
      and ($5::timestamptz is null or d.created_at >= $5) and ($6::timestamptz is null or d.created_at < $6)
      and ($7::text is null or d.operation = $7) and ($8::bigint is null or d.id = $8)
    order by d.id limit $2`;
  const found = paged<Omit<TrafficDispatch, 'exchanges'>>(pool, sql, query, [query.operation, query.dispatchId]);
  for await (const dispatch of found) yield { ...dispatch, exchanges: await exchangesOf(pool, dispatch.id) };
}
