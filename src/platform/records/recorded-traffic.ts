/** Recorded traffic, for explaining and replaying it. */
import type { Pool } from 'pg';
import type { Exchange, RecordedDispatch } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { readDraws } from './attempt-log.ts';
import { inputOf } from './dispatches.ts';
import { OF_DISPATCH } from './errands.ts';
import { EXCHANGE_COLUMNS } from './exchanges.ts';
import type { PushRecord } from './pushes.ts';
import { dateOf, matching, queryAll, queryFirst, sql, type Sql } from './sql.ts';

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

interface TrafficDispatch extends Omit<RecordedDispatch, 'draws' | 'exchanges'> {
  /** Of the account, as they are now; no secret is among them. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface TrafficPush extends Pick<PushRecord, 'id' | 'carrierCode' | 'source' | 'receivedAtMs' | 'request'> {
  readonly body: Buffer;
}

const PAGE = 200;

/** Rows in the order they came, of a query for a page of rows behind the one with this id. */
async function* paged<Row extends { readonly id: number }>(
  pool: Pool,
  { limit = Infinity }: TrafficQuery,
  page: (after: number) => Sql,
): AsyncGenerator<Row> {
  for (let [after, left] = [0, limit]; left > 0;) {
    const size = Math.min(PAGE, left);
    const rows = await queryAll<Row>(pool)`${page(after)} limit ${size}`;
    yield* rows;
    left -= rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < size) return;
  }
}

/** Of this time, by the column that tells it. */
const within = ({ sinceMs, untilMs }: TrafficQuery, column: string): Sql =>
  matching({ [`${column} >=`]: dateOf(sinceMs), [`${column} <`]: dateOf(untilMs) });

export const readPushes = (pool: Pool, query: TrafficQuery): AsyncGenerator<TrafficPush> =>
  paged(pool, query, (after) => {
    const { carrier, environment } = query;
    return sql`
      select id, carrier_code, source, received_at as received_at_ms, request::json as request, body from pushes
      where ${matching({ 'id >': after, 'carrier_code =': carrier })} and ${within(query, 'received_at')}
        and (environment is null or ${matching({ 'environment =': environment })})
      order by id`;
  });

interface TrafficOrder {
  readonly id: number;
  readonly carrierCode: string;
  readonly createdAtMs: number;
  readonly order: unknown;
}

/** As last accepted. */
export const readOrders = (pool: Pool, query: TrafficQuery): AsyncGenerator<TrafficOrder> =>
  paged(pool, query, (after) => {
    const { carrier, environment } = query;
    return sql`
      select id, carrier_code, created_at as created_at_ms, order_text::json as order from consignments
      where ${matching({ 'id >': after, 'carrier_code =': carrier, 'environment =': environment })}
        and ${within(query, 'created_at')}
      order by id`;
  });

const EXCHANGES = sql`select id, carrier_code, ${EXCHANGE_COLUMNS} from exchanges`;

export const readExchanges = (pool: Pool, query: TrafficQuery): AsyncGenerator<TrafficExchange> =>
  paged(pool, query, (after) => {
    const { carrier, environment, operation, dispatchId } = query;
    return sql`
      ${EXCHANGES}
      where ${matching({ 'id >': after, 'carrier_code =': carrier, 'environment =': environment })}
        and ${matching({ 'operation =': operation, 'dispatch_id =': dispatchId })} and ${within(query, 'at')}
      order by id`;
  });

const exchangesOf = async (pool: Pool, dispatchId: number, limit?: number): Promise<TrafficExchange[]> =>
  await queryAll<TrafficExchange>(pool)`${EXCHANGES} where dispatch_id = ${dispatchId} order by id limit ${limit}`;

const DISPATCHES = sql`
  select d.id, d.operation, d.state, d.failure::json as failure, c.carrier_code, d.profile_hash, c.environment, d.account_id, d.seed,
    (${inputOf(sql`d`)})::json as inputs, coalesce(d.started_at, d.created_at) as started_at_ms,
    coalesce(a.settings, '{}')::json as settings
  from dispatches d ${OF_DISPATCH} left join accounts a on a.id = d.account_id`;

export async function* readDispatches(pool: Pool, query: TrafficQuery) {
  const { carrier, environment, operation, dispatchId } = query;
  const found = paged<TrafficDispatch>(
    pool,
    query,
    (after) => sql`
      ${DISPATCHES}
      where ${matching({ 'd.id >': after, 'c.carrier_code =': carrier, 'c.environment =': environment })}
        and ${matching({ 'd.operation =': operation, 'd.id =': dispatchId })} and ${within(query, 'd.created_at')}
      order by d.id`,
  );
  for await (const dispatch of found) yield { ...dispatch, exchanges: await exchangesOf(pool, dispatch.id) };
}

/** A dispatch of more than these is explained as far as they go. */
const EXCHANGES_MAX = 1_000;

/** A dispatch with all that is recorded of it. */
export const findRecordedDispatch = async (pool: Pool, id: number): Promise<RecordedDispatch | undefined> => {
  const found = await queryFirst<TrafficDispatch>(pool)`${DISPATCHES} where d.id = ${id}`;
  if (found === undefined) return undefined;
  return {
    ...found,
    draws: (await readDraws(pool, [id])).get(id) ?? new Map<string, string>(),
    exchanges: await exchangesOf(pool, id, EXCHANGES_MAX),
  };
};
