/** Dispatches: added, claimed by a worker under a lease, concluded under the same, and read. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Claim, Dispatches } from '../../engine/dispatch/perform.ts';
import { type Inputs, LeaseLost } from '../../engine/dispatch/ports.ts';
import type { Effects } from '../../engine/dispatch/effects.ts';
import { messageOf, problem } from '../../engine/failure.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import { findAccountById } from './accounts.ts';
import { changeOfEffects } from './apply-effects.ts';
import { createAttemptLogs, type Earlier, endedCalls, type Noted, readEarlier } from './attempt-log.ts';
import { isUnrecordable } from './batch.ts';
import { beginChange, type ChangeContext } from './change.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { dispatchJobId, writeOutbox } from './outbox.ts';
import { isConnectionError, transaction } from './pool.ts';
import type { Sealer } from './sealer.ts';
import { recordChange } from './settle.ts';
import { type DueQuery, leasedTo, queryAll, type Queryable, queryFirst, queryOne, sql } from './sql.ts';
import { DISPATCH_CHANNEL } from './write-changes.ts';

/** Long enough for what comes before the first fence, which sets the lease by the step's own limit. */
const FIRST_LEASE_MS = 60_000;

/** What a dispatch carries. */
interface DispatchOrder {
  readonly inputs: Inputs;
  /** Of an update: the order that becomes the consignment's when the carrier has accepted it. */
  readonly orderText?: string | undefined;
  /** With it: what subscriptions may ask for that order by. */
  readonly orderTypes?: readonly string[] | undefined;
}

interface NewDispatch extends DispatchOrder {
  readonly operation: OperationName;
  readonly profileHash: string;
}

/** Writes a dispatch of a consignment and the job that will take it up; yields its id. */
export const addDispatch = async (
  client: PoolClient,
  consignment: Pick<ConsignmentRecord, 'id' | 'accountId'>,
  { operation, profileHash, inputs, orderText, orderTypes }: NewDispatch,
): Promise<number> => {
  const { id } = await queryOne<{ id: number }>(client)`
    insert into dispatches (consignment_id, operation, profile_hash, account_id, input, order_text, order_types)
    values (${consignment.id}, ${operation}, ${profileHash}, ${consignment.accountId}, ${JSON.stringify(inputs)},
      ${orderText}, ${orderTypes}) returning id`;
  await writeOutbox(client, 'dispatch', [{ jobId: dispatchJobId(id, 1) }]);
  return id;
};

const ORDER = sql`input::json as inputs, order_text, order_types`;

export const findOrder = async (client: PoolClient, dispatchId: number): Promise<DispatchOrder> =>
  await queryOne<DispatchOrder>(client)`select ${ORDER} from dispatches where id = ${dispatchId}`;

export interface DispatchStore extends ChangeContext {
  readonly pool: Pool;
  readonly sealer: Sealer;
}

interface ClaimRow extends DispatchOrder, Omit<Claim, 'attemptLog' | 'account' | 'inputs'> {
  readonly lease: string;
  readonly attempt: number;
}
interface LeasedClaim extends Claim, ClaimRow {
  readonly inputs: Inputs;
  /** What came of its calls and is to be written with its end. */
  readonly noted: Noted;
}

export const createDispatches = (store: DispatchStore) => {
  const { pool, sealer } = store;
  const { open, flush } = createAttemptLogs(store);
  const claimOf = (row: ClaimRow, earlier: Earlier): LeasedClaim => {
    const { accountId } = row;
    const noted: Noted = { calls: [], exchanges: [] };
    return {
      ...row,
      noted,
      attemptLog: () => open(row, earlier, noted),
      account: async () => (accountId === undefined ? undefined : await findAccountById(pool, sealer, accountId)),
    };
  };
  return {
    isConnectionError,
    /** Takes up, of these dispatches, those that are due, nobody else's, and the first of their consignments. */
    claim: async (dispatchIds: readonly number[]): Promise<readonly Claim[]> => {
      const rows = await claimRows(store, dispatchIds);
      const again = rows.filter(({ attempt }) => attempt > 1);
      const earlierOf = await readEarlier(
        pool,
        again.map(({ dispatchId }) => dispatchId),
      );
      return rows.map((row) => claimOf(row, earlierOf(row.dispatchId)));
    },
    conclude: async (claim: Claim, effects: Effects): Promise<void> => {
      const claimed = claim as LeasedClaim;
      try {
        await conclude(store, claimed, effects);
      } catch (error) {
        if (!isUnrecordable(error)) throw error;
        // It would fail each time it is taken up: the carrier has acted, so an operator has to look.
        const failure = {
          why: 'unknown_outcome',
          problem: problem('answer_not_recordable', messageOf(error)),
        } as const;
        await flush(claimed, claimed.noted).catch((unwritten: unknown) => {
          if (!isUnrecordable(unwritten)) throw unwritten;
        });
        await conclude(store, claimed, { dispatch: { state: 'held', failure }, notices: [] });
      }
    },
  } satisfies Dispatches & Record<'claim', unknown>;
};

/** One lease for all of a claim: with the dispatch it names the attempt. */
const claimRows = async (
  { pool, nowMs }: DispatchStore,
  dispatchIds: readonly number[],
): Promise<readonly ClaimRow[]> => {
  const now = new Date(nowMs());
  return await queryAll<ClaimRow>(pool)`
    with free as (
      select id from dispatches d
      where id = any(${dispatchIds}::bigint[])
        and (state = 'pending' or (state = 'waiting' and due_at <= ${now})
          or (state = 'sending' and lease_until < now()))
        and not exists (select 1 from dispatches earlier where earlier.consignment_id = d.consignment_id
          and earlier.id < d.id and earlier.state in ('pending', 'sending', 'waiting'))
      for no key update skip locked)
    update dispatches d
    set state = 'sending', attempt = d.attempt + 1, ${leasedTo(randomUUID(), FIRST_LEASE_MS)},
      started_at = coalesce(d.started_at, ${now})
    from free, consignments c
    where d.id = free.id and c.id = d.consignment_id
    returning d.id as dispatch_id, d.consignment_id, d.operation, d.lease, d.attempt, d.profile_hash, d.account_id,
      d.seed, d.input::json as inputs, d.order_text, d.order_types, d.started_at as started_at_ms, c.carrier_code,
      c.environment`;
};

const conclude = async (store: DispatchStore, claimed: LeasedClaim, effects: Effects): Promise<void> => {
  const { dispatchId, consignmentId, lease, noted } = claimed;
  const { state } = effects.dispatch;
  const isEnded = state === 'done' || state === 'rejected';
  await transaction(store.pool, async (client) => {
    const consignment = await lockConsignment(client, consignmentId);
    if (consignment === undefined) throw new LeaseLost(`dispatch ${dispatchId} was taken over`);
    const begun = beginChange(consignment, {
      dispatchId,
      lease,
      ...effects.dispatch,
      endedAtMs: store.nowMs(),
      calls: endedCalls(store.sealer, claimed, noted.calls, isEnded),
      exchanges: noted.exchanges.map((exchange) => ({ context: claimed, exchange })),
    });
    const change = state === 'waiting' ? begun : changeOfEffects(begun, { ...claimed, effects }, store);
    await recordChange(client, change, store);
  });
};

export const notifyEnded = async (client: PoolClient, dispatchId: number): Promise<void> => {
  await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(dispatchId)]);
};

type JobRow = { readonly id: number; readonly attempt: number };
const nextJob = ({ id, attempt }: JobRow) => ({ jobId: dispatchJobId(id, attempt + 1) });

/** Jobs of dispatches that the records say are due and unfinished: for the reconciler to queue again. */
export const findDueDispatches = async (
  pool: Pool,
  { nowMs, graceMs, limit }: DueQuery,
): Promise<readonly string[]> => {
  const rows = await queryAll<JobRow>(pool)`
    select id, attempt from dispatches
    where (state in ('pending', 'waiting') and due_at <= ${new Date(nowMs - graceMs)})
      or (state = 'sending' and lease_until < now())
    order by due_at limit ${limit}`;
  return rows.map((row) => nextJob(row).jobId);
};

export interface DispatchView {
  readonly id: number;
  readonly operation: OperationName;
  readonly state: string;
  readonly attempt: number;
  readonly dueAt: Date;
  readonly failure:
    | { readonly why: string; readonly problem: { readonly code: string; readonly messages: readonly string[] } }
    | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

const VIEW = sql`id, operation, state, attempt, due_at, failure::json as failure, created_at, finished_at`;

export const findDispatch = async (pool: Pool, id: number): Promise<DispatchView | undefined> =>
  await queryFirst<DispatchView>(pool)`select ${VIEW} from dispatches where id = ${id}`;

export const listDispatches = async (client: Queryable, consignmentId: number): Promise<readonly DispatchView[]> =>
  await queryAll<DispatchView>(client)`
    select ${VIEW} from dispatches where consignment_id = ${consignmentId} order by id`;

/** Of these dispatches, those that have ended. */
export const findFinished = async (pool: Pool, ids: readonly number[]): Promise<readonly number[]> => {
  const rows = await queryAll<{ id: number }>(pool)`
    select id from dispatches where id = any(${ids}::bigint[]) and finished_at is not null`;
  return rows.map(({ id }) => id);
};
