/** What one try of a call came to, committed: done, failed, to be tried again, or known to nobody. */
import { backoffMs } from '../duration.ts';
import type { Problem } from '../failure.ts';
import type { Answer } from './answer.ts';
import type { CallRecord, Exchange } from './ports.ts';
import type { Call, CallOutcome, RunContext, UnsuccessfulCall } from './run-context.ts';

/** One try of a call. */
export interface Attempt {
  readonly number: number;
  /** Since when it may have been carried out. Milliseconds since 1970. */
  readonly firstSentAtMs: number;
  /** An earlier try may have been carried out. */
  readonly isDoubtful: boolean;
}

/** How a call ends, for now or for good. */
export type CallEnd =
  | { readonly kind: 'succeeded'; readonly answer: Answer | undefined; readonly found: unknown }
  /** Not done, for good. */
  | { readonly kind: 'failed'; readonly as: 'reject' | 'fail' | 'config_error'; readonly problem: Problem }
  /** To be gone on with later; `isDoubtful`: it may have been done already. */
  | { readonly kind: 'waiting'; readonly dueAtMs: number; readonly isDoubtful: boolean; readonly problem: Problem }
  /** Nobody knows, and there is no way to find out. */
  | { readonly kind: 'unknown'; readonly problem: Problem };

const UNKNOWN_STEM = 'nobody knows whether the carrier did it';

export const unknown = (reason: Problem): CallEnd => ({
  kind: 'unknown',
  problem: { ...reason, messages: [...reason.messages, UNKNOWN_STEM] },
});

/** Whether the carrier still promises that a repeat does no harm, of what may have been done since then. */
export const isSafeToRetry = ({ ports }: RunContext, { idempotency }: Call, sinceMs: number): boolean =>
  idempotency.by !== 'none' && (idempotency.forMs === undefined || ports.nowMs() < sinceMs + idempotency.forMs);

export const isLastAttempt = ({ step }: Call, attempt: number): boolean => attempt >= step.retry.attempts;

export const commit = async (
  { ports }: RunContext,
  { scope }: Call,
  { number, firstSentAtMs }: Pick<Attempt, 'number' | 'firstSentAtMs'>,
  ended: Pick<CallRecord, 'state' | 'answer' | 'found' | 'failed'>,
  exchange?: Exchange,
): Promise<void> =>
  await ports.attemptLog.commit(
    { step: scope.step, element: scope.element, attempt: number, firstSentAtMs, ...ended },
    exchange,
  );

export const recordOutcome = async (
  context: RunContext,
  call: Call,
  attempt: Attempt,
  outcome: CallOutcome,
): Promise<CallEnd> => {
  switch (outcome.word) {
    case 'succeed':
      await commit(context, call, attempt, { state: 'succeeded', answer: outcome.raw }, outcome.exchange);
      return { kind: 'succeeded', answer: outcome.answer, found: undefined };
    case 'held_back': {
      const dueAtMs = context.ports.nowMs() + outcome.waitMs;
      return { kind: 'waiting', dueAtMs, isDoubtful: attempt.isDoubtful, problem: outcome.problem };
    }
    case 'retry':
      return await retryLater(context, call, attempt, outcome);
    case 'unknown_outcome': {
      if (call.isRead) return await retryLater(context, call, { ...attempt, isDoubtful: false }, outcome);
      const canResolve = isSafeToRetry(context, call, attempt.firstSentAtMs)
        ? !isLastAttempt(call, attempt.number)
        : call.lookUp !== undefined;
      return canResolve
        ? await putOff(context, call, { ...attempt, isDoubtful: true }, outcome)
        : await giveUp(context, call, attempt, outcome);
    }
    case 'reject':
    case 'fail':
    case 'config_error':
    case 'refresh_auth': {
      const as = outcome.word === 'refresh_auth' ? 'config_error' : outcome.word;
      if (attempt.isDoubtful) {
        // What could not even be asked again says nothing of the first try, nor does a carrier that does not know us.
        if (outcome.exchange === undefined) return unknown(outcome.problem);
        if (as === 'config_error') return await giveUp(context, call, attempt, outcome);
      }
      return await fail(context, call, attempt, { as, problem: outcome.problem }, outcome.exchange);
    }
  }
};

type Unsuccessful = Exclude<UnsuccessfulCall, { word: 'held_back' }>;
type Reason = Pick<Unsuccessful, 'problem' | 'exchange' | 'retryAfterMs'>;

/** Not done this time. Out of attempts that is a failure, unless an earlier attempt may have been carried out. */
const retryLater = async (context: RunContext, call: Call, attempt: Attempt, outcome: Reason): Promise<CallEnd> => {
  if (!isLastAttempt(call, attempt.number)) return await putOff(context, call, attempt, outcome);
  if (attempt.isDoubtful) return await giveUp(context, call, attempt, outcome);
  return await fail(context, call, attempt, { as: 'fail', problem: outcome.problem }, outcome.exchange);
};

/** Nobody knows, and there is nobody left to ask. */
const giveUp = async (
  context: RunContext,
  call: Call,
  attempt: Attempt,
  { problem, exchange }: Reason,
): Promise<CallEnd> => {
  await commit(context, call, attempt, { state: 'unknown', failed: { as: 'fail', problem } }, exchange);
  return unknown(problem);
};

/** A `Retry-After` is obeyed so far; whoever asks for more is asked again. */
const LONGEST_ASKED_MS = 86_400_000;

export const putOff = async (
  context: RunContext,
  call: Call,
  attempt: Attempt,
  { problem, exchange, retryAfterMs = 0 }: Reason,
): Promise<CallEnd> => {
  const { ports } = context;
  const { isDoubtful } = attempt;
  const state = isDoubtful ? 'unknown' : 'retry';
  await commit(context, call, attempt, { state, failed: { as: 'fail', problem } }, exchange);
  const isLookedUp = isDoubtful && !isSafeToRetry(context, call, attempt.firstSentAtMs);
  const backoff = (isLookedUp ? call.lookUp?.backoff : undefined) ?? call.step.retry;
  const waitMs = backoffMs(backoff, attempt.number, ports.random(), Math.min(retryAfterMs, LONGEST_ASKED_MS));
  return { kind: 'waiting', dueAtMs: ports.nowMs() + waitMs, isDoubtful, problem };
};

export const fail = async (
  context: RunContext,
  call: Call,
  attempt: Pick<Attempt, 'number' | 'firstSentAtMs'>,
  failed: NonNullable<CallRecord['failed']>,
  exchange?: Exchange,
): Promise<CallEnd> => {
  await commit(context, call, attempt, { state: 'failed', failed }, exchange);
  return { kind: 'failed', ...failed };
};
