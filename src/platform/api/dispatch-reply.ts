/** Replies about a consignment, made of the records: what its carrier gave, once its dispatch has ended. */
import type { ConsignmentEntry, TrackingDetail } from '../../engine/consignment/reply.ts';
import { labelLink } from '../../engine/labels/serve.ts';
import { type ConsignmentRecord, findConsignmentById } from '../records/consignments.ts';
import { findDispatch } from '../records/dispatches.ts';
import type { Claim } from '../records/idempotency.ts';
import { type LabelEntry, listLabels } from '../records/labels.ts';
import type { Refusal } from '../records/orders.ts';
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

export interface Underway {
  readonly consignmentId: number;
  /** Undefined: it is done, here. */
  readonly dispatchId: number | undefined;
}

/**
 * Sends the dispatch on its way and waits for its end, unless the shipper would rather not. Done: what the carrier gave.
 * Rejected: 422 in the carrier's words. Not answered in time, or held because it failed or nobody knows: 200 with empty
 * `trackingDetails`; what follows comes by webhook and GET.
 */
export const replyAfter = async (
  deps: ApiDeps,
  { consignmentId, dispatchId }: Underway,
  { isAsync }: Pick<ReplyOptions, 'isAsync'>,
): Promise<HttpAnswer> => {
  if (dispatchId !== undefined) {
    deps.nudge();
    if (!isAsync) await deps.waitForDispatch(dispatchId, deps.createWaitMs);
  }
  const dispatch = dispatchId === undefined ? undefined : await findDispatch(deps.pool, dispatchId);
  const record = await findConsignmentById(deps.pool, consignmentId);
  if (record === undefined || (dispatchId !== undefined && dispatch === undefined))
    throw new Error(`consignment ${consignmentId} is gone`);
  const headers = dispatch !== undefined && isAsync ? { 'Preference-Applied': 'respond-async' } : undefined;
  const answer = await answerOf(deps, record, dispatch);
  return lasting(headers === undefined ? answer : { ...answer, headers });
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
  return success(isDone ? await currentEntry(deps, record) : entryOf(record, []));
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

/** What the carrier gave, package by package; empty while it gave nothing. */
export const trackingDetailsOf = (
  record: ConsignmentRecord,
  labels: readonly LabelEntry[],
  { carriers, publicUrl }: Pick<ApiDeps, 'carriers' | 'publicUrl'>,
): TrackingDetail[] => {
  const served = labels.filter(isServed);
  const forAll = served.find(({ position }) => position === undefined);
  const name = carriers.find(record.carrierCode)?.name ?? record.carrierCode;
  return record.packages.flatMap(({ position, reference, trackingNumber }) => {
    if (trackingNumber === undefined) return [];
    const label = served.find((entry) => entry.position === position) ?? forAll;
    return [
      {
        packageId: reference,
        trackingNumber,
        ...(label === undefined ? {} : { label: labelLink(publicUrl, label.id) }),
        carrierDetails: { name, code: record.carrierCode, info: {} },
      },
    ];
  });
};

export const entryOf = (record: ConsignmentRecord, trackingDetails: TrackingDetail[]): ConsignmentEntry => ({
  referenceNumber: record.referenceNumber,
  orderNumber: record.orderNumber,
  consignmentNumber: record.consignmentNumber,
  ...(record.masterTrackingNumber === undefined ? {} : { masterTrackingNumber: record.masterTrackingNumber }),
  trackingDetails,
});

const currentEntry = async (deps: ApiDeps, record: ConsignmentRecord): Promise<ConsignmentEntry> =>
  entryOf(record, trackingDetailsOf(record, await listLabels(deps.pool, record.id), deps));
