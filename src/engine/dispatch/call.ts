/** One call of a run: prepared, sent, classified, recorded; or taken up where an earlier run of the dispatch left it. */
import { problem } from '../failure.ts';
import { readAnswer } from './answer.ts';
import { classifyWireOutcome, isHealthy } from './classify.ts';
import { describeExchange, maskProblem } from './exchange.ts';
import type { CallKey, CallRecord, Ports } from './ports.ts';
import { type LogIn, prepare } from './prepare.ts';
import {
  type Attempt,
  type CallEnd,
  commit,
  fail,
  isLastAttempt,
  isSafeToRetry,
  putOff,
  recordOutcome,
  unknown,
} from './record-outcome.ts';
import type { Call, CallOutcome, RunContext, UsedToken } from './run-context.ts';

export const findRecord = ({ attemptLog }: Ports, { step, element }: CallKey): CallRecord | undefined =>
  attemptLog.calls.find((record) => record.step === step && record.element === element);

/** Makes a call, unless the attempt log says that it is done, or that nobody knows. */
export const performCall = async (context: RunContext, call: Call): Promise<CallEnd> => {
  const record = findRecord(context.ports, call.scope);
  switch (record?.state) {
    case 'succeeded': {
      const answer = record.answer === undefined ? undefined : readAnswer(call.step, record.answer).answer;
      return { kind: 'succeeded', answer, found: record.found };
    }
    case 'failed': {
      const { as, problem: reason } = record.failed ?? { as: 'fail', problem: problem('failed', 'the call failed') };
      return { kind: 'failed', as, problem: reason };
    }
    case 'sending':
    case 'unknown':
      return await resolveUnknown(context, call, record);
    default:
      return await makeCall(context, call, (record?.attempt ?? 0) + 1);
  }
};

/** An attempt whose end nobody saw is never simply made again: the carrier's promise decides, else its own word. */
const resolveUnknown = async (context: RunContext, call: Call, record: CallRecord): Promise<CallEnd> => {
  const { step, lookUp } = call;
  const { attempt, firstSentAtMs } = record;
  const reason =
    record.failed?.problem ?? problem('interrupted', 'the process ended while the carrier was being asked', step.place);
  if (call.isRead) return await makeCall(context, call, attempt + 1);
  const isLast = isLastAttempt(call, attempt);
  if (isSafeToRetry(context, call, firstSentAtMs)) {
    return isLast ? unknown(reason) : await makeCall(context, call, attempt + 1, firstSentAtMs);
  }
  if (lookUp === undefined) return unknown(reason);
  const looked = await lookUp.ask(call.scope);
  if (looked.kind !== 'done') {
    return isLast
      ? unknown(looked.problem)
      : await putOff(context, call, { number: attempt + 1, firstSentAtMs, isDoubtful: true }, looked);
  }
  if (looked.result !== undefined) {
    const found = looked.result;
    await commit(context, call, { number: attempt, firstSentAtMs }, { state: 'succeeded', found });
    return { kind: 'succeeded', answer: undefined, found };
  }
  return isLast
    ? await fail(context, call, { number: attempt, firstSentAtMs }, { as: 'fail', problem: reason })
    : await makeCall(context, call, attempt + 1);
};

/** `doubtfulSinceMs`: since when it may have been carried out already; undefined when it certainly was not. */
const makeCall = async (
  context: RunContext,
  call: Call,
  number: number,
  doubtfulSinceMs?: number,
): Promise<CallEnd> => {
  const isDoubtful = doubtfulSinceMs !== undefined;
  const attempt = { number, firstSentAtMs: doubtfulSinceMs ?? context.ports.nowMs(), isDoubtful };
  const outcome = await callCarrier(context, call, attempt);
  if (outcome.word !== 'refresh_auth') return await recordOutcome(context, call, attempt, outcome);
  // The token was refused, so nothing was done: forget it, and ask once more with a new one.
  await dropTokens(context, outcome.tokens);
  const failed = { as: 'config_error', problem: outcome.problem } as const;
  await commit(context, call, attempt, { state: isDoubtful ? 'unknown' : 'retry', failed }, outcome.exchange);
  const again = { ...attempt, number: number + 1 };
  return await recordOutcome(context, call, again, await callCarrier(context, call, again));
};

const dropTokens = async ({ ports }: RunContext, tokens: readonly UsedToken[] = []): Promise<void> => {
  for (const { key, token } of tokens) await ports.tokens.drop(key, token);
};

/** Prepare → send → classify. `attempt`: undefined for a login, which is not fenced. */
const callCarrier = async (context: RunContext, call: Call, attempt?: Attempt): Promise<CallOutcome> => {
  const { run, ports, mask } = context;
  const { scope, operation } = call;
  const { limits } = call.step;
  // Before the limits: a login has to pass them by itself, and would wait for ever behind the call that needs it.
  const prepared = await prepare(context, call, logIn);
  if ('word' in prepared) return { ...prepared, problem: maskProblem(mask, prepared.problem) };
  const admission = ports.carrierLimits.enter(run.carrier.code, run.account.id, limits);
  if (!admission.admitted) {
    return { word: 'held_back', waitMs: admission.waitMs, problem: problem('held_back', admission.why) };
  }
  let healthy: boolean | undefined;
  try {
    const key = { step: scope.step, element: scope.element };
    if (attempt !== undefined) {
      await ports.attemptLog.fence(key, attempt.number, attempt.firstSentAtMs, limits.timeoutMs);
    }
    const atMs = ports.nowMs();
    const { timeoutMs, sizeBytes: maxBytes } = limits;
    const wire = await ports.send(prepared.request, { timeoutMs, maxBytes }, run.carrier.code);
    healthy = isHealthy(wire);
    const classified = await classifyWireOutcome(context, call, prepared, wire, attempt?.isDoubtful === true);
    const reason = classified.word === 'succeed' ? undefined : classified.problem;
    const outcome = wire.kind === 'not_sent' ? 'not_sent' : classified.word;
    const durationMs = ports.nowMs() - atMs;
    const happened = { ...key, operation, attempt: attempt?.number ?? 1, atMs, durationMs, outcome };
    const exchange = describeExchange(mask, happened, prepared.request, wire, reason);
    return classified.word === 'succeed'
      ? { ...classified, exchange }
      : { ...classified, exchange, problem: maskProblem(mask, classified.problem) };
  } finally {
    admission.leave(healthy);
  }
};

/**
 * A login is a read of its own, outside the attempt log. It may need a token of its own, which may have ended as any
 * other.
 */
export const logIn: LogIn = async (context, login, roots) => {
  const call: Call = {
    step: login,
    scope: { step: login.id, element: 0 },
    roots,
    operation: 'login',
    isRead: true,
    idempotency: { by: 'none', forMs: undefined },
    lookUp: undefined,
  };
  const ask = async (): Promise<CallOutcome> => {
    const outcome = await callCarrier(context, call);
    if ('exchange' in outcome && outcome.exchange !== undefined) await context.ports.noteExchange(outcome.exchange);
    return outcome;
  };
  const outcome = await ask();
  if (outcome.word !== 'refresh_auth') return outcome;
  await dropTokens(context, outcome.tokens);
  return await ask();
};
