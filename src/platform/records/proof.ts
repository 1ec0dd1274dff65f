/** What an event of the carrier proves about a consignment whose create has an unknown outcome. Pure. */
import type { Accepted } from '../../engine/consignment/answer.ts';
import { type CarrierFacts, type Effects, effectsOf } from '../../engine/dispatch/effects.ts';
import { type Name, namesNumber, namesOf } from '../../engine/statuses/match.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { trackingNotice } from '../../engine/webhooks/notice.ts';
import { changeOfEffects } from './apply-effects.ts';
import type { ChangeContext, ConsignmentChange } from './change.ts';
import type { ConsignmentState } from './consignments.ts';

/** What a proof may end. */
export interface Provable {
  readonly consignmentId: number;
  /** The last dispatch that is held as nobody knows what became of it. */
  readonly dispatchId: number | undefined;
  /** Another create of the consignment was done. */
  readonly hadShipment: boolean;
}

/** What names a number tells more. */
export const bestProof = (updates: readonly StatusUpdate[]): StatusUpdate | undefined =>
  updates.find((update) => namesNumber(namesOf(update))) ?? updates[0];

/**
 * It exists: the dispatch that is held, or about to be (a create, or an update that cancels and creates, when it had come to that) ends
 * well, and where the consignment is one package the number that the carrier names is that package's. Where it had a
 * shipment before, its references are that one's too: only a number proves another. Where packages have calls of their
 * own, what is said of one proves nothing of the others.
 */
export const changeOfProof = (
  begun: ConsignmentChange,
  { dispatchId, hadShipment }: Provable,
  update: StatusUpdate,
  context: ChangeContext,
): ConsignmentChange => {
  const names = namesOf(update);
  if (dispatchId === undefined || begun.after.acceptance !== 'pending') return begun;
  if (hadShipment && !namesNumber(names)) return begun;
  const facts = context.factsOf(begun.after.carrierCode);
  if (begun.after.packages.length > facts.packagesPerCall) return begun;
  const held = { lease: undefined, endedAtMs: context.nowMs(), calls: [], exchanges: [], ...begun.ending };
  const effects = effectsOfEvent(begun.after, names.value, facts);
  const ending = { ...held, dispatchId, state: 'done' as const, failure: undefined };
  return changeOfEffects({ ...begun, ending }, { effects }, context);
};

const effectsOfEvent = ({ packages }: ConsignmentState, name: Name | undefined, facts: CarrierFacts): Effects => {
  const [one, ...more] = packages;
  if (one !== undefined && more.length === 0 && name?.kind === 'Tracking') {
    const result = acceptedOf([one.reference], [name.value]);
    return effectsOf('create', { kind: 'done', result, answers: {} }, facts);
  }
  return { dispatch: { state: 'done' }, acceptance: 'accepted', notices: [trackingNotice(packages)] };
};

type Memo = Accepted['memo'];

/** A carrier's answer that gave these packages these numbers. */
export const acceptedOf = (
  references: readonly string[],
  numbers: readonly string[],
  master?: string,
  memo: Memo = {},
  memos: ReadonlyMap<string, Memo> = new Map(),
): Accepted => ({
  packages: references.map((itemReferenceNumber, at) => ({
    itemReferenceNumber,
    trackingNumber: numbers[at] ?? '',
    memo: memos.get(itemReferenceNumber) ?? {},
  })),
  masterTrackingNumber: master,
  memo,
  warnings: [],
});
