/** Replies about a consignment, made of the records: what its carrier gave, once its dispatch has ended. */
import type { ConsignmentEntry } from '../../engine/consignment/reply.ts';
import { labelLink } from '../../engine/labels/serve.ts';
import type { LabelEntry, PackageRecord } from '../records/consignments.ts';
import type { Act, Claim } from '../records/idempotency.ts';
import { findReply, type ReplyNames } from '../records/replies.ts';
import type { Refusal } from '../records/standing.ts';
import { noteRecorded, type Progress, yieldTurn } from './admission.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, lasting, success, unprocessable } from './http-answer.ts';

/** How a shipper wants to be answered, and under which claim it asks. */
export interface ReplyOptions {
  /** `Prefer: respond-async`: the rest comes by webhook and GET. */
  readonly isAsync: boolean;
  readonly claim: Claim | undefined;
  readonly progress: Progress;
}

const ASYNC = /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i;

export const prefersAsync = (prefer: string | string[] | undefined): boolean =>
  ASYNC.test([prefer ?? ''].flat().join(','));

/** Waits until the dispatch has ended or it is time to answer; false: it may not have ended. */
export const awaitDispatch = async (
  deps: ApiDeps,
  dispatchId: number | undefined,
  deadlineMs: number,
): Promise<boolean> => {
  if (dispatchId === undefined) return true;
  return await yieldTurn(async () => await deps.waitForDispatch(dispatchId, Math.max(0, deadlineMs - deps.nowMs())));
};

/** Tries in a row where others act on the consignment at the same time. */
const TRIES = 5;

/** While an earlier action on the consignment is under way, waits for its end and then tries again. */
export const afterBusy = async <Accepted extends { readonly kind: string }>(
  deps: ApiDeps,
  deadlineMs: number,
  first: Accepted,
  again: () => Promise<Accepted>,
): Promise<Accepted> => {
  let accepted = first;
  for (let tries = 1; isBusy(accepted) && tries < TRIES; tries += 1) {
    deps.nudge();
    await awaitDispatch(deps, accepted.dispatchId, deadlineMs);
    accepted = await again();
  }
  return accepted;
};

export interface Busy {
  readonly kind: 'busy';
  /** Undefined: there is nothing to wait for any more. */
  readonly dispatchId: number | undefined;
}
const isBusy = <Accepted extends { readonly kind: string }>(accepted: Accepted): accepted is Accepted & Busy =>
  accepted.kind === 'busy';

/**
 * Sends the dispatch on its way and waits for its end, unless the shipper would rather not. Done, here where there is
 * no dispatch: what the carrier gave. Rejected: 422 in the carrier's words. Not answered in time, or held because it
 * failed or nobody knows: 200 with empty `trackingDetails`; what follows comes by webhook and GET.
 */
export const replyAfter = async (
  deps: ApiDeps,
  act: Act,
  { isAsync, progress }: Pick<ReplyOptions, 'isAsync' | 'progress'>,
  names?: ReplyNames,
): Promise<HttpAnswer> => {
  const { dispatchId } = act;
  const withoutTracking = names && lasting(success(entryOf({ ...names, packages: [] }, [], deps)));
  if (withoutTracking !== undefined) noteRecorded(progress, withoutTracking);
  if (dispatchId !== undefined) deps.handOn([dispatchId]);
  const hasEnded = !isAsync && (await awaitDispatch(deps, dispatchId, deps.nowMs() + deps.createWaitMs));
  const answer = hasEnded || withoutTracking === undefined ? await answerOf(deps, act) : withoutTracking;
  return dispatchId !== undefined && isAsync
    ? { ...answer, headers: { 'Preference-Applied': 'respond-async' } }
    : answer;
};

const answerOf = async (deps: ApiDeps, act: Act): Promise<HttpAnswer> => {
  const reply = await findReply(deps.pool, act);
  if (reply === undefined) throw new Error(`consignment ${act.consignmentId} is gone`);
  const { state, operation, failure } = reply;
  if (state === 'rejected') {
    const name = deps.carriers.find(reply.carrierCode)?.name ?? reply.carrierCode;
    const { messages = [] } = failure?.problem ?? {};
    const reasons = messages.length === 0 ? ['the carrier gave no reason'] : messages;
    return lasting(unprocessable(`${name} rejected the ${operation}`, reasons, reply));
  }
  const isDone = state === undefined || state === 'done';
  return lasting(success(entryOf(isDone ? reply : { ...reply, packages: [] }, reply.labels, deps)));
};

/** Why something cannot be done to a consignment, for people. */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  dispatched:
    'The carrier has picked the consignment up: it can no longer be changed or cancelled; use the return flow',
  cancelled: 'The consignment is already cancelled',
  rejected: 'The carrier rejected the consignment',
  create_unknown:
    'Nobody knows whether the carrier has the consignment; retry its dispatch, or wait for a status of it',
  undo_failed: 'A part of the consignment may remain at the carrier and has to be cleared there by an operator first',
  nothing_held: 'Nothing of this consignment waits for a retry',
};

/** 409 with the consignment as it is. */
export const conflictWith = async (
  deps: ApiDeps,
  { id }: { readonly id: number },
  message: string,
  errors?: readonly string[],
): Promise<HttpAnswer> => {
  const reply = await findReply(deps.pool, { consignmentId: id, dispatchId: undefined });
  return conflict(message, reply && entryOf(reply, reply.labels, deps), errors);
};

// The consignment as replies name it ---------------------------------------------------------------------------------

/** Labels that may be asked for: those we have, and those that are fetched when somebody does. */
export const isServed = ({ state }: { readonly state: string }): boolean => state === 'stored' || state === 'pending';

type NamedPackage = Pick<PackageRecord, 'position' | 'reference'> & Partial<Pick<PackageRecord, 'trackingNumber'>>;
type NamedLabel = Pick<LabelEntry, 'id'> & { readonly position?: number | undefined; readonly state: string };

/** With what the carrier gave, package by package. */
export const entryOf = (
  record: ReplyNames & { readonly packages: readonly NamedPackage[] },
  labels: readonly NamedLabel[],
  { carriers, publicUrl }: Pick<ApiDeps, 'carriers' | 'publicUrl'>,
): ConsignmentEntry => {
  const { referenceNumber, orderNumber, consignmentNumber, masterTrackingNumber, carrierCode: code } = record;
  const served = labels.filter(isServed);
  const forAll = served.find(({ position }) => position === undefined);
  const carrierDetails = { name: carriers.find(code)?.name ?? code, code, info: {} };
  const numbered = record.packages.filter((one) => one.trackingNumber !== undefined);
  return {
    referenceNumber,
    orderNumber,
    consignmentNumber,
    ...(masterTrackingNumber === undefined ? {} : { masterTrackingNumber }),
    trackingDetails: numbered.map(({ position, reference, trackingNumber = '' }) => {
      const label = served.find((entry) => entry.position === position) ?? forAll;
      const link = label === undefined ? {} : { label: labelLink(publicUrl, label.id) };
      return { packageId: reference, trackingNumber, ...link, carrierDetails };
    }),
  };
};
