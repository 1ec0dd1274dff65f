/** The reply to a create, update or retry, made of the records once its dispatch has ended or the time is up. */
import { successReply } from '../../engine/consignment/reply.ts';
import { findConsignmentById } from '../records/consignments.ts';
import type { Claim } from '../records/idempotency.ts';
import { findDispatch } from '../records/dispatches.ts';
import { currentEntry, entryOf } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, lasting, ok, unprocessable } from './http-answer.ts';

/** How a shipper wants to be answered. */
export interface Manner {
  /** `Prefer: respond-async`: the rest comes by webhook and GET. */
  readonly isAsync: boolean;
}

/** And under which claim it asks. */
export interface Keyed extends Manner {
  readonly claim: Claim | undefined;
}

const ASYNC = /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i;

export const mannerOf = (prefer: string | string[] | undefined): Manner => ({
  isAsync: ASYNC.test([prefer ?? ''].flat().join(',')),
});

export interface Underway {
  readonly consignmentId: number;
  /** Undefined: it is done, here. */
  readonly dispatchId: number | undefined;
}

/** Sends the dispatch on its way and waits for its end, unless the shipper would rather not. */
export const replyAfter = async (deps: ApiDeps, underway: Underway, { isAsync }: Manner): Promise<HttpAnswer> => {
  const { consignmentId, dispatchId } = underway;
  if (dispatchId === undefined) return lasting(await replyNow(deps, consignmentId));
  deps.nudge();
  if (!isAsync) await deps.waitForDispatch(dispatchId, deps.createWaitMs);
  const answer = lasting(await replyOf(deps, consignmentId, dispatchId));
  return isAsync ? { ...answer, headers: { ...answer.headers, 'Preference-Applied': 'respond-async' } } : answer;
};

const replyNow = async (deps: ApiDeps, consignmentId: number): Promise<HttpAnswer> => {
  const record = await findConsignmentById(deps.pool, consignmentId);
  if (record === undefined) throw new Error(`consignment ${consignmentId} is gone`);
  return ok(successReply([await currentEntry(deps, record)], deps.nowMs()));
};

/**
 * Done: what the carrier gave. Rejected: 422 in the carrier's words. Not answered in time, or held because it failed or
 * nobody knows: 200 with empty `trackingDetails`; what follows comes by webhook and GET.
 */
const replyOf = async (deps: ApiDeps, consignmentId: number, dispatchId: number): Promise<HttpAnswer> => {
  const dispatch = await findDispatch(deps.pool, dispatchId);
  const record = await findConsignmentById(deps.pool, consignmentId);
  if (dispatch === undefined || record === undefined) throw new Error(`dispatch ${dispatchId} is gone`);
  if (dispatch.state === 'rejected') {
    const name = deps.carriers.find(record.carrierCode)?.name ?? record.carrierCode;
    return unprocessable(deps.nowMs(), `${name} rejected the ${dispatch.operation}`, messagesOf(dispatch), record);
  }
  const entry = dispatch.state === 'done' ? await currentEntry(deps, record) : entryOf(record, []);
  return ok(successReply([entry], deps.nowMs()));
};

const messagesOf = ({ failure }: { failure?: { problem: { messages: readonly string[] } } | undefined }) =>
  failure === undefined || failure.problem.messages.length === 0
    ? ['the carrier gave no reason']
    : failure.problem.messages;
