/** What an attempt came to, committed: done, failed, to be tried again, or known to nobody (§3.5 of the language). */
import { backoffMs } from '../domain/retry.ts';
import type { Trouble } from '../domain/trouble.ts';
import type { Step } from '../profile/carrier.ts';
import type { Asked } from './asking.ts';
import { type CallContext, type CallEnd, promiseHolds } from './call-context.ts';
import { maskTrouble } from './exchange.ts';
import type { CallRecord, Exchange } from './ports.ts';

const UNKNOWN_STEM = 'nobody knows whether the carrier did it';

export const unknown = ({ mask }: CallContext, reason: Trouble): CallEnd => {
  const masked = maskTrouble(mask, reason);
  return { kind: 'unknown', trouble: { ...masked, messages: [...masked.messages, UNKNOWN_STEM] } };
};

/** Commits what an attempt came to. `doubtful`: an earlier attempt may have been carried out. */
export const settle = async (
  context: CallContext,
  step: Step,
  record: CallRecord,
  asked: Asked,
  doubtful: boolean,
): Promise<CallEnd> => {
  switch (asked.kind) {
    case 'held_back':
      return { kind: 'waiting', dueAtMs: context.ports.nowMs() + asked.waitMs, doubtful, trouble: asked.trouble };
    case 'unbuilt':
      if (asked.as === 'retry') {
        return await retry(context, step, record, asked.trouble, { doubtful, askedMs: asked.retryAfterMs });
      }
      // What could not even be asked again says nothing of the first time.
      return doubtful
        ? unknown(context, asked.trouble)
        : await fail(context, record, { as: asked.as, trouble: asked.trouble }, undefined);
    case 'not_sent':
      if (asked.forGood && !doubtful) {
        return await fail(context, record, { as: 'config_error', trouble: asked.trouble }, asked.exchange);
      }
      return await retry(context, step, record, asked.trouble, { doubtful, exchange: asked.exchange });
    case 'ambiguous':
      return await unclear(context, step, record, asked.trouble, { exchange: asked.exchange });
    case 'answered':
      break;
  }
  const { verdict, exchange } = asked;
  switch (verdict.word) {
    case 'succeed':
      await context.ports.ledger.commit({ ...record, state: 'succeeded', answer: asked.kept }, exchange);
      return { kind: 'succeeded', answer: asked.read.answer, found: undefined };
    case 'retry':
      return await retry(context, step, record, verdict.trouble, { doubtful, exchange, askedMs: asked.retryAfterMs });
    case 'refresh_auth':
    case 'config_error':
      // Whom the carrier does not know it tells nothing of the first time either.
      return doubtful
        ? await giveUp(context, record, verdict.trouble, exchange)
        : await fail(context, record, { as: 'config_error', trouble: verdict.trouble }, exchange);
    case 'unknown_outcome':
      return await unclear(context, step, record, verdict.trouble, { exchange, askedMs: asked.retryAfterMs });
    case 'reject':
    case 'fail':
      return await fail(context, record, { as: verdict.word, trouble: verdict.trouble }, exchange);
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
  reason: Trouble,
  next: Next,
): Promise<CallEnd> => {
  if (record.attempt < step.retry.attempts) {
    return await wait(context, step, { ...record, state: next.doubtful ? 'unknown' : 'retry' }, reason, next);
  }
  if (!next.doubtful) return await fail(context, record, { as: 'fail', trouble: reason }, next.exchange);
  return await giveUp(context, record, reason, next.exchange);
};

/** Nobody knows, and there is nobody left to ask. */
const giveUp = async (
  context: CallContext,
  record: CallRecord,
  reason: Trouble,
  exchange: Exchange | undefined,
): Promise<CallEnd> => {
  await commitFailed(context, { ...record, state: 'unknown' }, { as: 'fail', trouble: reason }, exchange);
  return unknown(context, reason);
};

const unclear = async (
  context: CallContext,
  step: Step,
  record: CallRecord,
  reason: Trouble,
  next: Omit<Next, 'doubtful'>,
): Promise<CallEnd> => {
  if (context.isRead) return await retry(context, step, record, reason, { ...next, doubtful: false });
  const hasRecourse = promiseHolds(context, step, record.firstSentAtMs)
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
  reason: Trouble,
  next: Next,
): Promise<CallEnd> => {
  const { ports } = context;
  await commitFailed(context, record, { as: 'fail', trouble: reason }, next.exchange);
  const isAsked = record.state === 'unknown' && !promiseHolds(context, step, record.firstSentAtMs);
  const backoff = (isAsked ? context.lookUp?.backoff : undefined) ?? step.retry;
  const askedMs = Math.min(next.askedMs ?? 0, LONGEST_ASKED_MS);
  const waitMs = backoffMs(backoff, record.attempt, ports.random(), askedMs);
  return {
    kind: 'waiting',
    dueAtMs: ports.nowMs() + waitMs,
    doubtful: next.doubtful,
    trouble: maskTrouble(context.mask, reason),
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
  return { kind: 'failed', as: failed.as, trouble: maskTrouble(context.mask, failed.trouble) };
};

export const commitFailed = async (
  context: CallContext,
  record: CallRecord,
  failed: Failed,
  exchange: Exchange | undefined,
): Promise<void> => {
  const masked = { as: failed.as, trouble: maskTrouble(context.mask, failed.trouble) };
  await context.ports.ledger.commit({ ...record, failed: masked }, exchange);
};
