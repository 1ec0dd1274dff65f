/** What carriers sent us, as it came: committed before it is answered, processed afterwards (design.md, "Never lost" 5). */
import type { Pool } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';

export type PushSource = 'contract' | 'webhook' | 'poll';
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
  /** The account whose secret proved it, or that was polled. */
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
    const { rows } = await client.query<{ id: number }>(
      `insert into pushes (carrier_code, account_id, source, environment, received_at, request, body)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [
        push.carrierCode,
        push.accountId ?? null,
        push.source,
        push.environment ?? null,
        new Date(push.receivedAtMs),
        JSON.stringify(push.request),
        push.body,
      ],
    );
    if (rows[0] === undefined) throw new Error('insert … returning gave no row');
    const { id } = rows[0];
    await writeOutbox(client, [{ queue: 'status', jobId: statusJobId(id) }]);
    return id;
  });

export const statusJobId = (pushId: number): string => `s-${pushId}`;

export const parseStatusJobId = (jobId: string): number | undefined => {
  const id = /^s-(\d{1,15})$/.exec(jobId)?.[1];
  return id === undefined ? undefined : Number(id);
};

interface Row {
  id: number;
  carrier_code: string;
  account_id: number | null;
  source: PushSource;
  environment: EnvironmentName | null;
  received_at: Date;
  request: string;
  body: Buffer;
  state: PushState;
}

export const findPush = async (pool: Pool, id: number): Promise<PushRecord | undefined> => {
  const { rows } = await pool.query<Row>(
    `select id, carrier_code, account_id, source, environment, received_at, request, body, state
     from pushes where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    id: row.id,
    carrierCode: row.carrier_code,
    accountId: row.account_id ?? undefined,
    source: row.source,
    environment: row.environment ?? undefined,
    request: JSON.parse(row.request) as PushRequest,
    body: row.body,
    receivedAtMs: row.received_at.getTime(),
    state: row.state,
  };
};

/** Ids of pushes received before `beforeMs` and not processed: for the reconciler to queue again. */
export const findUnprocessedPushes = async (pool: Pool, beforeMs: number, limit: number): Promise<number[]> => {
  const { rows } = await pool.query<{ id: number }>(
    `select id from pushes where state = 'pending' and received_at < $1 order by received_at limit $2`,
    [new Date(beforeMs), limit],
  );
  return rows.map(({ id }) => id);
};
