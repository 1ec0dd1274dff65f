/** Applies the effects of a finished operation to its consignment. Pure. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { Effects } from '../../engine/dispatch/effects.ts';
import type { Inputs, MoveTo } from '../../engine/dispatch/ports.ts';
import { type Chosen, triedInVain } from '../../engine/policy/chosen.ts';
import {
  type ChangeContext,
  type ConsignmentChange,
  type ChangedPackage,
  withLabels,
  withNotices,
  withoutLabels,
} from './change.ts';
import type { ConsignmentState } from './consignments.ts';
import type { Identifier } from './identifiers.ts';
import { labelNotice } from '../../engine/webhooks/notice.ts';

interface Applied {
  readonly effects: Effects;
  readonly inputs?: Inputs | undefined;
  /** Of an update: the order that is now the consignment's. */
  readonly orderText?: string | undefined;
  /** With it: what subscriptions may ask for that order by. */
  readonly orderTypes?: readonly string[] | undefined;
  /** A part of it was done before. */
  readonly isRest?: boolean;
}

export const changeOfEffects = (
  begun: ConsignmentChange,
  { effects: all, inputs, orderText, orderTypes, isRest }: Applied,
  context: ChangeContext,
): ConsignmentChange => {
  const effects = isRest === true ? restOf(all, begun.before) : all;
  if (effects.acceptance === 'cancelled' && inputs?.moveTo !== undefined)
    return moved(begun, inputs.moveTo, { orderText, orderTypes });
  const nowMs = context.nowMs();
  const passedOn = isRest === true ? undefined : passOn(begun, effects, inputs, nowMs);
  if (passedOn !== undefined) return passedOn;
  let change: ConsignmentChange = { ...begun, isVisible: true };
  if (effects.adoptInput === true) change = adopt(change, inputs, { orderText, orderTypes });
  if (effects.acceptance === 'rejected') change = withTried(change, effects, nowMs);
  if (effects.forgetShipment === true) change = forgetShipment(change, effects);
  const { after } = change;
  change = {
    ...change,
    after: {
      ...after,
      acceptance: effects.acceptance ?? after.acceptance,
      status: effects.status ?? after.status,
      masterTrackingNumber: effects.masterTrackingNumber ?? after.masterTrackingNumber,
      memo: effects.carrierMetadata === undefined ? after.memo : { ...after.memo, ...effects.carrierMetadata },
      packages: packagesAfter(after.packages, effects, nowMs),
    },
    identifiers: [...change.identifiers, ...identifiersOf(effects)],
  };
  if (effects.revokeLabels === true) change = withoutLabels(change);
  const own = effects.remakesLabels === true ? change.after.packages : [];
  const drafts = effects.labels ?? own.map(({ position }) => ({ position, label: undefined }));
  if (drafts.length > 0) change = withLabels(change, drafts, context);
  const failed = [...change.labels.values()].filter(({ state }) => state === 'failed');
  const notices = [...effects.notices, ...failed.flatMap((label) => labelNotice(label) ?? [])];
  if (effects.status !== undefined) {
    for (const { position, status } of begun.after.packages)
      notices.push({ event: 'consignment.status', position, previousStatus: status, occurredAtMs: nowMs });
  }
  return withNotices(change, notices, context);
};

/**
 * Without what is known: neither is a package told of twice, nor does what became of it meanwhile count for nothing,
 * nor is what exists let go of.
 */
const restOf = (effects: Effects, { packages: known }: ConsignmentState): Effects => {
  const { packages = [], labels, notices } = effects;
  const isNew = ({ position: at }: { readonly position?: number | undefined }): boolean => {
    const number = known.find(({ position }) => position === at)?.trackingNumber;
    return number === undefined || packages.find(({ position }) => position === at)?.trackingNumber !== number;
  };
  return {
    ...effects,
    acceptance: effects.acceptance === 'accepted' ? 'accepted' : undefined,
    adoptInput: false,
    forgetShipment: false,
    packages: packages.filter(isNew),
    labels: labels?.filter(isNew),
    notices: notices.flatMap((notice) => {
      if (notice.positions === undefined) return isNew(notice) ? notice : [];
      const positions = notice.positions.filter((position) => isNew({ position }));
      return positions.length === 0 ? [] : { ...notice, positions };
    }),
  };
};

/** Why a create that ended so has certainly made nothing. */
const NOT_DONE: ReadonlySet<string> = new Set(['rejected', 'fail', 'config_error', 'not_done']);

/** A create that is certainly not done goes on to the carrier that comes next, if there is one, in the same breath. */
const passOn = (
  begun: ConsignmentChange,
  effects: Effects,
  inputs: Inputs | undefined,
  nowMs: number,
): ConsignmentChange | undefined => {
  const [next, ...others] = inputs?.next ?? [];
  const { ending, before } = begun;
  const isNotDone = NOT_DONE.has(effects.dispatch.failure?.why ?? '') && before.acceptance === 'pending';
  if (next === undefined || !isNotDone) return undefined;
  const differing = Object.entries(next.inputs.consignment as object);
  const consignment: object = { ...(inputs?.consignment as object), ...Object.fromEntries(differing) };
  const present = Object.entries(consignment).filter(([, value]) => value !== null);
  const patience = others.length === 0 ? {} : { next: others, patienceMs: inputs?.patienceMs };
  const moveTo = { ...next, inputs: { ...next.inputs, consignment: Object.fromEntries(present), ...patience } };
  const tried = withTried(begun, effects, nowMs);
  const choice = tried.after.choice && { ...tried.after.choice, taken: next.taken };
  return moved(
    {
      ...tried,
      after: { ...tried.after, choice },
      // Nothing of it waits for anybody any more.
      ending: ending?.state === 'held' ? { ...ending, state: 'cancelled' } : ending,
    },
    moveTo,
    {},
  );
};

const withTried = (change: ConsignmentChange, { dispatch }: Effects, nowMs: number): ConsignmentChange => {
  const { choice, ...after } = change.after;
  const { problem } = dispatch.failure ?? {};
  if (choice === undefined || problem === undefined) return change;
  return { ...change, after: { ...after, choice: triedInVain(choice, problem, nowMs) } };
};

const adopt = (
  change: ConsignmentChange,
  inputs: Inputs | undefined,
  { orderText, orderTypes }: Pick<Applied, 'orderText' | 'orderTypes'>,
): ConsignmentChange => {
  const { after } = change;
  const consignment = inputs?.consignment as Consignment;
  const given = inputs?.choice as Chosen | null | undefined;
  const choice = given === undefined ? after.choice : (given ?? undefined);
  const packages = consignment.itemList.map(({ itemReferenceNumber: reference }, position): ChangedPackage => {
    const known = after.packages[position];
    if (known !== undefined) return known.reference === reference ? known : { ...known, reference };
    const nothing = { trackingNumber: undefined, reason: undefined, statusAtMs: undefined };
    return { position, reference, status: 'Order Created', memo: {}, ...nothing };
  });
  const adopted = { orderTypes: orderTypes ?? after.orderTypes, packages, choice };
  return { ...change, adopted: { consignment, orderText }, after: { ...after, ...adopted } };
};

/** Cancelled at one carrier, or never there: what is left to do is the create at the other. */
const moved = (
  begun: ConsignmentChange,
  moveTo: MoveTo,
  order: Pick<Applied, 'orderText' | 'orderTypes'>,
): ConsignmentChange => {
  const { carrierCode, accountId, inputs } = moveTo;
  const adopted = adopt({ ...begun, isVisible: true }, inputs, order);
  const { after, ...change } = forgetShipment(adopted, {});
  const { referenceNumber, orderNumber, consignmentNumber } = after;
  return {
    ...change,
    moveTo,
    after: { ...after, carrierCode, accountId, acceptance: 'pending' },
    identifiers: [
      { kind: 'Reference', value: referenceNumber },
      { kind: 'Order', value: orderNumber },
      { kind: 'Consignment', value: consignmentNumber },
    ],
  };
};

/**
 * What its carrier said of the shipment, that it is cancelled above all, is not true of the next. Labels that are about
 * to be written anew keep their links.
 */
const forgetShipment = (change: ConsignmentChange, { labels }: Pick<Effects, 'labels'>): ConsignmentChange => {
  const nothing = { trackingNumber: undefined, memo: {}, poll: { atMs: undefined } };
  const afresh = { status: 'Order Created', reason: undefined, statusAtMs: undefined } as const;
  const packages = change.after.packages.map((one) => ({ ...one, ...nothing, ...afresh }));
  const after = { ...change.after, status: afresh.status, masterTrackingNumber: undefined, memo: {}, packages };
  return withoutLabels({ ...change, forgetsNumbers: true, after }, labels);
};

const packagesAfter = (
  before: readonly ChangedPackage[],
  { packages = [], status, firstPollInMs }: Effects,
  nowMs: number,
): readonly ChangedPackage[] => {
  const poll = { atMs: firstPollInMs === undefined ? undefined : nowMs + firstPollInMs };
  return before.map((one) => {
    const given = packages.find(({ position }) => position === one.position);
    const numbered = given && { trackingNumber: given.trackingNumber, memo: given.memo, poll };
    const moved = status && { status, reason: undefined, statusAtMs: nowMs };
    return numbered === undefined && moved === undefined ? one : { ...one, ...numbered, ...moved };
  });
};

const identifiersOf = ({ packages = [], masterTrackingNumber, carrierMetadata }: Effects): readonly Identifier[] => [
  ...packages.flatMap((one) => [
    { kind: 'Tracking', value: one.trackingNumber, position: one.position },
    ...memoIdentifiers(one.memo, one.position),
  ]),
  ...(masterTrackingNumber === undefined ? [] : [{ kind: 'Tracking', value: masterTrackingNumber }]),
  ...memoIdentifiers(carrierMetadata ?? {}, undefined),
];

/** Longer than any number, short enough for an index: a URL to remember names no shipment. */
const IDENTIFIER_MAX = 200;

/** A carrier may name a shipment by what it gave us to remember. */
const memoIdentifiers = (memo: Readonly<Record<string, unknown>>, position: number | undefined): Identifier[] =>
  Object.entries(memo).flatMap(([kind, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const text = String(value);
    return text.length > IDENTIFIER_MAX ? [] : [{ kind, value: text, position }];
  });
