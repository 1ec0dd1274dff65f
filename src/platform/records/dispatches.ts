/** Dispatches as the worker sees them: claimed under a lease, concluded under the same. */
import { randomUUID } from 'node:crypto';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import type { Claim, Dispatches } from '../../engine/dispatch/perform.ts';
import { type Inputs, LeaseLost } from '../../engine/dispatch/ports.ts';
import type { Effects } from '../../engine/dispatch/effects.ts';
import { messageOf, problem } from '../../engine/failure.ts';
import type { Sealer } from './sealer.ts';
import type { EnvironmentName, OperationName } from '../../engine/profile/carrier.ts';
import { dispatchJobId } from './accept.ts';
import { findAccountById } from './accounts.ts';
import { isDatabaseAway } from './connection-errors.ts';
import { applyEffects } from './apply-effects.ts';
import { lockConsignment } from './consignments.ts';
import { fromNow } from './lease.ts';
import { openAttemptLog } from './attempt-log.ts';
import { writeOutbox } from './outbox.ts';
import { transaction } from './pool.ts';
import type { SettleDeps } from './status-settle.ts';

interface ClaimRow {
  id: number;
  consignment_id: number;
  operation: OperationName;
  attempt: number;
  profile_hash: string;
  account_id: number | null;
  seed: string;
  input: string;
  started_at: Date;
  carrier_code: string;
  environment: EnvironmentName;
}

/** Who waits for a dispatch listens here; the payload is its id. */
export const DISPATCH_CHANNEL = 'waybill_dispatch';

/** Long enough for what comes before the first fence, which sets the lease by the step's own limit. */
const FIRST_LEASE_MS = 60_000;

export interface DispatchStore {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
  readonly settle: SettleDeps;
}

interface LeasedClaim extends Claim {
  readonly lease: string;
  readonly attempt: number;
}

export const createDispatches = (store: DispatchStore): Dispatches => ({
  isConnectionError: isDatabaseAway,
  claim: async (dispatchId) => await claim(store, dispatchId),
  conclude: async (claimed, effects) => {
    try {
      await conclude(store, claimed as LeasedClaim, effects);
    } catch (error) {
      if (!isUnrecordable(error)) throw error;
      // It would fail each time it is taken up: the carrier has acted, so an operator has to look.
      await conclude(store, claimed as LeasedClaim, unrecordable(messageOf(error)));
    }
  },
});

const claim = async (store: DispatchStore, dispatchId: number): Promise<LeasedClaim | undefined> => {
  const lease = randomUUID();
  const { rows } = await store.pool.query<ClaimRow>(
    `update dispatches d
     set state = 'sending', attempt = d.attempt + 1, lease = $2, lease_until = ${fromNow('$4')},
       started_at = coalesce(d.started_at, $3)
     from consignments c
     where d.id = $1 and c.id = d.consignment_id
       and (d.state = 'pending' or (d.state = 'waiting' and d.due_at <= $3)
         or (d.state = 'sending' and d.lease_until < now()))
       and not exists (select 1 from dispatches earlier where earlier.consignment_id = d.consignment_id
         and earlier.id < d.id and earlier.state in ('pending', 'sending', 'waiting'))
     returning d.id, d.consignment_id, d.operation, d.attempt, d.profile_hash, d.account_id, d.seed, d.input,
       d.started_at, c.carrier_code, c.environment`,
    [dispatchId, lease, new Date(store.nowMs()), FIRST_LEASE_MS],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const accountId = row.account_id ?? undefined;
  const held = {
    dispatchId,
    lease,
    accountId,
    carrierCode: row.carrier_code,
    environment: row.environment,
    consignmentId: row.consignment_id,
    profileHash: row.profile_hash,
  };
  return {
    ...held,
    operation: row.operation,
    seed: row.seed,
    inputs: JSON.parse(row.input) as Inputs,
    startedAtMs: row.started_at.getTime(),
    attemptLog: async () => await openAttemptLog(store.pool, store.sealer, held, store.nowMs),
    account: async () =>
      accountId === undefined ? undefined : await findAccountById(store.pool, store.sealer, accountId),
    attempt: row.attempt,
  };
};

/** PostgreSQL's classes for values that it cannot hold: data, constraints, limits. */
const isUnrecordable = (error: unknown): boolean =>
  error instanceof DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');

const unrecordable = (message: string): Effects => ({
  dispatch: {
    state: 'held',
    failure: { why: 'unknown_outcome', problem: problem('answer_not_recordable', message) },
  },
  notices: [],
});

const conclude = async (store: DispatchStore, claimed: LeasedClaim, effects: Effects): Promise<void> => {
  const { dispatch } = effects;
  await transaction(store.pool, async (client) => {
    // The consignment first, always: status intake locks it too.
    const consignment = await lockConsignment(client, claimed.consignmentId);
    const isWaiting = dispatch.state === 'waiting';
    const { rowCount, rows } = await client.query<{ order_text: string | null; order_types: string[] | null }>(
      `update dispatches set state = $3, due_at = coalesce($4, due_at), failure = $5, result = $6, lease = null,
         lease_until = null, finished_at = $7
       where id = $1 and lease = $2 and state = 'sending' returning order_text, order_types`,
      [
        claimed.dispatchId,
        claimed.lease,
        dispatch.state,
        dispatch.dueAtMs === undefined ? null : new Date(dispatch.dueAtMs),
        dispatch.failure === undefined ? null : JSON.stringify(dispatch.failure),
        dispatch.result === undefined ? null : JSON.stringify(withoutBytes(dispatch.result)),
        isWaiting ? null : new Date(store.nowMs()),
      ],
    );
    if (rowCount !== 1 || consignment === undefined)
      throw new LeaseLost(`dispatch ${claimed.dispatchId} was taken over`);
    if (isWaiting) {
      const jobId = dispatchJobId(claimed.dispatchId, claimed.attempt + 1);
      await writeOutbox(client, [{ queue: 'dispatch', jobId, dueAtMs: dispatch.dueAtMs }]);
      return;
    }
    // Raw answers serve to resume; a dispatch that ended well needs none.
    if (dispatch.state !== 'held')
      await client.query('update calls set answer = null where dispatch_id = $1', [claimed.dispatchId]);
    await applyEffects(client, consignment, {
      effects,
      inputs: claimed.inputs,
      orderText: rows[0]?.order_text ?? undefined,
      orderTypes: rows[0]?.order_types ?? undefined,
      nowMs: store.nowMs(),
      recordNotices: store.settle.recordNotices,
      settle: store.settle,
    });
    await releaseNext(client, claimed);
    await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(claimed.dispatchId)]);
  });
};

/** Actions on one consignment run one after another: the end of one is what the next was waiting for. */
const releaseNext = async (client: PoolClient, { consignmentId, dispatchId }: Claim): Promise<void> => {
  const { rows } = await client.query<{ id: number; attempt: number }>(
    `select id, attempt from dispatches where consignment_id = $1 and id > $2 and state in ('pending', 'waiting')
     order by id limit 1`,
    [consignmentId, dispatchId],
  );
  await writeOutbox(
    client,
    rows.map(({ id, attempt }) => ({ queue: 'dispatch' as const, jobId: dispatchJobId(id, attempt + 1) })),
  );
};

/** The result for people and replies: labels are kept as labels, not twice. */
const withoutBytes = (result: unknown): unknown =>
  JSON.parse(JSON.stringify(result, (key, value: unknown) => (key === 'label' ? undefined : value))) as unknown;

/** Dispatches that the records say are due and unfinished: for the reconciler to queue again. */
export const findUnfinished = async (
  pool: Pool,
  nowMs: number,
  graceMs: number,
  limit: number,
): Promise<readonly { readonly id: number; readonly attempt: number }[]> => {
  const { rows } = await pool.query<{ id: number; attempt: number }>(
    `select id, attempt from dispatches
     where (state in ('pending', 'waiting') and due_at <= $1) or (state = 'sending' and lease_until < now())
     order by due_at limit $2`,
    [new Date(nowMs - graceMs), limit],
  );
  return rows;
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

interface ViewRow {
  id: number;
  operation: OperationName;
  state: string;
  attempt: number;
  due_at: Date;
  failure: string | null;
  created_at: Date;
  finished_at: Date | null;
}

const VIEW = 'id, operation, state, attempt, due_at, failure, created_at, finished_at';

const viewOf = (row: ViewRow): DispatchView => ({
  id: row.id,
  operation: row.operation,
  state: row.state,
  attempt: row.attempt,
  dueAt: row.due_at,
  failure: row.failure === null ? undefined : (JSON.parse(row.failure) as NonNullable<DispatchView['failure']>),
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
});

export const findDispatch = async (pool: Pool, id: number): Promise<DispatchView | undefined> => {
  const { rows } = await pool.query<ViewRow>(`select ${VIEW} from dispatches where id = $1`, [id]);
  return rows[0] === undefined ? undefined : viewOf(rows[0]);
};

export const listDispatches = async (
  pool: Pool | PoolClient,
  consignmentId: number,
): Promise<readonly DispatchView[]> => {
  const { rows } = await pool.query<ViewRow>(`select ${VIEW} from dispatches where consignment_id = $1 order by id`, [
    consignmentId,
  ]);
  return rows.map(viewOf);
};

/** Of these dispatches, those that have ended. */
export const findFinished = async (pool: Pool, ids: readonly number[]): Promise<readonly number[]> => {
  const { rows } = await pool.query<{ id: number }>(
    'select id from dispatches where id = any($1::bigint[]) and finished_at is not null',
    [ids],
  );
  return rows.map(({ id }) => id);
};
