/** Decides and records the result of one attempt: succeeded, failed, to be retried, or unknown. */
import { backoffMs } from '../duration.ts';
import type { Problem } from '../failure.ts';
import type { CallRecord, Exchange, FailedCall, RunOutcome } from './ports.ts';
import type { Call, CallOutcome, RunContext, Success } from './run-context.ts';

export interface Attempt {
  readonly number: number;
  /** Since when it may have been carried out. Milliseconds since 1970. */
  readonly firstSentAtMs: number;
  /** An earlier attempt may have been carried out. */
  readonly isDoubtful: boolean;
  /** Attempts before it that found the carrier away. */
  readonly away?: number | undefined;
  /** When the one that may have been carried out was over; undefined where that is this one. */
  readonly endedAtMs?: number | undefined;
  /** What the carrier answered an earlier one. */
  readonly earlier?: CallRecord['answer'];
}

/** How a call ends, for now or for good: as its run does by it, unless others of the step outweigh it. */
export type CallEnd = ({ readonly kind: 'succeeded' } & Omit<Success, 'call'>) | UnsuccessfulEnd;

/** `isDoubtful`: it waits, and may have been done already. */
export type UnsuccessfulEnd = Exclude<RunOutcome, { kind: 'done' }> & { readonly isDoubtful?: boolean };

export const failedEnd = ({ as, problem }: NonNullable<CallRecord['failed']>): UnsuccessfulEnd =>
  as === 'reject' ? { kind: 'rejected', problem } : { kind: 'held', why: as, problem };

export const unknownEnd = (problem: Problem): UnsuccessfulEnd => failedEnd({ as: 'unknown_outcome', problem });

export const isUnknown = (end: CallEnd): end is UnsuccessfulEnd => end.kind === 'held' && end.why === 'unknown_outcome';

/** Whether the carrier still promises that a repeat does no harm, of what may have been done since then. */
export const isSafeToRetry = ({ ports }: RunContext, { idempotency }: Call, sinceMs: number): boolean =>
  idempotency.by !== 'none' && (idempotency.forMs === undefined || ports.nowMs() < sinceMs + idempotency.forMs);

export const isLastAttempt = ({ step }: Call, { number, away = 0 }: Attempt): boolean =>
  number - away >= step.retry.attempts;

/** For how long its run has waited for a carrier that is away. */
export const awayMs = ({ run, ports }: RunContext): number => ports.nowMs() - (run.awaySinceMs ?? ports.nowMs());

/** For how long a carrier that is away keeps another from being asked: as ever where something was done, or may have been. */
const patienceMs = ({ run, successes }: RunContext, isDoubtful: boolean): number =>
  isDoubtful || successes.some(({ call }) => call.step.method !== 'GET')
    ? Infinity
    : (run.inputs.patienceMs ?? Infinity);

type Recorded = Pick<CallRecord, 'state' | 'answer' | 'found' | 'failed'>;

export const commit = async (
  { ports }: RunContext,
  { scope }: Call,
  { number, firstSentAtMs, earlier }: Attempt,
  recorded: Recorded,
  exchange?: Exchange,
): Promise<void> =>
  await ports.attemptLog.commit(
    { step: scope.step, element: scope.element, attempt: number, firstSentAtMs, answer: earlier, ...recorded },
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
    return { kind: 'succeeded', answer: outcome.answer };
  }
  const end = endOf(context, call, attempt, outcome);
  // Without a request, the record of an earlier attempt in doubt stays as it is.
  const isUntouched = isUnknown(end) && outcome.exchange === undefined && outcome.word !== 'retry';
  const isHeldBack = outcome.word === 'held_back' && end.kind === 'waiting';
  if (!isHeldBack && !isUntouched) await recordEnd(context, call, attempt, end, outcome.exchange);
  return end;
};

export const recordEnd = async (
  context: RunContext,
  call: Call,
  attempt: Attempt,
  end: UnsuccessfulEnd,
  exchange?: Exchange,
): Promise<UnsuccessfulEnd> => {
  const as = end.kind === 'held' ? end.why : end.kind === 'rejected' ? 'reject' : 'fail';
  const away = (attempt.away ?? 0) + Number(end.kind === 'waiting' && end.awaySinceMs !== undefined);
  const { bestEffort } = call.step;
  const state = stateOf(call, end);
  const { endedAtMs = context.ports.nowMs() } = attempt;
  const marks = { ...(state === 'unknown' && { endedAtMs }), ...(bestEffort && { isBorne: true }) };
  const failed = { as, problem: end.problem, ...(away > 0 && { away }), ...marks } as const;
  await commit(context, call, attempt, { state, failed }, exchange);
  return end;
};

const stateOf = ({ step }: Call, end: UnsuccessfulEnd): CallRecord['state'] => {
  if (end.kind === 'waiting') return end.isDoubtful === true ? 'unknown' : 'retry';
  return isUnknown(end) && !step.bestEffort ? 'unknown' : 'failed';
};

const endOf = (context: RunContext, call: Call, attempt: Attempt, outcome: FailedCall): UnsuccessfulEnd => {
  const { isDoubtful } = attempt;
  const { problem } = outcome;
  switch (outcome.word) {
    case 'held_back':
      return heldBack(context, call, attempt, outcome);
    case 'retry':
    case 'unknown_outcome': {
      const isUnclear = outcome.word === 'unknown_outcome' && !call.isRead;
      const { untilMs } = call.step.retry;
      const isAway = outcome.isAway === true && untilMs > 0;
      const mayWait =
        isUnclear && !isSafeToRetry(context, call, attempt.firstSentAtMs)
          ? call.step.lookup !== undefined
          : isAway
            ? awayMs(context) < Math.min(untilMs, patienceMs(context, isDoubtful || isUnclear))
            : !isLastAttempt(call, attempt);
      const next = { ...attempt, isDoubtful: isDoubtful || isUnclear };
      if (mayWait) return putOff(context, call, next, { ...outcome, isAway });
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

/** However many wait for a carrier that is away, they come to ask no more often than this. */
const LONGEST_AWAY_MS = 15 * 60_000;

/** No attempt. Behind a circuit breaker the waits double as well, and end when `retry.until` is over. */
const heldBack = (
  context: RunContext,
  { step }: Call,
  { isDoubtful }: Attempt,
  { problem, waitMs = 0, isAway }: FailedCall,
): UnsuccessfulEnd => {
  const { run, ports } = context;
  const forMs = awayMs(context);
  const leftMs = patienceMs(context, isDoubtful) - forMs;
  if (isAway === true && (forMs > step.retry.untilMs || leftMs <= 0))
    return isDoubtful ? unknownEnd(problem) : failedEnd({ as: 'fail', problem });
  const afterMs =
    isAway === true
      ? Math.min(leftMs, backoffMs({ waitMs: forMs, maxMs: LONGEST_AWAY_MS }, 1, ports.random(), waitMs))
      : waitMs;
  const awaySinceMs = isAway === true ? ports.nowMs() - forMs : run.awaySinceMs;
  return { kind: 'waiting', dueAtMs: ports.nowMs() + afterMs, isDoubtful, problem, awaySinceMs };
};

/** A longer `Retry-After` is cut: the carrier is asked again. */
const LONGEST_ASKED_MS = 86_400_000;

export const putOff = (
  context: RunContext,
  call: Call,
  { number, firstSentAtMs, isDoubtful }: Attempt,
  { problem, waitMs = 0, isAway }: Pick<FailedCall, 'problem' | 'waitMs' | 'isAway'>,
): UnsuccessfulEnd => {
  const { nowMs, random } = context.ports;
  const isLookedUp = isDoubtful && !isSafeToRetry(context, call, firstSentAtMs);
  const backoff = (isLookedUp ? call.step.lookup?.steps[0].retry : undefined) ?? call.step.retry;
  const afterMs = backoffMs(backoff, number, random(), Math.min(waitMs, LONGEST_ASKED_MS));
  const awaySinceMs = isAway === true ? nowMs() - awayMs(context) : undefined;
  const atMostMs = isAway === true ? patienceMs(context, isDoubtful) - awayMs(context) : Infinity;
  return { kind: 'waiting', dueAtMs: nowMs() + Math.min(afterMs, atMostMs), isDoubtful, problem, awaySinceMs };
};
