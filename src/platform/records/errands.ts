/** Errands: what a shipper wants of a carrier beside its consignments. Their dispatches are as those of consignments. */
import type { PoolClient } from 'pg';
import type { Stands } from './acceptance.ts';
import type { HeldWhy, Inputs, RunOutcome } from '../../engine/dispatch/ports.ts';
import type { Problem } from '../../engine/failure.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import { type Owner, ownedBy } from './shippers.ts';
import { execute, matching, queryAll, type Queryable, queryFirst, queryOne, sql, type Sql } from './sql.ts';

export interface ErrandDispatch {
  readonly id: number;
  readonly operation: OperationName;
  readonly state: string;
  readonly dueAtMs: number;
  readonly failure:
    | { readonly why: HeldWhy | 'not_done' | 'rejected' | 'waiting'; readonly problem: Problem }
    | undefined;
}

export interface Errand extends Owner {
  readonly id: number;
  readonly kind: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly accountId: number | undefined;
  readonly facilityCode: string | undefined;
  /** `YYYY-MM-DD`, local to where it takes place. */
  readonly day: string;
  /** What the carrier has said; shippers are told how it `standsOf`. */
  readonly acceptance: 'pending' | 'accepted' | 'rejected' | 'cancelled';
  /** What is wanted, and what came of it: each kind knows its own. */
  readonly request: unknown;
  readonly result: unknown;
  readonly planId: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** In the order they were made. */
  readonly dispatches: readonly ErrandDispatch[];
}

/** How a dispatch of an errand ended: by itself, or as an operator said. */
export interface ErrandEnd {
  readonly dispatchId: number;
  readonly operation: OperationName;
  readonly state: Exclude<RunOutcome['kind'], 'waiting'>;
  readonly inputs: Inputs;
  /** With it: what the errand's `request` becomes when it is done. */
  readonly request: unknown;
  /** Of `done`. */
  readonly result: unknown;
  /** Of what is not. */
  readonly problem: Problem | undefined;
  /** Of a change: what was booked before is cancelled at the carrier, whatever became of the new. */
  readonly oldCancelled: boolean;
}
type ErrandChange = Partial<
  Pick<Errand, 'acceptance' | 'request' | 'facilityCode' | 'day'> & { readonly result: unknown }
>;

export interface ErrandKind {
  /** The operation without which there is nothing of it. */
  readonly begins: OperationName;
  /** What an end makes of it, in the transaction that writes both. Without a word of its own, a refused begin is `rejected`. */
  readonly ended: (
    client: PoolClient,
    errand: Errand,
    end: ErrandEnd,
  ) => ErrandChange | undefined | Promise<ErrandChange | undefined>;
  /** Of one that an operator found to be done: its result, made of the carrier's number; undefined: that is missing. */
  readonly resultOf: (
    errand: Errand,
    operation: OperationName,
    number: string | undefined,
  ) => { readonly result: unknown } | undefined;
}

export interface NewErrand
  extends Owner, Pick<Errand, 'kind' | 'referenceNumber' | 'carrierCode' | 'facilityCode' | 'day' | 'request'> {
  readonly accountId: number | undefined;
  readonly planId?: number | undefined;
}
export interface NewErrandDispatch {
  readonly operation: OperationName;
  readonly profileHash: string;
  readonly inputs: Inputs;
  readonly request?: unknown;
  readonly trace?: string | undefined;
}

/** Yields the dispatch's id, to be handed on once that is committed. */
export const addErrandDispatch = async (
  client: PoolClient,
  { id, accountId }: Pick<Errand, 'id' | 'accountId'>,
  { operation, profileHash, inputs, request, trace }: NewErrandDispatch,
): Promise<number> =>
  (
    await queryOne<{ id: number }>(client)`
      insert into dispatches (errand_id, operation, profile_hash, account_id, input, order_text, trace)
      values (${id}, ${operation}, ${profileHash}, ${accountId}, ${JSON.stringify(inputs)},
        ${JSON.stringify(request)}, ${trace}) returning id`
  ).id;

/** `done`: what came of it here, where no carrier is asked. Undefined: its reference number, or its plan's day, is taken. */
export const addErrand = async (
  client: PoolClient,
  errand: NewErrand,
  how: NewErrandDispatch | { readonly done: unknown },
): Promise<{ readonly id: number; readonly dispatchId: number | undefined } | undefined> => {
  const [acceptance, result] = 'done' in how ? ['accepted', JSON.stringify(how.done)] : ['pending', undefined];
  const added = await queryFirst<{ id: number }>(client)`
    insert into errands (kind, shipper_id, environment, reference_number, carrier_code, account_id, facility_code, day,
      request, plan_id, acceptance, result)
    values (${errand.kind}, ${errand.shipperId}, ${errand.environment}, ${errand.referenceNumber}, ${errand.carrierCode},
      ${errand.accountId}, ${errand.facilityCode}, ${errand.day}, ${JSON.stringify(errand.request)}, ${errand.planId},
      ${acceptance}, ${result})
    on conflict do nothing returning id`;
  if (added === undefined) return undefined;
  const dispatchId =
    'done' in how ? undefined : await addErrandDispatch(client, { ...added, accountId: errand.accountId }, how);
  return { ...added, dispatchId };
};

const COLUMNS = sql`e.id, kind, shipper_id, environment, reference_number, carrier_code, account_id, facility_code,
  day::text as day, acceptance, request::json as request, result::json as result, plan_id, created_at as created_at_ms,
  updated_at as updated_at_ms,
  (select json_agg(json_build_object('id', d.id, 'operation', d.operation, 'state', d.state, 'failure', d.failure,
      'dueAtMs', floor(extract(epoch from d.due_at) * 1000)) order by d.id)
    from dispatches d where d.errand_id = e.id) as dispatches`;

type Row = Omit<Errand, 'dispatches'> & {
  readonly dispatches: (Omit<ErrandDispatch, 'failure'> & { readonly failure: string | null })[] | undefined;
};

const select = async (client: Queryable, rest: Sql): Promise<readonly Errand[]> => {
  const rows = await queryAll<Row>(client)`select ${COLUMNS} from errands e where ${rest}`;
  return rows.map(({ dispatches = [], ...errand }) => ({
    ...errand,
    dispatches: dispatches.map(({ failure, ...dispatch }) => ({
      ...dispatch,
      failure: failure === null ? undefined : (JSON.parse(failure) as NonNullable<ErrandDispatch['failure']>),
    })),
  }));
};

const isOf = (owner: Owner, kind: string): Sql => sql`${ownedBy(owner)} and kind = ${kind}`;

/** The one that has this reference number, else the last that had it. */
export const findErrand = async (
  client: Queryable,
  owner: Owner,
  kind: string,
  referenceNumber: string,
): Promise<Errand | undefined> =>
  (
    await select(
      client,
      sql`${isOf(owner, kind)} and reference_number = ${referenceNumber}
        order by acceptance in ('pending', 'accepted') desc, e.id desc limit 1`,
    )
  )[0];

export const findErrandById = async (client: Queryable, id: number): Promise<Errand | undefined> =>
  (await select(client, sql`e.id = ${id}`))[0];

/** As `findErrandById`, and nobody else changes it until the transaction ends. */
export const lockErrand = async (client: PoolClient, id: number): Promise<Errand | undefined> => {
  await execute(client)`select 1 from errands where id = ${id} for no key update`;
  return await findErrandById(client, id);
};

export interface ErrandFilter {
  readonly carrierCode?: string | undefined;
  readonly facilityCode?: string | undefined;
  readonly dayFrom?: string | undefined;
  readonly dayTo?: string | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** The newest first. */
export const listErrands = async (
  client: Queryable,
  owner: Owner,
  kind: string,
  { carrierCode, facilityCode, dayFrom, dayTo, beforeId, limit }: ErrandFilter,
): Promise<readonly Errand[]> =>
  await select(
    client,
    sql`${isOf(owner, kind)} and ${matching({ 'e.id <': beforeId, 'carrier_code =': carrierCode })}
      and ${matching({ 'facility_code =': facilityCode, 'day >=': dayFrom, 'day <=': dayTo })}
      order by e.id desc limit ${limit}`,
  );

/** Of a dispatch `d`, as `c`, what it is of: a consignment, or an errand. */
export const OF_DISPATCH = sql`cross join lateral (
  select shipper_id, environment, carrier_code, reference_number from consignments where id = d.consignment_id
  union all
  select shipper_id, environment, carrier_code, reference_number from errands where id = d.errand_id) c`;

const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'sending', 'waiting']);
export const underWayOf = ({ dispatches }: Errand): ErrandDispatch | undefined =>
  dispatches.findLast(({ state }) => UNFINISHED.has(state));
export const heldOf = ({ dispatches }: Errand): ErrandDispatch | undefined =>
  dispatches.findLast(({ state }) => state === 'held');

/** As shippers are told: what is held or under way of what was asked since counts as well. */
export const standsOf = (errand: Errand): Stands => {
  const { acceptance, dispatches } = errand;
  const [held, underWay] = [heldOf(errand), underWayOf(errand)];
  const last = dispatches.findLast(({ state }) => state === 'rejected');
  const told = acceptance === 'rejected' ? last : (held ?? underWay);
  const isLive = acceptance === 'pending' || acceptance === 'accepted';
  return {
    acceptance: !isLive ? acceptance : held !== undefined ? 'held' : underWay !== undefined ? 'pending' : acceptance,
    failure: told?.failure === undefined ? null : JSON.stringify(told.failure),
    dueAtMs: underWay?.state === 'waiting' ? underWay.dueAtMs : null,
  };
};
