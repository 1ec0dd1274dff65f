/** What carriers sent us, as it came: committed before it is answered, processed afterwards. */
import type { Pool } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { statusJobId, writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';
import { queryAll, queryFirst, queryOne } from './sql.ts';

type PushSource = 'contract' | 'webhook' | 'poll';
export type PushState = 'pending' | 'done' | 'failed';

/** How it came: what a mapping sees as `request`, without its body. */
interface PushRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface NewPush {
  /** Of the token or the path, never of the body. */
  readonly carrierCode: string;
  /** The account whose secret authenticated it, or that was polled. */
  readonly accountId?: number | undefined;
  readonly source: PushSource;
  /** Undefined: it may speak of either. */
  readonly environment?: EnvironmentName | undefined;
  readonly request: PushRequest;
  readonly body: Uint8Array;
  readonly receivedAtMs: number;
}

export interface PushRecord extends NewPush {
  readonly id: number;
  readonly state: PushState;
}

/** Records a push and the job that processes it; yields its id. What is committed may be answered with 200. */
export const recordPush = async (pool: Pool, push: NewPush): Promise<number> =>
  await transaction(pool, async (client) => {
    const { carrierCode, accountId, source, environment, receivedAtMs, request, body } = push;
    const { id } = await queryOne<{ id: number }>(client)`
      insert into pushes (carrier_code, account_id, source, environment, received_at, request, body)
      values (${carrierCode}, ${accountId}, ${source}, ${environment}, ${new Date(receivedAtMs)},
        ${JSON.stringify(request)}, ${body}) returning id`;
    await writeOutbox(client, 'status', [{ jobId: statusJobId(id) }]);
    return id;
  });

export const findPush = async (pool: Pool, id: number): Promise<PushRecord | undefined> =>
  await queryFirst<PushRecord>(pool)`
    select id, carrier_code, account_id, source, environment, received_at as received_at_ms, request::json as request,
      body, state
    from pushes where id = ${id}`;

/** Jobs of pushes received before `beforeMs` and not processed: for the reconciler to queue again. */
export const findUnprocessedPushes = async (
  pool: Pool,
  beforeMs: number,
  limit: number,
): Promise<readonly string[]> => {
  const rows = await queryAll<{ id: number }>(pool)`
    select id from pushes where state = 'pending' and received_at < ${new Date(beforeMs)}
    order by received_at limit ${limit}`;
  return rows.map(({ id }) => statusJobId(id));
};

export interface FailedPush {
  readonly id: number;
  readonly carrierCode: string;
  readonly source: PushSource;
  readonly receivedAt: Date;
  readonly failure: string;
}

interface FailedQuery {
  readonly carrierCode?: string | undefined;
  readonly afterId?: number | undefined;
  readonly limit: number;
}

/** Pushes of which not all could be read, the oldest first; `processPush` tries one again. */
export const listFailedPushes = async (
  pool: Pool,
  { carrierCode, afterId = 0, limit }: FailedQuery,
): Promise<FailedPush[]> =>
  await queryAll<FailedPush>(pool)`
    select id, carrier_code, source, received_at, coalesce(failure, '') as failure from pushes
    where state = 'failed' and (${carrierCode}::text is null or carrier_code = ${carrierCode}) and id > ${afterId}
    order by id limit ${limit}`;
