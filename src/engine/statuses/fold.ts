/**
 * A package's current status is a fold over all its events in one order, so it is the same in whatever order and how
 * often they came. The rules:
 *
 * 1. Order: when it happened; at the same moment the later stage of the lifecycle last; then the deduplication key.
 * 2. `No Change` and `Unmapped` move nothing.
 * 3. The next event is the next status, also one of an earlier stage (back at the depot after a failed delivery), but:
 * 4. What only announces a parcel (stage `created`) says nothing any more once the carrier has had it.
 * 5. A return is not hidden by plain movement, which is the return's own.
 * 6. A terminal status is left only by what `AFTER_TERMINAL` lists for it.
 *
 * So a late event either changes nothing or brings a status of the same or a later stage.
 */
import {
  isDispatched,
  isTerminal,
  NO_CHANGE,
  NORMALISED_STATUSES,
  type NormalisedStatus,
  parentOf,
  stageOf,
  type TableStatus,
} from './status.ts';

export interface FoldEvent {
  readonly status: TableStatus;
  readonly reason: string | undefined;
  readonly occurredAtMs: number;
  /** Of the event, in hex. */
  readonly deduplicationKey: string;
}

export interface PackageState {
  readonly status: NormalisedStatus;
  readonly reason: string | undefined;
  /** When it came to be so; undefined: since it was recorded. */
  readonly atMs: number | undefined;
}

const RETURNING: ReadonlySet<NormalisedStatus> = new Set(['Return Initiated', 'Return in Transit']);
/** Movement that a return makes, too. */
const PLAIN_MOVEMENT: ReadonlySet<NormalisedStatus> = new Set([
  'Order Picked Up',
  'In Transit',
  'At Facility',
  'Customs Hold',
  'Customs Cleared',
  'Delayed',
  'On Hold',
]);
/** Said of a parcel from a desk: no proof that anybody has it. */
const UNSEEN: ReadonlySet<NormalisedStatus> = new Set(['Delayed', 'On Hold', 'Lost', 'Cancelled']);
/** Somebody holds the parcel, or has handed it over. */
const SEEN = NORMALISED_STATUSES.filter((status) => isDispatched(status) && !UNSEEN.has(status));

/** What may follow a terminal status. */
const AFTER_TERMINAL: Readonly<Partial<Record<NormalisedStatus, ReadonlySet<NormalisedStatus>>>> = {
  // It comes back: refused after all, or sent back by the one who got it.
  'Order Delivered': new Set<NormalisedStatus>(['Return Initiated', 'Return in Transit', 'Returned to Origin']),
  // Found again.
  Lost: new Set(SEEN),
  // The carrier picked it up all the same.
  Cancelled: new Set(SEEN),
  // A delivery reported after it is the one to the sender.
  'Returned to Origin': new Set<NormalisedStatus>(),
};

export const mayFollow = (from: NormalisedStatus, to: NormalisedStatus): boolean => {
  if (to === 'Unmapped') return false;
  if (isTerminal(from)) return AFTER_TERMINAL[from]?.has(to) ?? false;
  if (isDispatched(from) && !isDispatched(to) && to !== 'Cancelled') return false;
  return !(RETURNING.has(from) && PLAIN_MOVEMENT.has(to));
};

/** Rule 1. */
export const compareEvents = (a: FoldEvent, b: FoldEvent): number =>
  a.occurredAtMs - b.occurredAtMs || stage(a) - stage(b) || (a.deduplicationKey < b.deduplicationKey ? -1 : 1);

const stage = ({ status }: FoldEvent): number => (status === NO_CHANGE ? 0 : stageOf(status));

/** The state after the events, given in the order of `compareEvents` and none twice, from what was before them. */
export const foldEvents = (base: PackageState, ordered: readonly FoldEvent[]): PackageState => {
  let state = base;
  for (const { status, reason, occurredAtMs } of ordered) {
    if (status !== NO_CHANGE && mayFollow(state.status, status)) state = { status, reason, atMs: occurredAtMs };
  }
  return state;
};

/** Of a package before any event: what the platform itself knows. */
export const stateBefore = (status: NormalisedStatus): PackageState => ({ status, reason: undefined, atMs: undefined });

export interface Advance {
  readonly after: PackageState;
  /** The new events in order, each with the status that it changed; undefined when it changed nothing. */
  readonly steps: readonly { readonly event: FoldEvent; readonly previousStatus: NormalisedStatus | undefined }[];
}

/** What new events make of a package that has others already. */
export const advance = (base: PackageState, known: readonly FoldEvent[], fresh: readonly FoldEvent[]): Advance => {
  const seen = new Set(known.map(({ deduplicationKey }) => deduplicationKey));
  let ordered = known.toSorted(compareEvents);
  let after = foldEvents(base, ordered);
  const steps: Advance['steps'][number][] = [];
  for (const event of fresh.toSorted(compareEvents)) {
    if (seen.has(event.deduplicationKey)) continue;
    seen.add(event.deduplicationKey);
    const before = after;
    const at = ordered.findLastIndex((other) => compareEvents(other, event) < 0) + 1;
    ordered = ordered.toSpliced(at, 0, event);
    after = foldEvents(base, ordered);
    const hasChanged = after.status !== before.status || after.atMs !== before.atMs || after.reason !== before.reason;
    steps.push({ event, previousStatus: hasChanged ? before.status : undefined });
  }
  return { after, steps };
};

const GRAVEST_FIRST: readonly NormalisedStatus[] = [
  'Damaged',
  'Delivery Failed',
  'Return Initiated',
  'Return in Transit',
  'Customs Hold',
  'On Hold',
  'Pickup Failed',
  'Delivery Rescheduled',
  'Delayed',
];

/** Within a stage, from the least far on. */
const WITHIN_STAGE: readonly NormalisedStatus[] = [
  'Unmapped',
  'Order Created',
  'Label Generated',
  'Pickup Scheduled',
  'In Transit',
  'Customs Cleared',
  'At Facility',
  'Out for Delivery',
  'En Route',
  'Arrived',
  'Ready for Collection',
];

/**
 * A consignment's status out of its packages', first rule that applies:
 *
 * 1. Cancelled packages do not count, unless all are cancelled.
 * 2. One status for all is the consignment's.
 * 3. Some delivered, others not: `Partially Delivered`.
 * 4. All ended, none delivered: the worse of `Lost` and `Returned to Origin`.
 * 5. While any is under way, problem shows, the gravest first. A lost package shows as `Delivery Failed`, for a
 *    consignment has ended only when all of it has.
 * 6. Otherwise the package that is least far says how far the consignment is.
 *
 * `statuses`: of each package, at least one.
 */
export const rollUp = (statuses: readonly NormalisedStatus[]): NormalisedStatus => {
  const counting = statuses.filter((status) => status !== 'Cancelled');
  const [first] = counting;
  if (first === undefined) return statuses.length === 0 ? 'Order Created' : 'Cancelled';
  if (counting.every((status) => status === first)) return first;
  if (counting.some((status) => status === 'Order Delivered' || status === 'Partially Delivered'))
    return 'Partially Delivered';
  if (counting.every((status) => isTerminal(status))) return 'Lost';
  const underWay = new Set(counting.map((status) => (status === 'Lost' ? parentOf(status) : status)));
  const problem = GRAVEST_FIRST.find((status) => underWay.has(status));
  if (problem !== undefined) return problem;
  const [least = first] = counting.filter((status) => !isTerminal(status)).sort(compareProgress);
  return least;
};

const compareProgress = (a: NormalisedStatus, b: NormalisedStatus): number =>
  stageOf(a) - stageOf(b) || WITHIN_STAGE.indexOf(a) - WITHIN_STAGE.indexOf(b);
