/** Held dispatches, and their end where somebody knows what became of one: an operator, or the carrier by an event. */
import type { Pool, PoolClient } from 'pg';
import { type CarrierFacts, type Effects, effectsOf, NO_FACTS } from '../../engine/dispatch/effects.ts';
import type { Inputs } from '../../engine/dispatch/ports.ts';
import type { Accepted } from '../../engine/consignment/answer.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { type Name, namesNumber, namesOf } from '../../engine/statuses/match.ts';
import { problem } from '../../engine/failure.ts';
import type { SettleDeps } from './apply-events.ts';
import { recordAudit } from './audit.ts';
import { type ConsignmentRecord, lockConsignment } from './consignments.ts';
import { type DispatchView, endDispatch, findOrder, listDispatches } from './dispatches.ts';
import type { OrderStore } from './accept-change.ts';
import { transaction } from './pool.ts';
import { execute, queryAll, queryFirst } from './sql.ts';

/** What is true at the carrier. */
export interface ManualResolution {
  /**
   * done: it did what was asked. not_done: nothing of it is left there, so it may be asked again, changed, or
   * cancelled. rejected: it will not be done; a create frees its reference.
   */
  readonly outcome: 'done' | 'not_done' | 'rejected';
  /** With `done`: the numbers that the carrier gave for a create or update, by package. */
  readonly trackingNumbers: ReadonlyMap<string, string>;
  readonly master?: string | undefined;
}

export interface Resolution {
  readonly dispatchId: number;
  readonly truth: ManualResolution;
  /** For the audit log, and in what the shipper is told. */
  readonly note: string;
  readonly actor: string;
  /** What of the carrier decides what its numbers bring. */
  readonly factsOf: (carrierCode: string) => CarrierFacts;
}

export type Resolved =
  | { readonly kind: 'resolved'; readonly consignment: ConsignmentRecord; readonly dispatch: DispatchView }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_held'; readonly state: string }
  /** Packages that lack a tracking number, or numbers of packages that there are not. */
  | { readonly kind: 'numbers'; readonly missing: readonly string[]; readonly strange: readonly string[] };

/** Ends a held dispatch as the operator says, in one transaction with all that follows from it. */
export const resolveDispatch = async (store: OrderStore, resolution: Resolution): Promise<Resolved> =>
  await transaction(store.pool, async (client): Promise<Resolved> => {
    const { dispatchId, truth, actor, note } = resolution;
    const found = await queryFirst<{ id: number }>(client)`
      select consignment_id as id from dispatches where id = ${dispatchId}`;
    // The consignment first, always: whoever concludes a dispatch locks it too.
    const record = found === undefined ? undefined : await lockConsignment(client, found.id);
    if (record === undefined) return { kind: 'unknown' };
    const viewOf = async () => (await listDispatches(client, record.id)).find(({ id }) => id === dispatchId);
    const held = await viewOf();
    if (held === undefined) return { kind: 'unknown' };
    if (held.state !== 'held') return { kind: 'not_held', state: held.state };
    const order = await findOrder(client, dispatchId);
    const wrong = wrongNumbers(held, record, order.inputs, truth);
    if (wrong !== undefined) return wrong;
    const effects = effectsOfTruth(held, record, order.inputs, resolution);
    const nowMs = store.nowMs();
    await execute(client)`
      update dispatches set state = ${effects.dispatch.state}, failure = ${JSON.stringify(effects.dispatch.failure)},
        finished_at = ${new Date(nowMs)} where id = ${dispatchId}`;
    await endDispatch(client, record, { dispatchId, ...order, effects, nowMs, settle: store });
    await recordAudit(client, {
      actor,
      action: 'resolve',
      subject: `consignment:${record.id}`,
      detail: `dispatch ${dispatchId} (${held.operation}) is ${truth.outcome}: ${note}`,
    });
    const [consignment, dispatch] = [await lockConsignment(client, record.id), await viewOf()];
    if (consignment === undefined || dispatch === undefined) throw new Error('the consignment is gone under its lock');
    return { kind: 'resolved', consignment, dispatch };
  });

type Held = Pick<DispatchView, 'operation'>;

/** The packages as they are when the dispatch is done. */
const packagesOf = ({ operation }: Held, record: ConsignmentRecord, { consignment }: Inputs): readonly string[] =>
  operation === 'update'
    ? (consignment as { itemList: { itemReferenceNumber: string }[] }).itemList.map((item) => item.itemReferenceNumber)
    : record.packages.map(({ reference }) => reference);

/** Whether a carrier that did it must have given numbers: what is not there yet has to get them. */
const needsNumbers = ({ operation }: Held, { acceptance }: ConsignmentRecord): boolean =>
  operation !== 'cancel' && acceptance === 'pending';

const wrongNumbers = (
  held: Held,
  record: ConsignmentRecord,
  inputs: Inputs,
  truth: ManualResolution,
): Extract<Resolved, { kind: 'numbers' }> | undefined => {
  if (truth.outcome !== 'done') return undefined;
  const packages = held.operation === 'cancel' ? [] : packagesOf(held, record, inputs);
  const isGiven = truth.trackingNumbers.size > 0 || needsNumbers(held, record);
  const missing = isGiven ? packages.filter((reference) => !truth.trackingNumbers.has(reference)) : [];
  const strange = [...truth.trackingNumbers.keys()].filter((reference) => !packages.includes(reference));
  return missing.length + strange.length === 0 ? undefined : { kind: 'numbers', missing, strange };
};

const effectsOfTruth = (
  held: Held,
  record: ConsignmentRecord,
  inputs: Inputs,
  { truth, note, factsOf }: Resolution,
): Effects => {
  const reason = problem('resolved_by_operator', note);
  switch (truth.outcome) {
    case 'not_done':
      return { dispatch: { state: 'held', failure: { why: 'fail', problem: reason } }, notices: [] };
    case 'rejected': {
      // Of an update whose shipment of before is cancelled already, nothing is left but the consignment itself.
      const operation = record.acceptance === 'pending' ? 'create' : held.operation;
      return effectsOf(operation, { kind: 'rejected', problem: reason }, NO_FACTS);
    }
    case 'done': {
      const { trackingNumbers, master } = truth;
      const references = packagesOf(held, record, inputs);
      const numbers = references.map((reference) => trackingNumbers.get(reference) ?? '');
      const result = trackingNumbers.size === 0 ? undefined : acceptedOf(references, numbers, master);
      const effects = effectsOf(held.operation, { kind: 'done', result, answers: {} }, factsOf(record.carrierCode));
      return needsNumbers(held, record) ? { ...effects, acceptance: 'accepted' } : effects;
    }
  }
};

const acceptedOf = (references: readonly string[], numbers: readonly string[], master?: string): Accepted => ({
  packages: references.map((itemReferenceNumber, at) => ({
    itemReferenceNumber,
    trackingNumber: numbers[at] ?? '',
    memo: {},
  })),
  masterTrackingNumber: master,
  memo: {},
  warnings: [],
});

/**
 * A carrier speaks of a consignment whose create is held because nobody knew what became of it (or an update that
 * cancels and creates, when it had come to that): so it exists. The dispatch ends well, and where the consignment is one
 * package the number that the carrier names is that package's. Where it had a shipment before, its references are that
 * one's too: only a number proves another.
 */
export const confirmCreated = async (
  client: PoolClient,
  consignmentId: number,
  update: StatusUpdate,
  deps: {
    readonly settle: SettleDeps;
    readonly factsOf: (carrierCode: string) => CarrierFacts;
    readonly nowMs: number;
  },
): Promise<void> => {
  const consignment = await lockConsignment(client, consignmentId);
  const dispatches = await listDispatches(client, consignmentId);
  const dispatch = dispatches.findLast(({ state, failure }) => state === 'held' && failure?.why === 'unknown_outcome');
  if (dispatch === undefined || consignment?.acceptance !== 'pending') return;
  const names = namesOf(update);
  const hadShipment = dispatches.some(({ operation, state }) => operation === 'create' && state === 'done');
  if (hadShipment && !namesNumber(names)) return;
  await execute(client)`
    update dispatches set state = 'done', failure = null, finished_at = ${new Date(deps.nowMs)}
    where id = ${dispatch.id}`;
  const effects = effectsOfEvent(consignment, names.value, deps.factsOf(consignment.carrierCode));
  await endDispatch(client, consignment, { ...deps, dispatchId: dispatch.id, inputs: {}, effects });
};

const effectsOfEvent = ({ packages }: ConsignmentRecord, name: Name | undefined, facts: CarrierFacts): Effects => {
  const [one, ...more] = packages;
  if (one !== undefined && more.length === 0 && name?.kind === 'Tracking') {
    const result = acceptedOf([one.reference], [name.value]);
    return effectsOf('create', { kind: 'done', result, answers: {} }, facts);
  }
  const notices = packages.map(({ position }) => ({ event: 'consignment.tracking' as const, position }));
  return { dispatch: { state: 'done' }, acceptance: 'accepted', notices };
};

export interface HeldDispatch {
  readonly id: number;
  readonly operation: DispatchView['operation'];
  readonly shipper: string;
  readonly environment: string;
  readonly referenceNumber: string;
  readonly carrierCode: string;
  readonly packages: readonly string[];
  readonly failure: NonNullable<DispatchView['failure']>;
  readonly heldAt: Date;
}

/** What waits for an operator or a shipper, the longest first. */
export const listHeld = async (
  pool: Pool,
  { afterId = 0, limit }: { readonly afterId: number | undefined; readonly limit: number },
): Promise<readonly HeldDispatch[]> =>
  await queryAll<HeldDispatch>(pool)`
    select d.id, d.operation, s.code as shipper, c.environment, c.reference_number, c.carrier_code,
      array(select p.reference from packages p where p.consignment_id = c.id order by p.position) as packages,
      coalesce(d.failure, '{"why":"fail","problem":{"code":"","messages":[]}}')::json as failure,
      coalesce(d.finished_at, d.created_at) as held_at
    from dispatches d join consignments c on c.id = d.consignment_id join shippers s on s.id = c.shipper_id
    where d.state = 'held' and d.id > ${afterId} order by d.id limit ${limit}`;
