/** Applies newly matched events to a consignment: package states, its own status, and notices to the shipper. Pure. */
import { labelOf } from '../../engine/statuses/status-update.ts';
import type { NoticeDraft } from '../../engine/webhooks/event.ts';
import { labelNotice, noticeOf } from '../../engine/webhooks/notice.ts';
import { isTerminal, type NormalisedStatus } from '../../engine/statuses/status.ts';
import {
  advance,
  compareEvents,
  foldEvents,
  type PackageState,
  rollUp,
  stateBefore,
} from '../../engine/statuses/fold.ts';
import { type ChangeContext, type ConsignmentChange, withLabels, withNotices } from './change.ts';
import type { PackageRecord } from './consignments.ts';
import type { MatchedEvent } from './events.ts';

export interface ToldEvents {
  /** Those recorded before; their bodies only where a notice may depend on what was said already. */
  readonly known: readonly MatchedEvent[];
  /** Those that are new, or have another status than before. */
  readonly fresh: readonly MatchedEvent[];
}

export const changeOfEvents = (
  begun: ConsignmentChange,
  { known, fresh }: ToldEvents,
  context: ChangeContext,
): ConsignmentChange => {
  if (fresh.length === 0) return begun;
  const { after } = begun;
  const moves = after.packages.map((one) => moveOf(one, known, fresh));
  const packages = after.packages.map((one, at) => {
    const { status, reason, atMs: statusAtMs } = moves[at]?.after ?? { ...one, atMs: one.statusAtMs };
    const isSame = one.status === status && one.reason === reason && one.statusAtMs === statusAtMs;
    return isSame ? one : { ...one, status, reason, statusAtMs };
  });
  const status = rollUp(packages.map((one) => one.status));
  let change: ConsignmentChange = {
    ...begun,
    after: { ...after, packages, status },
    isVisible: begun.isVisible || status !== after.status,
  };
  for (const { position, update } of fresh.toSorted(compareEvents)) {
    const label = labelOf(update);
    if (label === undefined) continue;
    change = withLabels(change, [{ position, label }], context);
    // One that has to be fetched is told of when it is there.
    const written = change.after.labels.filter((one) => one.position === position && one.state !== 'revoked');
    change = withNotices(
      change,
      written.flatMap((one) => labelNotice(one) ?? []),
      context,
    );
  }
  return withNotices(change, draftsOf(moves, known, fresh), context);
};

/** With a poll, now at the latest, of these packages (undefined: all) as far as they have not ended. */
export const withPolls = (
  change: ConsignmentChange,
  positions: readonly (number | undefined)[],
  { nowMs }: ChangeContext,
): ConsignmentChange => {
  if (positions.length === 0) return change;
  const poll = { atMs: nowMs(), atLatest: true };
  const packages = change.after.packages.map((one) => {
    const isAsked = positions.some((position) => position === undefined || position === one.position);
    return isAsked && !isTerminal(one.status) ? { ...one, poll } : one;
  });
  return { ...change, after: { ...change.after, packages } };
};

interface PackageMove {
  readonly position: number;
  readonly after: PackageState;
  /** By the event's deduplication key: the status that it changed. */
  readonly previous: ReadonlyMap<string, NormalisedStatus | undefined>;
}

const concerns = (event: MatchedEvent, position: number): boolean =>
  event.position === undefined || event.position === position;

const moveOf = (
  { position, status, reason, statusAtMs }: PackageRecord,
  known: readonly MatchedEvent[],
  fresh: readonly MatchedEvent[],
): PackageMove => {
  const own = known.filter((event) => concerns(event, position)).toSorted(compareEvents);
  const created = stateBefore('Order Created');
  // By us: no event says it.
  const isCancelled = status === 'Cancelled' && foldEvents(created, own).status !== 'Cancelled';
  const base = isCancelled ? { status: 'Cancelled' as const, reason, atMs: statusAtMs } : created;
  const { after, steps } = advance(
    base,
    own,
    fresh.filter((event) => concerns(event, position)),
  );
  return {
    position,
    after,
    previous: new Map(steps.map(({ event, previousStatus }) => [event.deduplicationKey, previousStatus])),
  };
};

/** One for each event and package that it concerns, in the order in which they happened. */
const draftsOf = (
  moves: readonly PackageMove[],
  known: readonly MatchedEvent[],
  fresh: readonly MatchedEvent[],
): NoticeDraft[] => {
  const said = [...known];
  return fresh.toSorted(compareEvents).flatMap((event) => {
    const drafts = moves
      .filter(({ position }) => concerns(event, position))
      .flatMap(({ position, previous }) => {
        const earlier = () => said.filter((other) => concerns(other, position)).map(({ update }) => update);
        return noticeOf({ ...event, position, previousStatus: previous.get(event.deduplicationKey) }, earlier) ?? [];
      });
    said.push(event);
    return drafts;
  });
};
