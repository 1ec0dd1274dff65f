/** The state of a consignment as far as it decides which requests are allowed. Pure. */
import type { HeldWhy } from '../../engine/dispatch/ports.ts';
import { isDispatched } from '../../engine/statuses/status.ts';
import type { ConsignmentRecord } from './consignments.ts';
import type { DispatchView } from './dispatches.ts';

export type ConsignmentStanding =
  | { readonly kind: 'rejected' | 'cancelled' | 'dispatched'; readonly held: readonly DispatchView[] }
  /** An action is under way: the last of those that are. */
  | { readonly kind: 'busy'; readonly dispatch: DispatchView }
  /** Its create is held, or an update that began by cancelling: the carrier has nothing, or nobody knows of all of it. */
  | { readonly kind: 'create_held'; readonly dispatch: DispatchView; readonly why: HeldWhy }
  /** The carrier has it; `held` are later actions that wait for a decision. */
  | { readonly kind: 'accepted'; readonly held: readonly DispatchView[] };

/** Why something cannot be done to a consignment as it stands. */
export type Refusal = 'dispatched' | 'cancelled' | 'rejected' | 'create_unknown' | 'undo_failed' | 'nothing_held';

const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'sending', 'waiting']);
export const isUnfinished = ({ state }: Pick<DispatchView, 'state'>): boolean => UNFINISHED.has(state);

/** A part exists for certain, and nobody knows of the rest. */
export const isUnknownRest = ({ isPart, failure }: Pick<DispatchView, 'isPart' | 'failure'>): boolean =>
  isPart && failure?.why === 'unknown_outcome';

/** `dispatches` in the order they were made. */
export const standingOf = (
  record: Pick<ConsignmentRecord, 'acceptance' | 'status' | 'packages'>,
  dispatches: readonly DispatchView[],
): ConsignmentStanding => {
  const held = dispatches.filter(({ state }) => state === 'held');
  if (record.acceptance === 'rejected') return { kind: 'rejected', held: [] };
  if (record.acceptance === 'cancelled' || record.status === 'Cancelled') return { kind: 'cancelled', held: [] };
  if ([record, ...record.packages].some(({ status }) => isDispatched(status))) return { kind: 'dispatched', held };
  const unfinished = dispatches.findLast(isUnfinished);
  if (unfinished !== undefined) return { kind: 'busy', dispatch: unfinished };
  const last = held.at(-1);
  const why = (last?.failure?.why ?? 'unknown_outcome') as HeldWhy;
  if (last !== undefined && (record.acceptance === 'pending' || isUnknownRest(last)))
    return { kind: 'create_held', dispatch: last, why };
  return { kind: 'accepted', held };
};

/** Why a consignment that stands so can be neither changed nor cancelled. */
export const refusalOf = (standing: ConsignmentStanding): Refusal | undefined => {
  switch (standing.kind) {
    case 'dispatched':
    case 'cancelled':
    case 'rejected':
      return standing.kind;
    case 'create_held':
      if (standing.why === 'unknown_outcome') return 'create_unknown';
      return standing.why === 'undo_failed' ? 'undo_failed' : undefined;
    case 'busy':
    case 'accepted':
      return undefined;
  }
};
