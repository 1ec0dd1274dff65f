/** Replies about a consignment, made of the records: what its carrier gave, once its dispatch has ended. */
import type { Warning } from '../../engine/consignment/reply.ts';
import { findMoved } from '../records/accept-change.ts';
import { findActedUpon, type ShownConsignment } from '../records/consignments.ts';
import { type CodeOf, UNUSABLE_VALUE } from '../../engine/error-codes.ts';
import type { Problem } from '../../engine/failure.ts';
import type { RequestAct, Claim } from '../records/idempotency.ts';
import type { Refusal } from '../records/standing.ts';
import { type Progress, yieldTurn } from './admission.ts';
import { entryOf, type Named } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, lasting, success, unprocessable } from './http-answer.ts';

/** How a shipper wants to be answered, and under which claim it asks. */
export interface ReplyOptions {
  /** `Prefer: respond-async`: the rest comes by webhook and GET. */
  readonly isAsync: boolean;
  readonly claim: Claim | undefined;
  readonly trace?: string | undefined;
  readonly progress: Progress;
  /** What its reply says beside what the records show. */
  readonly warnings?: readonly Warning[];
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
 * no dispatch: what the carrier gave. Rejected: 422 in the carrier's words. Not answered in time, waiting for its next
 * try, or held: 200 with empty `trackingDetails` and the reason; what follows comes by webhook and GET.
 */
export const replyAfter = async (
  deps: ApiDeps,
  act: RequestAct,
  { isAsync, progress, warnings = [] }: Omit<ReplyOptions, 'claim'>,
  named?: Named,
  deadlineMs = deps.nowMs() + deps.createWaitMs,
): Promise<HttpAnswer> => {
  const { dispatchId } = act;
  const pending = named && lasting(success(entryOf({ ...named, stands: { acceptance: 'pending' } }, deps, warnings)));
  if (pending !== undefined) progress.recorded = pending;
  if (dispatchId !== undefined) deps.handOn([dispatchId], named?.carrierCode);
  // Where nobody waits, there is nothing to be read yet.
  const isAwaited = dispatchId === undefined || (!isAsync && deadlineMs > deps.nowMs());
  if (isAwaited) await awaitDispatch(deps, dispatchId, deadlineMs);
  const answer = isAwaited || pending === undefined ? await answerOf(deps, act, warnings, deadlineMs) : pending;
  return dispatchId !== undefined && isAsync
    ? { ...answer, headers: { 'Preference-Applied': 'respond-async' } }
    : answer;
};

const answerOf = async (
  deps: ApiDeps,
  act: RequestAct,
  warnings: readonly Warning[],
  deadlineMs: number,
): Promise<HttpAnswer> => {
  const record = await findActedUpon(deps.pool, act);
  if (record === undefined || (act.dispatchId !== undefined && record.dispatch === undefined))
    throw new Error(`consignment ${act.consignmentId} is gone`);
  const { operation, state = 'done', failure } = record.dispatch ?? {};
  // Its carrier has certainly nothing of it: the next that a policy chose is asked, or may have it by now.
  const isPassedOn = operation === 'create' && record.choice !== undefined;
  const next =
    isPassedOn && (state === 'rejected' || state === 'cancelled')
      ? await findMoved(deps.pool, act.consignmentId, act.dispatchId)
      : undefined;
  if (next !== undefined) {
    deps.handOn([next]);
    await awaitDispatch(deps, next, deadlineMs);
    return await answerOf(deps, { ...act, dispatchId: next }, warnings, deadlineMs);
  }
  const { policy, tried = [] } = record.choice ?? {};
  if (state === 'rejected' && operation === 'create' && tried.length > 1) {
    const findings = tried.flatMap(({ carrier, messages, ...why }) =>
      refusalOf({ ...why, messages: messages.map((message) => `${carrier}: ${message}`) }),
    );
    return lasting(
      unprocessable(`None of the carriers of policy ${policy} took it`, findings, record, 'carrier_rejected'),
    );
  }
  if (state === 'rejected') {
    const name = deps.carriers.find(record.carrierCode)?.name ?? record.carrierCode;
    const refused =
      failure?.problem.code === 'rejected_by_profile'
        ? `The ${operation} is not possible with ${name}`
        : `${name} rejected the ${operation}`;
    const [said, code] =
      failure?.problem.code !== UNUSABLE_VALUE
        ? ([refused, 'carrier_rejected'] as const)
        : ([`The ${operation} holds what cannot be sent to ${name}`, UNUSABLE_VALUE] as const);
    return lasting(unprocessable(said, refusalOf(failure?.problem), record, code));
  }
  return lasting(success(entryOf(record, deps, warnings)));
};

/** What a carrier or its profile said, one by one, each with its code; of a value, with the shipper's field. */
export const refusalOf = ({ code = 'carrier_rejected', messages = [], fields = [] }: Partial<Problem> = {}) =>
  (messages.length === 0 ? ['the carrier gave no reason'] : messages).map((message, at) => ({
    code,
    message,
    path: fields[at] ?? '',
  }));

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
export const conflictWith = (
  deps: ApiDeps,
  record: ShownConsignment,
  code: CodeOf<409>,
  message: string,
  errors?: readonly string[],
): HttpAnswer => conflict(message, code, entryOf(record, deps), errors);
