/** Concludes attempts at dispatches: those that end together are written together, each under its own lease. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Effects } from '../../engine/dispatch/effects.ts';
import { type Inputs, LeaseLost } from '../../engine/dispatch/ports.ts';
import type { Alert } from './alert.ts';
import { changeOfEffects } from './apply-effects.ts';
import { endedCalls, type Lease, type Noted, sizeOfNoted } from './attempt-log.ts';
import { APART_MS, createBatcher } from './batch.ts';
import { beginChange, type ChangeContext, type ConsignmentChange } from './change.ts';
import { type ConsignmentState, lockConsignments, readConsignments } from './consignments.ts';
import type { DeliverySender } from './deliveries.ts';
import { concludeErrand, type ErrandClaim } from './errand-ends.ts';
import { Failure } from '../../engine/failure.ts';
import { mapInPieces } from '../../engine/large.ts';
import { traceIdOf } from '../../engine/trace.ts';
import { isConnectionError, transaction } from './pool.ts';
import { changeOfProof } from './proof.ts';
import type { Sealer } from './sealer.ts';
import { findProofs, type Proof } from './settle.ts';
import type { Queryable } from './sql.ts';
import { writeChanges, type Written } from './write-changes.ts';

export const TRACKING_NUMBER_TAKEN = 'tracking_number_taken';

export interface DispatchStore extends ChangeContext {
  readonly pool: Pool;
  readonly sealer: Sealer;
  /** To send at once what shippers are told. */
  readonly deliveries?: DeliverySender | undefined;
  readonly alert?: Alert | undefined;
}

interface End {
  readonly claimed: Lease & {
    readonly consignmentId: number;
    readonly consignment: ConsignmentState;
    readonly inputs: Inputs;
    readonly orderText?: string | undefined;
    readonly orderTypes?: readonly string[] | undefined;
    readonly noted: Noted;
    readonly isRest: boolean;
    readonly trace?: string | undefined;
  };
  readonly effects: Effects;
}

interface ErrandEnding {
  readonly claimed: ErrandClaim;
  readonly effects: Effects;
}
/** Of a dispatch of a consignment, or of an errand. */
export type AnyEnd = End | ErrandEnding;
const isOfConsignment = (end: AnyEnd): end is End => end.claimed.consignmentId !== undefined;

/** `next`: the dispatch of the consignment that waited for this end. */
type Concluded =
  | { readonly kind: 'concluded'; readonly next: number | undefined }
  | { readonly kind: 'outdated' }
  | { readonly kind: 'failed'; readonly error: unknown };

const BATCH = 64;
/** What is not written down nobody knows: while the records are away it is tried again, under the same lease. */
const AGAIN_AFTER_MS = [100, 500, 2_000, 5_000];

export const createConclude = (store: DispatchStore) => {
  const conclude = createBatcher<End, Concluded>(async (ends) => await concludeAll(store, ends), {
    max: BATCH,
    apartMs: APART_MS,
    keyOf: ({ claimed }) => claimed.consignmentId,
    sizeOf: ({ claimed }) => sizeOfNoted(claimed.noted),
  });
  const concludeOnce = async (end: AnyEnd): Promise<Concluded> => {
    if (!isOfConsignment(end)) return { kind: 'concluded', next: await concludeErrand(store, end) };
    const concluded = await conclude(end);
    return concluded.kind === 'outdated' ? await concludeLocked(store, end) : concluded;
  };
  const concludeSurely = async (end: AnyEnd, again = 0): Promise<Concluded> =>
    await concludeOnce(end).catch(async (error: unknown) => {
      const afterMs = AGAIN_AFTER_MS[again];
      if (afterMs === undefined || !isConnectionError(error)) throw error;
      await sleep(afterMs);
      return await concludeSurely(end, again + 1);
    });
  return async (end: AnyEnd): Promise<number | undefined> => {
    const concluded = await concludeSurely(end);
    if (concluded.kind === 'concluded') return concluded.next;
    throw concluded.kind === 'failed' ? concluded.error : new Error('a consignment has changed under its lock');
  };
};

/** Computed from what was read when they were claimed. */
const concludeAll = async (store: DispatchStore, ends: readonly End[]): Promise<readonly Concluded[]> =>
  await writeEnds(
    store.pool,
    store,
    ends,
    new Map(ends.map(({ claimed: { consignment } }) => [consignment.id, consignment])),
  );

/** Of a consignment that has changed meanwhile: computed anew, under a lock. */
const concludeLocked = async (store: DispatchStore, end: End): Promise<Concluded> => {
  const ids = [end.claimed.consignmentId];
  const [concluded] = await transaction(store.pool, async (client) => {
    await lockConsignments(client, ids);
    return await writeEnds(client, { ...store, deliveries: undefined }, [end], await readConsignments(client, ids));
  });
  return concluded ?? { kind: 'outdated' };
};

const writeEnds = async (
  client: Queryable,
  store: DispatchStore,
  ends: readonly End[],
  states: ReadonlyMap<number, ConsignmentState>,
): Promise<Concluded[]> => {
  // Of one that has only now called the shipment of before off, what was said is of that.
  const doubtful = ends.filter(
    ({ effects: { dispatch, acceptance }, claimed: { consignment } }) =>
      dispatch.failure?.why === 'unknown_outcome' && consignment.acceptance === 'pending' && acceptance === undefined,
  );
  const proofs = await findProofs(
    client,
    doubtful.map(({ claimed }) => claimed.dispatchId),
  );
  const changes = await mapInPieces(ends, (end) => {
    const proof = proofs.find(({ dispatchId }) => dispatchId === end.claimed.dispatchId);
    return changeOf(store, end, states.get(end.claimed.consignmentId), proof);
  });
  const fit = changes.flatMap((change) => ('error' in change ? [] : [change]));
  const units = fit.map((change) => ({ changes: [change] }));
  const written = units.length === 0 ? [] : [...(await writeChanges(client, units, store.deliveries))];
  const concluded: Concluded[] = [];
  for (const [at, change] of changes.entries()) {
    const one = 'error' in change ? undefined : written.shift();
    if ('error' in change) concluded.push({ kind: 'failed', error: change.error });
    else if (one?.kind === 'written') {
      alertOf(store, change);
      concluded.push({ kind: 'concluded', next: one.nextDispatchId });
    } else if (one?.kind === 'number_taken') concluded.push({ kind: 'failed', error: numberTaken(one) });
    else if (one?.kind === 'outdated') concluded.push({ kind: 'outdated' });
    else concluded.push({ kind: 'failed', error: leaseLost(ends[at]) });
  }
  return concluded;
};

const alertOf = ({ alert }: DispatchStore, { before, labels, ending, trace }: ConsignmentChange): void => {
  const about = { consignment: before.id, carrier: before.carrierCode, trace: traceIdOf(trace) };
  for (const { state, failure: reason, failureCode: code, id: label } of labels.values())
    if (state === 'failed') alert?.('label_failed', { label, ...about, code, reason });
  if (ending === undefined) return;
  const { why, problem } = ending.failure ?? {};
  const dispatch = { dispatch: ending.dispatchId, ...about, code: problem?.code, reason: problem?.messages.join('; ') };
  if (ending.state === 'held') alert?.('dispatch_held', { ...dispatch, why });
  const { awaySinceMs = Infinity, endedAtMs, dueAtMs = 0 } = ending;
  // Once, and not of what is over before anybody could look.
  if (endedAtMs - awaySinceMs < LONG_MS && dueAtMs - awaySinceMs >= LONG_MS)
    alert?.('dispatch_waiting', { ...dispatch, nextTry: new Date(dueAtMs).toISOString() });
};

/** Who waits for a carrier that is away for so long is told of. */
const LONG_MS = 60_000;

const numberTaken = ({ number, by }: Extract<Written, { kind: 'number_taken' }>): Failure =>
  new Failure(`the carrier gave the tracking number ${number}, which is that of consignment ${by}`, {
    code: TRACKING_NUMBER_TAKEN,
    help: 'look at the carrier whether there is a shipment of its own',
  });

const leaseLost = (end: End | undefined): LeaseLost =>
  new LeaseLost(`dispatch ${end?.claimed.dispatchId} was taken over`);

/** A mistake of ours in one must not keep the others from being written. */
const changeOf = (
  store: DispatchStore,
  { claimed, effects }: End,
  state: ConsignmentState | undefined,
  proof: Proof | undefined,
): ConsignmentChange | { readonly error: unknown } => {
  if (state === undefined) return { error: leaseLost({ claimed, effects }) };
  const { dispatchId, lease, noted, trace } = claimed;
  const isEnded = effects.dispatch.state === 'done' || effects.dispatch.state === 'rejected';
  try {
    const ending = {
      dispatchId,
      lease,
      ...effects.dispatch,
      endedAtMs: store.nowMs(),
      calls: endedCalls(store.sealer, claimed, noted.calls, isEnded),
      exchanges: noted.exchanges.map((exchange) => ({ context: claimed, exchange })),
    };
    const begun = { ...beginChange(state, ending), trace };
    if (effects.dispatch.state === 'waiting') return begun;
    if (proof !== undefined) {
      // What is known already counts: it is not held at all.
      const untold = changeOfEffects(begun, { ...claimed, effects: { ...effects, notices: [] } }, store);
      const proved = changeOfProof(untold, proof, proof.update, store);
      if (proved !== untold) return proved;
    }
    return changeOfEffects(begun, { ...claimed, effects }, store);
  } catch (error) {
    return { error };
  }
};
