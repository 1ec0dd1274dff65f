/** One call of a run as the attempt log knows it: read back, asked, repeated or given up (§3.2 and §3.5 of the language). */
import { type Problem, problem } from '../failure.ts';
import type { Roots } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import { readAnswer } from './answer.ts';
import { ask } from './ask.ts';
import type { CallOutcome } from './call-request.ts';
import { type CallContext, type CallEnd, isSafeToRetry, promiseOf } from './call-context.ts';
import type { CallRecord, Ports } from './ports.ts';
import type { CallScope } from './scope.ts';
import { commitFailed, fail, settle, unknown, wait } from './settle.ts';

export const findRecord = (ports: Ports, call: CallScope): CallRecord | undefined =>
  ports.attemptLog.calls.find((record) => record.step === call.step && record.element === call.element);

/** Performs a call, or goes on with one that an earlier run of the same dispatch began. */
export const performCall = async (context: CallContext, step: Step, call: CallScope, open: Roots): Promise<CallEnd> => {
  const record = findRecord(context.ports, call);
  switch (record?.state) {
    case 'succeeded':
      return {
        kind: 'succeeded',
        answer: record.answer === undefined ? undefined : readAnswer(step, record.answer).answer,
        found: record.found,
      };
    case 'failed':
      return failedAs(record);
    case 'sending':
    case 'unknown':
      return await resolveUnknown(context, step, call, open, record);
    default:
      return await attemptCall(context, step, call, open, {
        attempt: (record?.attempt ?? 0) + 1,
        doubtfulSinceMs: undefined,
      });
  }
};

const failedAs = (record: CallRecord): CallEnd => ({
  kind: 'failed',
  as: record.failed?.as ?? 'fail',
  problem: record.failed?.problem ?? problem('failed', 'the call failed'),
});

const interrupted = (step: Step): Problem =>
  problem('interrupted', 'the process ended while the carrier was being asked', step.place);

/** An attempt whose end nobody saw is never simply made again: the carrier's promise decides, else its own word. */
const resolveUnknown = async (
  context: CallContext,
  step: Step,
  call: CallScope,
  open: Roots,
  record: CallRecord,
): Promise<CallEnd> => {
  const reason = record.failed?.problem ?? interrupted(step);
  const next = { attempt: record.attempt + 1, doubtfulSinceMs: record.firstSentAtMs };
  if (context.isRead) return await attemptCall(context, step, call, open, { ...next, doubtfulSinceMs: undefined });
  if (isSafeToRetry(context, step, record.firstSentAtMs)) {
    return record.attempt >= step.retry.attempts
      ? unknown(context, reason)
      : await attemptCall(context, step, call, open, next);
  }
  if (context.lookUp === undefined) return unknown(context, reason);
  const looked = await context.lookUp.ask(call);
  switch (looked.kind) {
    case 'found':
      await context.ports.attemptLog.commit(
        { ...record, state: 'succeeded', found: looked.result, failed: undefined },
        undefined,
      );
      return { kind: 'succeeded', answer: undefined, found: looked.result };
    case 'nothing':
      return record.attempt >= step.retry.attempts
        ? await fail(context, record, { as: 'fail', problem: reason }, undefined)
        : await attemptCall(context, step, call, open, { ...next, doubtfulSinceMs: undefined });
    case 'unclear':
      if (record.attempt >= step.retry.attempts) return unknown(context, looked.problem);
      return await wait(context, step, { ...record, attempt: next.attempt, state: 'unknown' }, looked.problem, {
        doubtful: true,
      });
  }
};

interface Attempt {
  readonly attempt: number;
  /** Since when it may have been done already; undefined when it certainly was not. */
  readonly doubtfulSinceMs: number | undefined;
}

const attemptCall = async (
  context: CallContext,
  step: Step,
  call: CallScope,
  open: Roots,
  { attempt, doubtfulSinceMs }: Attempt,
): Promise<CallEnd> => {
  const firstSentAtMs = doubtfulSinceMs ?? context.ports.nowMs();
  const askOnce = async (number: number): Promise<CallOutcome> =>
    await ask({
      ...context,
      once: !context.isRead && promiseOf(context, step).by === 'none',
      step,
      call,
      open,
      attempt: number,
      beforeSend: async () =>
        await context.ports.attemptLog.fence(
          { step: call.step, element: call.element },
          number,
          firstSentAtMs,
          step.limits.timeoutMs,
        ),
    });
  const base: CallRecord = { step: call.step, element: call.element, attempt, state: 'sending', firstSentAtMs };
  const asked = await askOnce(attempt);
  if (asked.kind !== 'answered' || asked.verdict.word !== 'refresh_auth') {
    return await settle(context, step, base, asked, doubtfulSinceMs !== undefined);
  }
  // The token was refused, so nothing was done: forget it, and ask once more with a new one.
  for (const { key, token } of asked.proof.tokens) await context.ports.tokens.drop(key, token);
  const { problem: reason } = asked.verdict;
  const state = doubtfulSinceMs === undefined ? 'retry' : 'unknown';
  await commitFailed(context, { ...base, state }, { as: 'config_error', problem: reason }, asked.exchange);
  const again = await askOnce(attempt + 1);
  return await settle(context, step, { ...base, attempt: attempt + 1 }, again, doubtfulSinceMs !== undefined);
};
