/** One call of a run: prepared, sent, classified and recorded; or resumed from the attempt log. */
import { problem } from '../failure.ts';
import { piece, readInTurn } from '../large.ts';
import { readAnswer } from './answer.ts';
import { classifyWireOutcome, isHealthy, isTrue } from './classify.ts';
import { describeExchange, maskProblem } from './exchange.ts';
import type { CallKey, CallRecord, Ports, UsedToken } from './ports.ts';
import { prepare } from './prepare.ts';
import {
  type Attempt,
  awayMs,
  type CallEnd,
  commit,
  failedEnd,
  isLastAttempt,
  isSafeToRetry,
  isUnknown,
  putOff,
  recordEnd,
  recordOutcome,
  unknownEnd,
} from './record-outcome.ts';
import type { Step } from '../profile/carrier.ts';
import type { Roots } from '../mapping/mapping.ts';
import type { Call, CallOutcome, LogIn, RunContext } from './run-context.ts';
import { type CallScope, evaluateForSending } from './scope.ts';
import { withFields } from './unsent-failure.ts';

export const findRecord = ({ attemptLog }: Ports, { step, element }: CallKey): CallRecord | undefined =>
  attemptLog.calls.find((record) => record.step === step && record.element === element);

/** Whether the step's `when`, if it has one, asks for this call. */
export const isWanted = async (context: RunContext, { when }: Step, scope: CallScope, roots: Roots): Promise<boolean> =>
  when === undefined ||
  isTrue(
    await evaluateForSending(context, scope, roots, async (sending) =>
      when.evaluate(sending.roots, sending.evaluation),
    ),
  );

/** Makes a call, unless the attempt log says that it is done or of unknown outcome. */
export const performCall = async (context: RunContext, call: Call): Promise<CallEnd> => {
  const record = findRecord(context.ports, call.scope);
  switch (record?.state) {
    case 'succeeded':
      return readBack(call, record);
    case 'failed':
      return failedEnd(record.failed ?? { as: 'fail', problem: problem('failed', 'the call failed') });
    case 'sending':
    case 'unknown':
      return explained(await resolveUnknown(context, call, record));
    default:
      return explained(await makeCall(context, call, record));
  }
};

/** What a step's own lookup found is the body that its answer would have had. */
const readBack = ({ step }: Call, { answer: kept, found }: Pick<CallRecord, 'answer' | 'found'>): CallEnd => {
  const { lookup } = step;
  const asked = found === undefined ? step : (lookup?.steps.at(-1) ?? step);
  const answer = kept === undefined ? undefined : readAnswer(asked, kept).answer;
  if (found === undefined) return { kind: 'succeeded', answer };
  return lookup?.yieldsBody === true && answer !== undefined
    ? { kind: 'succeeded', answer: { ...answer, body: found } }
    : { kind: 'succeeded', answer: undefined, found, lookedUp: answer };
};

const explained = (end: CallEnd): CallEnd =>
  end.kind !== 'succeeded' && isUnknown(end)
    ? { ...end, problem: { ...end.problem, messages: [...end.problem.messages, UNKNOWN_OUTCOME] } }
    : end;

const NOT_YET = problem('not_yet', 'the carrier does not know of it yet');
const UNKNOWN_OUTCOME = 'nobody knows whether the carrier did it';

/** An attempt of unknown outcome is repeated only where the carrier promises that this is safe; else `lookup` decides. */
const resolveUnknown = async (context: RunContext, call: Call, record: CallRecord): Promise<CallEnd> => {
  const { step } = call;
  const { firstSentAtMs } = record;
  if (call.isRead) return await makeCall(context, call, record);
  const { attempt: number, answer: earlier, failed } = record;
  // Of a process that ended meanwhile nobody knows when the call did.
  const { endedAtMs = firstSentAtMs + step.limits.timeoutMs } = failed ?? {};
  const doubtful: Attempt = { number, firstSentAtMs, isDoubtful: true, away: failed?.away, endedAtMs, earlier };
  const isLast = isLastAttempt(call, doubtful);
  const reason =
    failed?.problem ?? problem('interrupted', 'the process ended while the carrier was being asked', step.place);
  if (isSafeToRetry(context, call, firstSentAtMs)) {
    return isLast ? unknownEnd(reason) : await makeCall(context, call, record, firstSentAtMs);
  }
  if (step.lookup === undefined || context.lookUp === undefined) {
    return earlier === undefined ? unknownEnd(reason) : await keepAnswer(context, call, doubtful);
  }
  await context.ports.attemptLog.flush();
  const looked = await context.lookUp(step.lookup, call.scope, context.steps);
  if (looked.kind === 'not_asked')
    return unknownEnd({ ...reason, messages: [...reason.messages, 'the lookup does not apply to this order'] });
  if (looked.kind !== 'done') {
    const isAway = looked.kind === 'waiting' && looked.awaySinceMs !== undefined;
    const { untilMs } = step.lookup.steps[0].retry;
    const isSpent = context.run.awaySinceMs !== undefined && awayMs(context) >= untilMs;
    if ((isLast || isSpent) && !isAway) return unknownEnd(looked.problem);
    const next = { ...doubtful, number: doubtful.number + 1 };
    return await recordEnd(context, call, next, putOff(context, call, next, { problem: looked.problem, isAway }));
  }
  const { result: found, answer } = looked;
  if (found !== undefined) {
    await commit(context, call, doubtful, { state: 'succeeded', found, answer });
    return readBack(call, { found, answer });
  }
  if (earlier !== undefined) return await keepAnswer(context, call, doubtful);
  if (context.ports.nowMs() < endedAtMs + step.lookup.notYetMs) {
    // It is no attempt: the carrier is asked until it would know.
    const next = { ...doubtful, number: doubtful.number + 1, away: (doubtful.away ?? 0) + 1 };
    return await recordEnd(context, call, next, putOff(context, call, next, { problem: NOT_YET }));
  }
  return isLast
    ? await recordEnd(context, call, doubtful, failedEnd({ as: 'fail', problem: reason }))
    : await makeCall(context, call, record);
};

/** What the carrier answered is all there is to go by, understood or not. */
const keepAnswer = async (context: RunContext, call: Call, attempt: Attempt): Promise<CallEnd> => {
  const { earlier: answer } = attempt;
  await commit(context, call, attempt, { state: 'succeeded', answer });
  return readBack(call, { answer });
};

/** The attempt after that of `record`. `doubtfulSinceMs`: since when it may have been carried out already; undefined when it certainly was not. */
const makeCall = async (
  context: RunContext,
  call: Call,
  record: CallRecord | undefined,
  doubtfulSinceMs?: number,
): Promise<CallEnd> => {
  const isDoubtful = doubtfulSinceMs !== undefined;
  const firstSentAtMs = doubtfulSinceMs ?? context.ports.nowMs();
  const attempt = { number: (record?.attempt ?? 0) + 1, firstSentAtMs, isDoubtful, away: record?.failed?.away };
  const outcome = await attemptCall(context, call, attempt);
  if (outcome.word !== 'refresh_auth') return await recordOutcome(context, call, attempt, outcome);
  // The token was refused, so nothing was done: drop it, and repeat the call once with a new one.
  await dropTokens(context, outcome.tokens);
  const failed = { as: 'config_error', problem: outcome.problem } as const;
  await commit(context, call, attempt, { state: isDoubtful ? 'unknown' : 'retry', failed }, outcome.exchange);
  const again = { ...attempt, number: attempt.number + 1 };
  return await recordOutcome(context, call, again, await attemptCall(context, call, again));
};

const dropTokens = async ({ ports }: RunContext, tokens: readonly UsedToken[] = []): Promise<void> => {
  for (const { key, token } of tokens) await ports.tokens.drop(key, token);
};

/** One attempt: prepare → fence → send → classify. `attempt`: undefined for a login, which is not fenced. */
const attemptCall = async (context: RunContext, call: Call, attempt?: Attempt): Promise<CallOutcome> => {
  const { run, ports, mask } = context;
  const { timeoutMs, sizeBytes: maxBytes } = call.step.limits;
  const key = { step: call.scope.step, element: call.scope.element };
  // What came of the call before is on record before anything else is asked of the carrier.
  if (attempt !== undefined) await ports.attemptLog.flush();
  // Before the limits: a login has to pass them by itself, and would wait for ever behind the call that needs it.
  const prepared = await prepare(context, call, logIn);
  if ('word' in prepared) return { ...prepared, problem: maskProblem(mask, prepared.problem) };
  const admission = await ports.carrierLimits.enter(run.carrier.code, run.account.id, call.step.limits);
  if (!admission.admitted) {
    const { waitMs, why, isAway } = admission;
    return { word: 'held_back', waitMs, isAway, problem: problem('held_back', why) };
  }
  let healthy: boolean | undefined;
  try {
    if (attempt !== undefined) await ports.attemptLog.fence(key, attempt.number, attempt.firstSentAtMs, timeoutMs);
    const atMs = ports.nowMs();
    const wire = await ports.send(prepared.request, { timeoutMs, maxBytes }, run.carrier.code);
    const durationMs = ports.nowMs() - atMs;
    healthy = isHealthy(wire);
    return await readInTurn(run.carrier.code, wire.kind === 'answer' ? wire.body.byteLength : 0, async () => {
      const outcome = await piece(async () =>
        classifyWireOutcome(context, call, prepared, wire, attempt?.isDoubtful === true),
      );
      const said = wire.kind === 'not_sent' ? 'not_sent' : outcome.word;
      const made = {
        ...key,
        operation: call.operation,
        attempt: attempt?.number ?? 1,
        atMs,
        durationMs,
        outcome: said,
      };
      const reason = outcome.word === 'succeed' ? undefined : outcome.problem;
      const exchange = await piece(() => describeExchange(mask, made, prepared.request, wire, reason));
      if (outcome.word === 'succeed') return { ...outcome, exchange };
      const problem = maskProblem(mask, outcome.problem);
      const hasFields = outcome.word === 'reject' || problem.fields !== undefined;
      return {
        ...outcome,
        problem: hasFields ? withFields(context, call.step, call.scope, problem) : problem,
        exchange,
      };
    });
  } finally {
    admission.leave(healthy);
  }
};

/** A login is a read of its own, outside the attempt log. A token that it needs itself may have ended, as any other. */
export const logIn: LogIn = async (context, login, roots) => {
  const call: Call = {
    step: login,
    scope: { step: login.id, element: 0 },
    roots,
    operation: 'login',
    isRead: true,
    idempotency: { by: 'none', forMs: undefined },
  };
  const ask = async (): Promise<CallOutcome> => {
    const outcome = await attemptCall(context, call);
    if (outcome.exchange !== undefined) await context.ports.noteExchange(outcome.exchange);
    return outcome;
  };
  const outcome = await ask();
  if (outcome.word !== 'refresh_auth') return outcome;
  await dropTokens(context, outcome.tokens);
  return await ask();
};
