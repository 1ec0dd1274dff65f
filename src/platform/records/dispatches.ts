/** Dispatches: added, claimed by a worker under a lease, concluded under the same lease, and read. */
import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { DispatchClaim } from '../../engine/dispatch/perform.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { type Effects, effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import { Failure, messageOf, problem } from '../../engine/failure.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import { findUsableAccount } from './accounts.ts';
import { createAttemptLogs, type Earlier, type Noted, readEarlier } from './attempt-log.ts';
import { isUnrecordable } from './batch.ts';
import { type AnyEnd, createConclude, type DispatchStore, TRACKING_NUMBER_TAKEN } from './conclude.ts';
import { type ConsignmentRecord, type ConsignmentState, stateColumn, stateOf } from './consignments.ts';
import { isConnectionError } from './pool.ts';
import {
  execute,
  leasedTo,
  queryAll,
  type Queryable,
  queryFirst,
  queryOne,
  queryPrepared,
  rowsOf,
  sql,
  type Sql,
} from './sql.ts';
import { DISPATCH_CHANNEL } from './write-changes.ts';

/** Long enough for what comes before the first fence, which sets the lease by the step's own limit. */
const FIRST_LEASE_MS = 60_000;

/** How long the dispatches of an account are left to others that may have its key. */
const LEFT_FOR_MS = 60_000;

/** What a dispatch carries. */
export interface DispatchOrder {
  readonly inputs: Inputs;
  /** Of an update: the order that becomes the consignment's when the carrier has accepted it. */
  readonly orderText?: string | undefined;
  /** With it: what subscriptions may ask for that order by. */
  readonly orderTypes?: readonly string[] | undefined;
}

export interface NewDispatch extends DispatchOrder {
  readonly operation: OperationName;
  readonly profileHash: string;
  readonly trace?: string | undefined;
}

/** Writes a dispatch of a consignment; yields its id, to be handed on once that is committed. */
export const addDispatch = async (
  client: PoolClient,
  consignment: Pick<ConsignmentRecord, 'id' | 'accountId'>,
  { operation, profileHash, inputs, orderText, orderTypes, trace }: NewDispatch,
): Promise<number> => {
  const { id } = await queryOne<{ id: number }>(client)`
    insert into dispatches (consignment_id, operation, profile_hash, account_id, input, order_text, order_types, trace)
    values (${consignment.id}, ${operation}, ${profileHash}, ${consignment.accountId}, ${JSON.stringify(inputs)},
      ${orderText}, ${orderTypes}, ${trace}) returning id`;
  return id;
};

/** JSON: the whole input of the dispatch under this name in a statement. */
export const inputOf = (dispatch: Sql): Sql => sql`
  case when ${dispatch}.by_reference
    then (select concat('{"consignment":', canonical, coalesce(',' || nullif(substr(${dispatch}.input, 2), '}'), '}'))
      from consignments where id = ${dispatch}.consignment_id)
    else ${dispatch}.input end`;

/** To be called before the consignment becomes another: its dispatches keep it as they were given it. */
export const keepInputs = async (client: PoolClient, consignmentId: number): Promise<void> => {
  await execute(client)`
    update dispatches d set input = ${inputOf(sql`d`)}, by_reference = null
    where consignment_id = ${consignmentId} and by_reference`;
};

export const findOrder = async (client: PoolClient, dispatchId: number): Promise<DispatchOrder> =>
  await queryOne<DispatchOrder>(client)`
    select (${inputOf(sql`d`)})::json as inputs, order_text, order_types from dispatches d where id = ${dispatchId}`;

interface ClaimRow extends DispatchOrder, Omit<DispatchClaim, 'attemptLog' | 'account' | 'inputs'> {
  /** Undefined: it is of a consignment. */
  readonly errandId: number | undefined;
  readonly lease: string;
  readonly attempt: number;
  /** An earlier attempt has left something: calls, or drawn values. */
  readonly isBegun: boolean;
  /** A part of it is done already, and told. */
  readonly isRest: boolean;
  /** Of the next that waits; undefined: none does. */
  readonly nextDueAtMs?: number | undefined;
  /** As it is now: its end is computed from that, unless it changes meanwhile. */
  readonly consignment: ConsignmentState | undefined;
}
interface LeasedClaim extends DispatchClaim, ClaimRow {
  readonly inputs: Inputs;
  /** What came of its calls and is to be written with its end. */
  readonly noted: Noted;
}

export const createDispatches = (store: DispatchStore) => {
  const { pool, sealer } = store;
  const { open, flush } = createAttemptLogs(store);
  const conclude = createConclude(store);
  /** Accounts whose dispatches are left to others, each until when. */
  const left = new Map<number, number>();
  const isMine = (): Sql => {
    for (const [id, untilMs] of left) if (untilMs <= store.nowMs()) left.delete(id);
    return sql`coalesce(account_id, 0) <> all(${[...left.keys()]}::bigint[])`;
  };
  const claimOf = (row: ClaimRow, earlier: Earlier): LeasedClaim => {
    const { accountId } = row;
    const noted: Noted = { calls: [], exchanges: [] };
    return {
      ...row,
      noted,
      attemptLog: () => open(row, earlier, noted),
      account: async () => (accountId === undefined ? undefined : await findUsableAccount(pool, sealer, accountId)),
    };
  };
  const opened = async (rows: readonly ClaimRow[]): Promise<readonly DispatchClaim[]> => {
    const begun = rows.flatMap(({ isBegun, dispatchId }) => (isBegun ? [dispatchId] : []));
    const earlierOf = await readEarlier(pool, begun);
    return rows.map((row) => claimOf(row, earlierOf(row.dispatchId)));
  };
  return {
    isConnectionError,
    /** For a while claims nothing of this account, which is tried again then. */
    leaveToOthers: (accountId: number): void => void left.set(accountId, store.nowMs() + LEFT_FOR_MS),
    /** How many accounts are left to others. */
    countLeft: (): number => [...left.values()].filter((untilMs) => untilMs > store.nowMs()).length,
    /** Takes up, of these dispatches, those that are due, nobody else's, and the first of their consignments. */
    claim: async (dispatchIds: readonly number[]): Promise<readonly DispatchClaim[]> =>
      await opened(await claimRows(store, sql`id = any(${dispatchIds}::bigint[]) and ${isMine()}`)),
    /**
     * Takes up to so many that are due, the longest first, but none of these and none of an account with one of these
     * carriers; where there are fewer, also says when the next will be.
     */
    claimDue: async (atMost: number, exceptIds: readonly number[] = [], exceptCarriers: readonly string[] = []) => {
      const nowMs = store.nowMs();
      const ofOthers =
        exceptCarriers.length === 0
          ? sql``
          : sql`and coalesce(account_id, 0) not in (
              select id from accounts where carrier_code = any (${exceptCarriers}::text[]))`;
      // What nobody has taken up yet is due by PostgreSQL's clock, what waits by ours.
      const rows = await claimRows(
        store,
        sql`state in ('pending', 'sending', 'waiting') and due_at <= greatest(now(), ${new Date(nowMs)})
          -- Hashed: there may be thousands of both.
          and id not in (select unnest(${exceptIds}::bigint[])) and ${isMine()} ${ofOthers}`,
        sql`order by due_at limit ${atMost}`,
      );
      const work = await opened(rows);
      if (work.length >= atMost) return { work, nextInMs: 0 };
      const [first] = rows;
      const nextDueAtMs = first === undefined ? await findNextDue(pool, nowMs) : first.nextDueAtMs;
      return { work, nextInMs: nextDueAtMs && nextDueAtMs - nowMs };
    },
    /** Yields the next dispatch of the consignment or errand, which waited for the end of this one. */
    conclude: async (claim: DispatchClaim, effects: Effects): Promise<number | undefined> => {
      const claimed = claim as LeasedClaim;
      const endedAs = (ended: Effects) => ({ claimed, effects: ended }) as AnyEnd;
      return await conclude(endedAs(effects)).catch(async (error: unknown) => {
        const isTaken = error instanceof Failure && error.code === TRACKING_NUMBER_TAKEN;
        if (!isTaken && !isUnrecordable(error)) throw error;
        // It would fail each time it is taken up: the carrier has acted, so an operator has to look.
        const reason = problem(isTaken ? error.code : 'answer_not_recordable', messageOf(error));
        const old = effects.forgetShipment === true ? ({ oldCancelled: true } as const) : {};
        const outcome = { kind: 'held', why: 'unknown_outcome', problem: reason, ...old } as const;
        const held = effectsOf(claim.operation, outcome, NO_FACTS);
        await flush(claimed, claimed.noted).catch((unwritten: unknown) => {
          if (!isUnrecordable(unwritten)) throw unwritten;
        });
        // A notice may be what cannot be recorded.
        return await conclude(endedAs(isTaken ? held : { ...held, notices: [] }));
      });
    },
  };
};

/** One lease for all of a claim: with the dispatch it names the attempt. */
const claimRows = async ({ pool, nowMs }: DispatchStore, which: Sql, some = sql``): Promise<readonly ClaimRow[]> => {
  const now = new Date(nowMs());
  const rows = await queryPrepared<
    Omit<ClaimRow, 'carrierCode' | 'environment' | 'shipperId' | 'consignment' | 'inputs'> & {
      /** JSON, which PostgreSQL has not to read. */
      input: string;
      state: Parameters<typeof stateOf>[0] | undefined;
      errand: Pick<ClaimRow, 'carrierCode' | 'environment' | 'shipperId'> | undefined;
    }
  >(pool)`
    with free as (
      select id from dispatches d
      where ${which}
        -- A comparison of its state would let PostgreSQL look for what is named among all that is unfinished.
        and case state when 'pending' then true when 'waiting' then due_at <= ${now}
          when 'sending' then lease_until < now() else false end
        and not exists (select 1 from dispatches earlier where earlier.consignment_id = d.consignment_id
          and earlier.id < d.id and earlier.state not in ('done', 'rejected', 'held', 'cancelled'))
        and (d.errand_id is null or not exists (select 1 from dispatches earlier where earlier.errand_id = d.errand_id
          and earlier.id < d.id and earlier.state not in ('done', 'rejected', 'held', 'cancelled')))
      ${some} for no key update skip locked),
    taken as (
      update dispatches d
      set state = 'sending', attempt = d.attempt + 1, ${leasedTo(randomUUID(), FIRST_LEASE_MS)},
        started_at = coalesce(d.started_at, ${now})
      from free where d.id = free.id returning d.*)
    select id as dispatch_id, consignment_id, errand_id, operation, lease, attempt, profile_hash, account_id, seed, trace,
      (${inputOf(sql`taken`)}) as input, order_text, order_types, started_at as started_at_ms, away_since as away_since_ms,
      ${stateColumn(sql`taken.consignment_id`)} as state,
      case when errand_id is not null then (
        select json_build_object('carrierCode', carrier_code, 'environment', environment, 'shipperId', shipper_id)
        from errands where id = taken.errand_id) end as errand,
      attempt > 1 and (exists (select from calls where dispatch_id = taken.id)
        or exists (select from draws where dispatch_id = taken.id)) as is_begun,
      result is not null as is_rest,
      (${nextDue(now)}) as next_due_at_ms
    from taken`;
  return rows.map(({ state, errand, input, ...row }) => {
    const consignment = state && stateOf(state);
    const { carrierCode, environment, shipperId } = (consignment ?? errand) as NonNullable<typeof errand>;
    return { ...row, inputs: JSON.parse(input) as Inputs, consignment, carrierCode, environment, shipperId };
  });
};

/** When the next dispatch that waits is due. */
const nextDue = (now: Date): Sql =>
  sql`select due_at from dispatches where state = 'waiting' and due_at > ${now} order by due_at limit 1`;

const findNextDue = async (pool: Pool, nowMs: number): Promise<number | undefined> =>
  (await queryFirst<{ dueAtMs: number }>(pool)`select (${nextDue(new Date(nowMs))}) as due_at_ms`)?.dueAtMs;

export const notifyEnded = async (client: PoolClient, dispatchId: number): Promise<void> => {
  await client.query('select pg_notify($1, $2)', [DISPATCH_CHANNEL, String(dispatchId)]);
};

export interface DispatchView {
  readonly id: number;
  readonly operation: OperationName;
  readonly state: string;
  readonly attempt: number;
  readonly dueAt: Date;
  readonly awaySince: Date | undefined;
  readonly failure:
    | { readonly why: string; readonly problem: { readonly code: string; readonly messages: readonly string[] } }
    | undefined;
  /** It is held, and the carrier has a part of what it creates. */
  readonly isPart: boolean;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

const VIEW = sql`id, operation, state, attempt, due_at, away_since, failure::json as failure,
  state = 'held' and result is not null as is_part, created_at, finished_at`;

export const listDispatches = async (client: Queryable, consignmentId: number): Promise<readonly DispatchView[]> =>
  await queryAll<DispatchView>(client)`
    select ${VIEW} from dispatches where consignment_id = ${consignmentId} order by id`;

/** Of these dispatches, those that have ended, and those that are not tried again before their time `untilMs`. */
export const findFinished = async (
  pool: Pool,
  awaited: readonly (readonly [id: number, untilMs: number])[],
): Promise<readonly number[]> => {
  const rows = await queryAll<{ id: number }>(pool)`
    select id from dispatches join ${rowsOf('awaited', awaited, 'id bigint, until timestamptz', {
      id: ([id]) => id,
      until: ([, untilMs]) => untilMs,
    })} using (id) where finished_at is not null or (state = 'waiting' and due_at > awaited.until)`;
  return rows.map(({ id }) => id);
};
