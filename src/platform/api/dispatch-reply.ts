/** Replies about a consignment, made of the records: what its carrier gave, once its dispatch has ended. */
import type { ConsignmentEntry } from '../../engine/consignment/reply.ts';
import { labelLink } from '../../engine/labels/serve.ts';
import { type ConsignmentRecord, findConsignmentById } from '../records/consignments.ts';
import { findDispatch } from '../records/dispatches.ts';
import type { Act, Claim } from '../records/idempotency.ts';
import { type LabelEntry, listLabels } from '../records/labels.ts';
import type { Refusal } from '../records/standing.ts';
import { yieldTurn } from './admission.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, lasting, success, unprocessable } from './http-answer.ts';

/** How a shipper wants to be answered, and under which claim it asks. */
export interface ReplyOptions {
  /** `Prefer: respond-async`: the rest comes by webhook and GET. */
  readonly isAsync: boolean;
  readonly claim: Claim | undefined;
}

const ASYNC = /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i;

export const prefersAsync = (prefer: string | string[] | undefined): boolean =>
  ASYNC.test([prefer ?? ''].flat().join(','));

/** Waits until the dispatch has ended or it is time to answer. */
export const awaitDispatch = async (
  deps: ApiDeps,
  dispatchId: number | undefined,
  deadlineMs: number,
): Promise<void> => {
  if (dispatchId === undefined) return;
  await yieldTurn(async () => await deps.waitForDispatch(dispatchId, Math.max(0, deadlineMs - deps.nowMs())));
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
  { consignmentId, dispatchId }: Act,
  { isAsync }: Pick<ReplyOptions, 'isAsync'>,
): Promise<HttpAnswer> => {
  if (dispatchId !== undefined) deps.nudge();
  if (!isAsync) await awaitDispatch(deps, dispatchId, deps.nowMs() + deps.createWaitMs);
  const dispatch = dispatchId === undefined ? undefined : await findDispatch(deps.pool, dispatchId);
  const record = await findConsignmentById(deps.pool, consignmentId);
  if (record === undefined || (dispatchId !== undefined && dispatch === undefined))
    throw new Error(`consignment ${consignmentId} is gone`);
  const answer = lasting(await answerOf(deps, record, dispatch));
  return dispatch !== undefined && isAsync ? { ...answer, headers: { 'Preference-Applied': 'respond-async' } } : answer;
};

const answerOf = async (
  deps: ApiDeps,
  record: ConsignmentRecord,
  dispatch: Awaited<ReturnType<typeof findDispatch>>,
): Promise<HttpAnswer> => {
  if (dispatch?.state === 'rejected') {
    const name = deps.carriers.find(record.carrierCode)?.name ?? record.carrierCode;
    const { messages = [] } = dispatch.failure?.problem ?? {};
    const reasons = messages.length === 0 ? ['the carrier gave no reason'] : messages;
    return unprocessable(`${name} rejected the ${dispatch.operation}`, reasons, record);
  }
  const isDone = dispatch === undefined || dispatch.state === 'done';
  return success(isDone ? await currentEntry(deps, record) : entryOf(record, undefined, deps));
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
  record: ConsignmentRecord,
  message: string,
  errors?: readonly string[],
): Promise<HttpAnswer> => conflict(message, await currentEntry(deps, record), errors);

// The consignment as replies name it ---------------------------------------------------------------------------------

/** Labels that may be asked for: those we have, and those that are fetched when somebody does. */
export const isServed = ({ state }: LabelEntry): boolean => state === 'stored' || state === 'pending';

/** With what the carrier gave, package by package: nothing where no labels are handed in. */
export const entryOf = (
  record: ConsignmentRecord,
  labels: readonly LabelEntry[] | undefined,
  { carriers, publicUrl }: Pick<ApiDeps, 'carriers' | 'publicUrl'>,
): ConsignmentEntry => {
  const { referenceNumber, orderNumber, consignmentNumber, masterTrackingNumber, carrierCode: code } = record;
  const served = labels?.filter(isServed) ?? [];
  const forAll = served.find(({ position }) => position === undefined);
  const carrierDetails = { name: carriers.find(code)?.name ?? code, code, info: {} };
  const numbered = labels === undefined ? [] : record.packages.filter((one) => one.trackingNumber !== undefined);
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

const currentEntry = async (deps: ApiDeps, record: ConsignmentRecord): Promise<ConsignmentEntry> =>
  entryOf(record, await listLabels(deps.pool, record.id), deps);
