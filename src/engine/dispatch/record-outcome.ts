/** What one attempt of a call came to, decided and committed: done, failed, to be tried again, or unknown. */
import { backoffMs } from '../duration.ts';
import type { Problem } from '../failure.ts';
import type { Answer } from './answer.ts';
import type { CallRecord, Exchange, FailedCall, RunOutcome } from './ports.ts';
import type { Call, CallOutcome, RunContext } from './run-context.ts';

export interface Attempt {
  readonly number: number;
  /** Since when it may have been carried out. Milliseconds since 1970. */
  readonly firstSentAtMs: number;
  /** An earlier attempt may have been carried out. */
  readonly isDoubtful: boolean;
}

/** How a call ends, for now or for good: as its run does by it, unless others of the step outweigh it. */
export type CallEnd =
  | { readonly kind: 'succeeded'; readonly answer: Answer | undefined; readonly found: unknown }
  | UnsuccessfulEnd;

/** `isDoubtful`: it waits, and may have been done already. */
export type UnsuccessfulEnd = Exclude<RunOutcome, { kind: 'done' }> & { readonly isDoubtful?: boolean };

export const failedEnd = ({ as, problem }: NonNullable<CallRecord['failed']>): UnsuccessfulEnd =>
  as === 'reject' ? { kind: 'rejected', problem } : { kind: 'held', why: as, problem };

export const unknownEnd = (problem: Problem): UnsuccessfulEnd => ({ kind: 'held', why: 'unknown_outcome', problem });

export const isUnknown = (end: CallEnd): boolean => end.kind === 'held' && end.why === 'unknown_outcome';

/** Whether the carrier still promises that a repeat does no harm, of what may have been done since then. */
export const isSafeToRetry = ({ ports }: RunContext, { idempotency }: Call, sinceMs: number): boolean =>
  idempotency.by !== 'none' && (idempotency.forMs === undefined || ports.nowMs() < sinceMs + idempotency.forMs);

export const isLastAttempt = ({ step }: Call, attempt: number): boolean => attempt >= step.retry.attempts;

type Recorded = Pick<CallRecord, 'state' | 'answer' | 'found' | 'failed'>;

export const commit = async (
  { ports }: RunContext,
  { scope }: Call,
  { number, firstSentAtMs }: Attempt,
  recorded: Recorded,
  exchange?: Exchange,
): Promise<void> =>
  await ports.attemptLog.commit(
    { step: scope.step, element: scope.element, attempt: number, firstSentAtMs, ...recorded },
    exchange,
  );

export const recordOutcome = async (
  context: RunContext,
  call: Call,
  attempt: Attempt,
  outcome: CallOutcome,
): Promise<CallEnd> => {
  if (outcome.word === 'succeed') {
    await commit(context, call, attempt, { state: 'succeeded', answer: outcome.raw }, outcome.exchange);
    return { kind: 'succeeded', answer: outcome.answer, found: undefined };
  }
  const end = endOf(context, call, attempt, outcome);
  // Without a request, the record of an earlier attempt in doubt stays as it is.
  const isUntouched = isUnknown(end) && outcome.exchange === undefined && outcome.word !== 'retry';
  if (outcome.word !== 'held_back' && !isUntouched) await recordEnd(context, call, attempt, end, outcome.exchange);
  return end;
};

export const recordEnd = async (
  context: RunContext,
  call: Call,
  attempt: Attempt,
  end: UnsuccessfulEnd,
  exchange?: Exchange,
): Promise<UnsuccessfulEnd> => {
  const isMisconfigured = end.kind === 'held' && end.why === 'config_error';
  const as = end.kind === 'rejected' ? 'reject' : isMisconfigured ? 'config_error' : 'fail';
  await commit(context, call, attempt, { state: stateOf(end), failed: { as, problem: end.problem } }, exchange);
  return end;
};

const stateOf = (end: UnsuccessfulEnd): CallRecord['state'] => {
  if (end.kind === 'waiting') return end.isDoubtful === true ? 'unknown' : 'retry';
  return isUnknown(end) ? 'unknown' : 'failed';
};

const endOf = (context: RunContext, call: Call, attempt: Attempt, outcome: FailedCall): UnsuccessfulEnd => {
  const { isDoubtful } = attempt;
  const { problem } = outcome;
  switch (outcome.word) {
    case 'held_back':
      return { kind: 'waiting', dueAtMs: context.ports.nowMs() + (outcome.waitMs ?? 0), isDoubtful, problem };
    case 'retry':
    case 'unknown_outcome': {
      const isUnclear = outcome.word === 'unknown_outcome' && !call.isRead;
      const mayWait =
        isUnclear && !isSafeToRetry(context, call, attempt.firstSentAtMs)
          ? call.lookUp !== undefined
          : !isLastAttempt(call, attempt.number);
      if (mayWait) return putOff(context, call, { ...attempt, isDoubtful: isDoubtful || isUnclear }, outcome);
      return isDoubtful || isUnclear ? unknownEnd(problem) : failedEnd({ as: 'fail', problem });
    }
    case 'reject':
    case 'fail':
    case 'config_error':
    case 'refresh_auth': {
      const as = outcome.word === 'refresh_auth' ? 'config_error' : outcome.word;
      // What did not reach the carrier says nothing of an earlier attempt, nor does a carrier that does not know us.
      const saysNothing = outcome.exchange === undefined || as === 'config_error';
      return isDoubtful && saysNothing ? unknownEnd(problem) : failedEnd({ as, problem });
    }
  }
};

/** A longer `Retry-After` is cut: the carrier is asked again. */
const LONGEST_ASKED_MS = 86_400_000;

export const putOff = (
  context: RunContext,
  call: Call,
  { number, firstSentAtMs, isDoubtful }: Attempt,
  { problem, waitMs = 0 }: Pick<FailedCall, 'problem' | 'waitMs'>,
): UnsuccessfulEnd => {
  const { nowMs, random } = context.ports;
  const isLookedUp = isDoubtful && !isSafeToRetry(context, call, firstSentAtMs);
  const backoff = (isLookedUp ? call.lookUp?.backoff : undefined) ?? call.step.retry;
  const afterMs = backoffMs(backoff, number, random(), Math.min(waitMs, LONGEST_ASKED_MS));
  return { kind: 'waiting', dueAtMs: nowMs() + afterMs, isDoubtful, problem };
};
