/** Held dispatches, and their resolution by an operator or by an event of the carrier. */
import type { Pool } from 'pg';
import { type CarrierFacts, type Effects, effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import { problem } from '../../engine/failure.ts';
import { WHY } from './acceptance.ts';
import { changeOfEffects } from './apply-effects.ts';
import { recordAudit } from './audit.ts';
import { beginChange } from './change.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { type DispatchView, findOrder, listDispatches } from './dispatches.ts';
import { inOne, type OrderStore } from './accept-change.ts';
import { type ResolvedErrand, resolveErrand } from './accept-errand.ts';
import { OF_DISPATCH } from './errands.ts';
import { acceptedOf } from './proof.ts';
import { failDoubtful } from './reopen.ts';
import { recordChange } from './settle.ts';
import { type Filter, matching, queryAll, queryFirst, queryOne, sql } from './sql.ts';
import { isUnknownRest } from './standing.ts';

/** What is true at the carrier. */
export interface ManualResolution {
  /**
   * done: it did what was asked. not_done: nothing of it is left there, so it may be asked again, changed, or
   * cancelled; of a part whose rest nobody knows of, nothing of that rest. rejected: it will not be done; a create frees
   * its reference.
   */
  readonly outcome: 'done' | 'not_done' | 'rejected';
  /** With `done`: the numbers that the carrier gave for a create or update, by package. */
  readonly trackingNumbers: ReadonlyMap<string, string>;
  readonly master?: string | undefined;
  /** With `done`: that of what is no consignment, such as a pickup. */
  readonly number?: string | undefined;
  /** What the carrier gave to be remembered with the shipment, and with packages. */
  readonly memo?: Memo | undefined;
  readonly memos?: ReadonlyMap<string, Memo>;
}
type Memo = Readonly<Record<string, unknown>>;

export interface Resolution {
  readonly dispatchId: number;
  readonly truth: ManualResolution;
  /** For the audit log, and in what the shipper is told. */
  readonly note: string;
  readonly actor: string;
}

export type Resolved =
  | {
      readonly kind: 'resolved';
      readonly of: Pick<ConsignmentRecord, 'referenceNumber' | 'acceptance'>;
      readonly state: string;
    }
  | { readonly kind: 'unknown' }
  | Exclude<ResolvedErrand, { readonly kind: 'resolved' }>
  /** Packages that lack a tracking number, numbers of packages that there are not, and memos that the profile lacks. */
  | ({ readonly kind: 'numbers' } & Readonly<Record<'missing' | 'strange' | 'undeclared', readonly string[]>>);

/** Ends a held dispatch as the operator says, in one transaction with all that follows from it. */
export const resolveDispatch = async (store: OrderStore, resolution: Resolution): Promise<Resolved> =>
  await inOne(store, async (client): Promise<Resolved> => {
    const { dispatchId, truth, actor, note } = resolution;
    const found = await queryFirst<{ id?: number; errandId?: number }>(client)`
      select consignment_id as id, errand_id from dispatches where id = ${dispatchId}`;
    if (found?.errandId !== undefined) {
      const { outcome, number } = truth;
      const named = { errandId: found.errandId, dispatchId, actor, note };
      const resolved = await resolveErrand(client, store, { ...named, outcome, number });
      return resolved.kind === 'resolved' ? { ...resolved, of: resolved.errand } : resolved;
    }
    // The consignment first, always: whoever concludes a dispatch locks it too.
    const record = found?.id === undefined ? undefined : await lockConsignment(client, found.id);
    if (record === undefined) return { kind: 'unknown' };
    const viewOf = async () => (await listDispatches(client, record.id)).find(({ id }) => id === dispatchId);
    const held = await viewOf();
    if (held === undefined) return { kind: 'unknown' };
    if (held.state !== 'held') return { kind: 'not_held', state: held.state };
    const order = await findOrder(client, dispatchId);
    const facts = store.factsOf(record.carrierCode);
    const wrong = wrongNumbers(held, record, order.inputs, truth, facts);
    if (wrong !== undefined) return wrong;
    const effects = effectsOfTruth(held, record, order.inputs, resolution, facts);
    const { state, failure } = effects.dispatch;
    const ending = { dispatchId, lease: undefined, state, failure, endedAtMs: store.nowMs(), calls: [], exchanges: [] };
    if (failure?.why === 'partial') await failDoubtful(client, dispatchId, failure.problem);
    const change = changeOfEffects(
      beginChange(record, ending),
      { ...order, effects, isRest: held.isPart && truth.outcome === 'done' },
      store,
    );
    await recordChange(client, change);
    await recordAudit(client, {
      actor,
      action: 'resolve',
      subject: `consignment:${record.id}`,
      detail: `dispatch ${dispatchId} (${held.operation}) is ${truth.outcome}: ${note}`,
    });
    const [consignment, dispatch] = [await lockConsignment(client, record.id), await viewOf()];
    if (consignment === undefined || dispatch === undefined) throw new Error('the consignment is gone under its lock');
    return { kind: 'resolved', of: consignment, state: dispatch.state };
  });

type Held = Pick<DispatchView, 'operation' | 'isPart' | 'failure'>;

/** The packages as they are when the dispatch is done. */
const packagesOf = ({ operation }: Held, record: ConsignmentRecord, { consignment }: Inputs): readonly string[] =>
  operation === 'update'
    ? (consignment as { itemList: { itemReferenceNumber: string }[] }).itemList.map((item) => item.itemReferenceNumber)
    : record.packages.map(({ reference }) => reference);

/** Whether a carrier that did it must have given numbers: what is not there yet has to get them. */
const needsNumbers = (held: Held, { acceptance }: ConsignmentRecord): boolean =>
  held.operation !== 'cancel' && (acceptance === 'pending' || held.isPart);

const wrongNumbers = (
  held: Held,
  record: ConsignmentRecord,
  inputs: Inputs,
  truth: ManualResolution,
  { memo: declared }: CarrierFacts,
): Extract<Resolved, { kind: 'numbers' }> | undefined => {
  if (truth.outcome !== 'done') return undefined;
  const packages = held.operation === 'cancel' ? [] : packagesOf(held, record, inputs);
  const isGiven = truth.trackingNumbers.size > 0 || needsNumbers(held, record);
  const missing = isGiven ? packages.filter((reference) => !truth.trackingNumbers.has(reference)) : [];
  const strange = [...truth.trackingNumbers.keys()].filter((reference) => !packages.includes(reference));
  const names = new Set([truth.memo, ...(truth.memos?.values() ?? [])].flatMap((memo) => Object.keys(memo ?? {})));
  const undeclared = [...names].filter((name) => declared?.includes(name) === false);
  const isRight = missing.length + strange.length + undeclared.length === 0;
  return isRight ? undefined : { kind: 'numbers', missing, strange, undeclared };
};

const effectsOfTruth = (
  held: Held,
  record: ConsignmentRecord,
  inputs: Inputs,
  { truth, note }: Resolution,
  facts: CarrierFacts,
): Effects => {
  const reason = problem('resolved_by_operator', note);
  switch (truth.outcome) {
    case 'not_done': {
      if (isUnknownRest(held))
        return {
          dispatch: { state: 'held', failure: { why: 'partial', problem: { ...reason, code: 'partial' } } },
          notices: [],
        };
      const gone = held.isPart ? ({ acceptance: 'pending', forgetShipment: true } as const) : {};
      return { dispatch: { state: 'held', failure: { why: 'not_done', problem: reason } }, ...gone, notices: [] };
    }
    case 'rejected': {
      // Of an update whose shipment of before is cancelled already, nothing is left but the consignment itself.
      const isPending = record.acceptance === 'pending';
      const operation = isPending ? 'create' : held.operation;
      const effects = effectsOf(operation, { kind: 'rejected', problem: reason }, NO_FACTS);
      // What exists of it stays.
      return isPending ? effects : { ...effects, acceptance: undefined };
    }
    case 'done': {
      const { trackingNumbers, master, memo, memos } = truth;
      const references = packagesOf(held, record, inputs).filter((reference) => trackingNumbers.has(reference));
      const numbers = references.map((reference) => trackingNumbers.get(reference) ?? '');
      const isTold = trackingNumbers.size > 0 || memo !== undefined;
      const result = isTold ? acceptedOf(references, numbers, master, memo, memos) : undefined;
      const effects = effectsOf(held.operation, { kind: 'done', result, answers: {} }, facts);
      return needsNumbers(held, record) ? { ...effects, acceptance: 'accepted' } : effects;
    }
  }
};

export interface HeldDispatch {
  readonly id: number;
  /** Of an errand, where it is of no consignment. */
  readonly consignmentId: number | undefined;
  readonly errandId: number | undefined;
  readonly operation: DispatchView['operation'];
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly packages: readonly string[];
  readonly failure: NonNullable<DispatchView['failure']>;
  readonly heldAt: Date;
}

/** Of a dispatch: not that which an operator has found to be not done; its shipper sends it again, or not. */
export const IS_OPEN = sql`d.state = 'held' and ${WHY} is distinct from 'not_done'`;

export const countHeld = async (pool: Pool): Promise<number> =>
  (await queryOne<{ count: number }>(pool)`select count(*) from dispatches d where ${IS_OPEN}`).count;

/** All of it must fit. */
export interface HeldFilter extends Filter<HeldDispatch, 'carrierCode' | 'shipper' | 'environment'> {
  readonly operation?: string | undefined;
  readonly why?: string | undefined;
  /** Of its problem. */
  readonly code?: string | undefined;
  readonly heldFrom?: Date | undefined;
  readonly heldBefore?: Date | undefined;
}

const HELD_AT = sql`coalesce(d.finished_at, d.created_at)`;
const FAILURE = sql`coalesce(d.failure, '{"why":"fail","problem":{"code":"","messages":[]}}')::json`;
const HELD = sql`
  select d.id, d.consignment_id, d.errand_id, d.operation, s.code as shipper, c.environment, c.reference_number, c.carrier_code,
    array(select p.reference from packages p where p.consignment_id = d.consignment_id order by p.position) as packages,
    ${FAILURE} as failure, ${HELD_AT} as held_at
  from dispatches d ${OF_DISPATCH} join shippers s on s.id = c.shipper_id`;

/** What waits for an operator or a shipper, the longest first. */
export const listHeld = async (
  pool: Pool,
  { carrierCode, shipper, environment, operation, why, code, heldFrom, heldBefore }: HeldFilter,
  { afterId, limit }: { readonly afterId: number | undefined; readonly limit: number },
): Promise<readonly HeldDispatch[]> =>
  await queryAll<HeldDispatch>(pool)`
    ${HELD} where ${IS_OPEN}
      and ${matching({ 'd.id >': afterId, 'c.carrier_code =': carrierCode, 's.code =': shipper })}
      and ${matching({ 'c.environment =': environment, 'd.operation =': operation, [`${HELD_AT.text} >=`]: heldFrom })}
      and ${matching({ [`${HELD_AT.text} <`]: heldBefore, [`coalesce(${WHY.text}, 'fail') =`]: why })}
      and ${matching({ [`${FAILURE.text} #>> '{problem,code}' =`]: code })}
    order by d.id limit ${limit}`;

/** Of these dispatches those that there are, held or not. */
export const findHeld = async (pool: Pool, ids: readonly number[]): Promise<readonly HeldDispatch[]> =>
  await queryAll<HeldDispatch>(pool)`${HELD} where d.id = any (${ids}::bigint[]) order by d.id`;
