/** What an attempt came to, committed: done, failed, to be tried again, or known to nobody (§3.5 of the language). */
import { backoffMs } from '../duration.ts';
import type { Problem } from '../failure.ts';
import type { Step } from '../profile/carrier.ts';
import type { CallOutcome } from './call-request.ts';
import { type CallContext, type CallEnd, isSafeToRetry } from './call-context.ts';
import { maskProblem } from './exchange.ts';
import type { CallRecord, Exchange } from './ports.ts';

const UNKNOWN_STEM = 'nobody knows whether the carrier did it';

export const unknown = ({ mask }: CallContext, reason: Problem): CallEnd => {
  const masked = maskProblem(mask, reason);
  return { kind: 'unknown', problem: { ...masked, messages: [...masked.messages, UNKNOWN_STEM] } };
};

/** Commits what an attempt came to. `doubtful`: an earlier attempt may have been carried out. */
export const settle = async (
  context: CallContext,
  step: Step,
  record: CallRecord,
  asked: CallOutcome,
  doubtful: boolean,
): Promise<CallEnd> => {
  switch (asked.kind) {
    case 'held_back':
      return { kind: 'waiting', dueAtMs: context.ports.nowMs() + asked.waitMs, doubtful, problem: asked.problem };
    case 'unbuilt':
      if (asked.as === 'retry') {
        return await retry(context, step, record, asked.problem, { doubtful, askedMs: asked.retryAfterMs });
      }
      // What could not even be asked again says nothing of the first time.
      return doubtful
        ? unknown(context, asked.problem)
        : await fail(context, record, { as: asked.as, problem: asked.problem }, undefined);
    case 'not_sent':
      if (asked.forGood && !doubtful) {
        return await fail(context, record, { as: 'config_error', problem: asked.problem }, asked.exchange);
      }
      return await retry(context, step, record, asked.problem, { doubtful, exchange: asked.exchange });
    case 'ambiguous':
      return await unclear(context, step, record, asked.problem, { exchange: asked.exchange });
    case 'answered':
      break;
  }
  const { verdict, exchange } = asked;
  switch (verdict.word) {
    case 'succeed':
      await context.ports.attemptLog.commit({ ...record, state: 'succeeded', answer: asked.kept }, exchange);
      return { kind: 'succeeded', answer: asked.read.answer, found: undefined };
    case 'retry':
      return await retry(context, step, record, verdict.problem, { doubtful, exchange, askedMs: asked.retryAfterMs });
    case 'refresh_auth':
    case 'config_error':
      // Whom the carrier does not know it tells nothing of the first time either.
      return doubtful
        ? await giveUp(context, record, verdict.problem, exchange)
        : await fail(context, record, { as: 'config_error', problem: verdict.problem }, exchange);
    case 'unknown_outcome':
      return await unclear(context, step, record, verdict.problem, { exchange, askedMs: asked.retryAfterMs });
    case 'reject':
    case 'fail':
      return await fail(context, record, { as: verdict.word, problem: verdict.problem }, exchange);
  }
};

interface Next {
  readonly doubtful: boolean;
  readonly exchange?: Exchange | undefined;
  readonly askedMs?: number | undefined;
}

/** Not done this time. Out of attempts that is a failure, unless an earlier attempt may have been carried out. */
const retry = async (
  context: CallContext,
  step: Step,
  record: CallRecord,
  reason: Problem,
  next: Next,
): Promise<CallEnd> => {
  if (record.attempt < step.retry.attempts) {
    return await wait(context, step, { ...record, state: next.doubtful ? 'unknown' : 'retry' }, reason, next);
  }
  if (!next.doubtful) return await fail(context, record, { as: 'fail', problem: reason }, next.exchange);
  return await giveUp(context, record, reason, next.exchange);
};

/** Nobody knows, and there is nobody left to ask. */
const giveUp = async (
  context: CallContext,
  record: CallRecord,
  reason: Problem,
  exchange: Exchange | undefined,
): Promise<CallEnd> => {
  await commitFailed(context, { ...record, state: 'unknown' }, { as: 'fail', problem: reason }, exchange);
  return unknown(context, reason);
};

const unclear = async (
  context: CallContext,
  step: Step,
  record: CallRecord,
  reason: Problem,
  next: Omit<Next, 'doubtful'>,
): Promise<CallEnd> => {
  if (context.isRead) return await retry(context, step, record, reason, { ...next, doubtful: false });
  const hasRecourse = isSafeToRetry(context, step, record.firstSentAtMs)
    ? record.attempt < step.retry.attempts
    : context.lookUp !== undefined;
  if (!hasRecourse) return await giveUp(context, record, reason, next.exchange);
  return await wait(context, step, { ...record, state: 'unknown' }, reason, { ...next, doubtful: true });
};

/** A `Retry-After` is obeyed so far; whoever asks for more is asked again. */
const LONGEST_ASKED_MS = 86_400_000;

export const wait = async (
  context: CallContext,
  step: Step,
  record: CallRecord,
  reason: Problem,
  next: Next,
): Promise<CallEnd> => {
  const { ports } = context;
  await commitFailed(context, record, { as: 'fail', problem: reason }, next.exchange);
  const isAsked = record.state === 'unknown' && !isSafeToRetry(context, step, record.firstSentAtMs);
  const backoff = (isAsked ? context.lookUp?.backoff : undefined) ?? step.retry;
  const askedMs = Math.min(next.askedMs ?? 0, LONGEST_ASKED_MS);
  const waitMs = backoffMs(backoff, record.attempt, ports.random(), askedMs);
  return {
    kind: 'waiting',
    dueAtMs: ports.nowMs() + waitMs,
    doubtful: next.doubtful,
    problem: maskProblem(context.mask, reason),
  };
};

type Failed = NonNullable<CallRecord['failed']>;

export const fail = async (
  context: CallContext,
  record: CallRecord,
  failed: Failed,
  exchange: Exchange | undefined,
): Promise<CallEnd> => {
  await commitFailed(context, { ...record, state: 'failed' }, failed, exchange);
  return { kind: 'failed', as: failed.as, problem: maskProblem(context.mask, failed.problem) };
};

export const commitFailed = async (
  context: CallContext,
  record: CallRecord,
  failed: Failed,
  exchange: Exchange | undefined,
): Promise<void> => {
  const masked = { as: failed.as, problem: maskProblem(context.mask, failed.problem) };
  await context.ports.attemptLog.commit({ ...record, failed: masked }, exchange);
};
