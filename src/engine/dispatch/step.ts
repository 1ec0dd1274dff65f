/** One step of a run: its calls, one or one an element, made or read back, and how they end the run. */
import { Failure, type Problem } from '../failure.ts';
import type { Step } from '../profile/carrier.ts';
import { findRecord, isWanted, performCall } from './call.ts';
import { maskProblem } from './exchange.ts';
import { rehearse } from './prepare.ts';
import type { CallRecord, RunOutcome } from './ports.ts';
import { type CallEnd, failedEnd, isUnknown, type UnsuccessfulEnd, unknownEnd } from './record-outcome.ts';
import { type Call, type RunContext, rootsOf } from './run-context.ts';
import { type CallScope, evaluateOpenly } from './scope.ts';
import { unsentFailure } from './unsent-failure.ts';
import { isInDoubt, undoAll } from './undo.ts';

type Failed = NonNullable<CallRecord['failed']>;

/** Runs one step; yields how the run ends, or undefined to go on. */
export const runStep = async (context: RunContext, step: Step): Promise<RunOutcome | undefined> => {
  const before = findRecord(context.ports, { step: step.id, element: 0 });
  if (before?.state === 'failed' && before.attempt === NOT_CALLED && before.failed !== undefined) {
    return await endFailed(context, failedEnd(before.failed));
  }
  let calls: readonly Call[] | undefined;
  try {
    calls = await callsOf(context, step);
  } catch (thrown) {
    const { word: as, problem } = unsentFailure(context, step, { step: step.id, element: 0 }, thrown);
    return await endNotCalled(context, step, { as, problem: maskProblem(context.mask, problem) });
  }
  if (calls === undefined) return undefined;
  const ends = await performAll(context, step, calls);
  const successes = calls.flatMap((call, index) => {
    const end = ends[index];
    return end?.kind === 'succeeded' ? [{ call, answer: end.answer, found: end.found }] : [];
  });
  context.successes.push(...successes);
  const ended = await endOf(context, ends);
  if (ended === undefined) keepAnswers(context, step, successes);
  return ended;
};

/** Why a step that nothing comes before would be rejected before anything is sent. */
export const rehearseStep = async (context: RunContext, step: Step): Promise<Problem | undefined> => {
  try {
    for (const call of (await callsOf(context, step)) ?? []) {
      const failed = await rehearse(context, call);
      if (failed?.word === 'reject') return maskProblem(context.mask, failed.problem);
    }
    return undefined;
  } catch (thrown) {
    const { word, problem } = unsentFailure(context, step, { step: step.id, element: 0 }, thrown);
    return word === 'reject' ? maskProblem(context.mask, problem) : undefined;
  }
};

/** The attempt of a step that failed before it came to any call. A record taken up again has it too, but is not `failed`. */
const NOT_CALLED = 0;

/** Written down where something is to be undone: once that has begun, a mended account must not go on with the rest. */
const endNotCalled = async (context: RunContext, step: Step, failed: Failed): Promise<RunOutcome> => {
  const { ports, isRead, successes } = context;
  const hasUndo = !isRead && successes.some(({ call }) => call.step.undo !== undefined);
  if (hasUndo && !isInDoubt(ports.attemptLog)) {
    const call = { step: step.id, element: 0, attempt: NOT_CALLED, firstSentAtMs: ports.nowMs() };
    await ports.attemptLog.commit({ ...call, state: 'failed', failed }, undefined);
  }
  return await endFailed(context, failedEnd(failed));
};

/** Undefined: the step is skipped. */
const callsOf = async (context: RunContext, step: Step): Promise<readonly Call[] | undefined> => {
  const first = { step: step.id, element: 0 };
  const { forEach } = step;
  const roots = rootsOf(context, first);
  if (!(await isWanted(context, step, first, roots))) return undefined;
  // Its elements are seen where no secret may be.
  const given = forEach && (await evaluateOpenly(context, first, roots, forEach));
  const elements: readonly unknown[] = forEach === undefined ? [first] : [given ?? []].flat();
  checkCalls(context, step, elements.length);
  const scopes = forEach === undefined ? [first] : scopesOf(step, elements);
  const { run, isRead, lookUp } = context;
  return scopes.map((scope) => ({
    step,
    scope,
    roots: rootsOf(context, scope),
    operation: run.operation.name,
    isRead,
    idempotency: step.idempotency ?? run.operation.idempotency,
    lookUp,
  }));
};

/** Before the first call of a step: those of earlier steps are all done. */
const checkCalls = ({ successes, ports }: RunContext, step: Step, elements: number): void => {
  const { id, batch = 1, limits, place } = step;
  const calls = successes.length + Math.ceil(elements / batch);
  if (calls <= limits.calls || findRecord(ports, { step: id, element: 0 }) !== undefined) return;
  throw new Failure(`this would be ${calls} calls of one operation, and limits.calls allows ${limits.calls}`, {
    code: 'too_many_calls',
    place,
  });
};

const scopesOf = ({ id, batch }: Step, elements: readonly unknown[]): readonly CallScope[] => {
  if (batch === undefined) return elements.map((item, index) => ({ step: id, element: index, item, index }));
  return Array.from({ length: Math.ceil(elements.length / batch) }, (_, index) => {
    const items = elements.slice(index * batch, (index + 1) * batch);
    return { step: id, element: index, items, index };
  });
};

/** In element order, up to `parallel` at a time. The first failure starts no further calls; those in flight end. */
const performAll = async (
  context: RunContext,
  step: Step,
  calls: readonly Call[],
): Promise<(CallEnd | undefined)[]> => {
  const ends: (CallEnd | undefined)[] = Array.from({ length: calls.length });
  const states = calls.map(({ scope }) => findRecord(context.ports, scope)?.state);
  let stopped = states.includes('failed');
  let next = 0;
  let underWay = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index];
      const isBegun = states[index] !== undefined && states[index] !== 'retry';
      if (call === undefined || (stopped && !isBegun)) continue;
      underWay += 1;
      const end = await performCall(context, call).finally(() => (underWay -= 1));
      ends[index] = end;
      if (end.kind !== 'succeeded') stopped = true;
      // What came of it must not wait for the slowest.
      if (underWay > 0) await context.ports.attemptLog.flush();
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.max(1, step.parallel) }, work));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  return ends;
};

/** What is unknown comes before what failed, so that nothing is undone in doubt. Undefined: the run goes on. */
const endOf = async (context: RunContext, ends: readonly (CallEnd | undefined)[]): Promise<RunOutcome | undefined> => {
  const unsuccessful = ends.filter((end) => end !== undefined && end.kind !== 'succeeded');
  const waiting = unsuccessful.filter((end) => end.kind === 'waiting').sort((a, b) => a.dueAtMs - b.dueAtMs);
  const doubtful = waiting.find(({ isDoubtful }) => isDoubtful === true) ?? unsuccessful.find(isUnknown);
  const failed = unsuccessful.find(({ kind }) => kind !== 'waiting');
  return failed === undefined || doubtful !== undefined
    ? withoutDoubt(doubtful ?? waiting[0])
    : await endFailed(context, failed);
};

const withoutDoubt = (end: UnsuccessfulEnd | undefined): RunOutcome | undefined => {
  if (end === undefined) return undefined;
  const { isDoubtful: _, ...outcome } = end;
  return outcome;
};

/** The operation is not done: what succeeded of it is undone, then it ends. */
const endFailed = async (context: RunContext, end: UnsuccessfulEnd): Promise<RunOutcome> => {
  if (context.isRead) return end;
  return isInDoubt(context.ports.attemptLog) ? unknownEnd(end.problem) : await undoAll(context, end);
};

const keepAnswers = (context: RunContext, step: Step, successes: RunContext['successes']): void => {
  const isSingle = step.forEach === undefined;
  context.response = isSingle ? successes[0]?.answer : undefined;
  context.steps[step.id] = isSingle
    ? context.response
    : successes.flatMap(({ call: { scope }, answer }) => {
        const { item, items } = scope;
        return answer === undefined ? [] : [{ ...answer, ...(items === undefined ? { item } : { items }) }];
      });
};
