/** Pushes of carriers as received: committed before they are answered. */
import type { Pool } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import {
  dateOf,
  execute,
  fromNow,
  matching,
  queryAll,
  queryFirst,
  queryOne,
  rowsOf,
  sql,
  type Sql,
  notifyWork,
} from './sql.ts';

type PushSource = 'contract' | 'webhook' | 'poll';
type PushState = 'pending' | 'done' | 'failed';

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
  /** When it is to be processed or looked at again, as it was read; undefined: it is not. */
  readonly dueAtMs: number | undefined;
}

/** Records a push as it came, for the pump that processes it; yields its id. What is committed may be answered with 200. */
export const recordPush = async (
  pool: Pool,
  { carrierCode, accountId, source, environment, receivedAtMs, request, body }: NewPush,
): Promise<number> => {
  const { id } = await queryOne<{ id: number }>(pool)`
    insert into pushes (carrier_code, account_id, source, environment, received_at, request, body, due_at)
    values (${carrierCode}, ${accountId}, ${source}, ${environment}, ${new Date(receivedAtMs)},
      ${JSON.stringify(request)}, ${body}, now())
    returning id, ${notifyWork('push')} as told`;
  return id;
};

const PUSH = sql`id, carrier_code, account_id, source, environment, received_at as received_at_ms,
  request::json as request, body, state, due_at as due_at_ms`;

export const findPush = async (pool: Pool, id: number): Promise<PushRecord | undefined> =>
  await queryFirst<PushRecord>(pool)`select ${PUSH} from pushes where id = ${id}`;

export const findPushes = async (pool: Pool, ids: readonly number[]): Promise<readonly PushRecord[]> =>
  await queryAll<PushRecord>(pool)`select ${PUSH} from pushes where id = any (${ids}::bigint[])`;

/** Longer than processing one takes; should two process it, one finds nothing to do. */
const HELD_MS = 60_000;

/** Of pushes that are to be processed, or looked at again, up to so many; each is left to whoever took it for a while. */
export const claimDuePushes = async (pool: Pool, free: number): Promise<readonly PushRecord[]> =>
  await queryAll<PushRecord>(pool)`
    update pushes set due_at = date_trunc('milliseconds', ${fromNow(HELD_MS)})
    where id in (
      select id from pushes where due_at <= now() order by due_at limit ${free} for no key update skip locked)
    returning ${PUSH}`;

/** As `claimDuePushes`, of those that an operator names; one that is about to be processed is left to whoever does. */
export const claimPushes = async (pool: Pool, ids: readonly number[]): Promise<readonly PushRecord[]> =>
  await queryAll<PushRecord>(pool)`
    update pushes set due_at = date_trunc('milliseconds', ${fromNow(HELD_MS)})
    where id in (
      select id from pushes where id = any (${ids}::bigint[]) and state <> 'pending' for no key update skip locked)
    returning ${PUSH}`;

/** A push as it is written: new, or one that is recorded. */
export interface WrittenPush {
  readonly push: NewPush & Partial<Pick<PushRecord, 'id' | 'dueAtMs'>>;
  /** Undefined: as it is. */
  readonly state: PushState | undefined;
  readonly failure: string | undefined;
  readonly processedAtMs: number;
  /** Events of it fit nothing yet: they are looked at again when whoever gave their names meanwhile is done. */
  readonly lookAgainInMs: number | undefined;
}

/**
 * Longer than any statement may last, and longer than any transaction: one that names a consignment has either ended by
 * then and is seen, or its statement began after the event was recorded, and sees that. No transaction that gives names
 * has more than five statements after that, of which none lasts longer than 25 s and is waited for more than 60 s.
 */
const LOOK_AGAIN_MS = [30_000, 600_000];

/** Undefined: nobody can have named them unseen any more. */
export const lookAgainInMs = (openForMs = 0): number | undefined => {
  const atMs = LOOK_AGAIN_MS.find((ms) => ms > openForMs);
  return atMs && atMs - openForMs;
};

/** Parts of a `with`: `push`, and `taken`, those of the recorded ones that are still to be written. */
export const pushProof = (
  pushes: readonly (WrittenPush & { readonly unit: number; readonly at: number })[],
): readonly Sql[] => [
  sql`push as (
    select given.*, given.known is null as is_new,
      coalesce(given.known, history_id()) as id
    from ${rowsOf(
      'given',
      pushes.map(({ push, ...written }) => ({ ...push, ...written })),
      `unit int, at int, known bigint, claimed timestamptz, carrier_code text, account_id bigint, source text,
       environment text, received_at timestamptz, request text, body bytea, state text, failure text,
       processed_at timestamptz, look_again_in float`,
      {
        known: ({ id }) => id,
        claimed: ({ dueAtMs }) => dueAtMs,
        // What is recorded is not sent again.
        request: ({ id, request }) => (id === undefined ? JSON.stringify(request) : ''),
        body: ({ id, body }) => (id === undefined ? body : Buffer.alloc(0)),
      },
    )})`,
  ...(pushes.every(({ push }) => push.id === undefined)
    ? []
    : [
        sql`taken as (
          select p.id from push join pushes p on p.id = push.known join current using (unit)
          where case when push.claimed is null then p.state <> 'done' else p.due_at = push.claimed end
          order by p.id for no key update of p)`,
      ]),
];

const NEXT_DUE = sql`now() + push.look_again_in * interval '1 millisecond'`;

/** Parts of a `with` that write the pushes of the units `ready`. `hasNames`: some may be `awaiting` what is named now. */
export const pushParts = (pushes: readonly WrittenPush[], hasNames: boolean): readonly Sql[] => [
  ...(pushes.every(({ push }) => push.id !== undefined)
    ? []
    : [
        sql`pushed as (
          insert into pushes (id, carrier_code, account_id, source, environment, received_at, request, body, state,
            failure, processed_at, due_at)
          select id, carrier_code, account_id, source, environment, received_at, request, body, state, failure,
            processed_at, ${NEXT_DUE}
          from push join ready using (unit) where is_new)`,
      ]),
  ...(pushes.every(({ push }) => push.id === undefined)
    ? []
    : [
        sql`processed as (
          update pushes p set state = coalesce(push.state, p.state),
            failure = case when push.state is null then p.failure else push.failure end,
            processed_at = push.processed_at, due_at = ${hasNames ? sql`case when p.id in (select id from awaiting) then now() else ${NEXT_DUE} end` : NEXT_DUE}
          from push join ready using (unit) where p.id = push.known)`,
      ]),
];

/** What nothing can make of a push is kept with it, and tried again when its carrier's profile changes. */
export const failPush = async (
  pool: Pool,
  { id, dueAtMs }: Pick<PushRecord, 'id' | 'dueAtMs'>,
  failure: string,
  nowMs: number,
): Promise<void> => {
  await execute(pool)`
    update pushes set state = 'failed', failure = ${failure}, processed_at = ${new Date(nowMs)}, due_at = null
    where id = ${id} and (state <> 'done' or due_at = ${dateOf(dueAtMs)})`;
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
  { carrierCode, afterId, limit }: FailedQuery,
): Promise<FailedPush[]> =>
  await queryAll<FailedPush>(pool)`
    select id, carrier_code, source, received_at, coalesce(failure, '') as failure from pushes
    where state = 'failed' and ${matching({ 'carrier_code =': carrierCode, 'id >': afterId })}
    order by id limit ${limit}`;
