/** One step of a run: its calls, one or one per element, performed or read back, and how they end the run. */
import { Failure } from '../failure.ts';
import type { Step } from '../profile/carrier.ts';
import { findRecord, isWanted, performCall } from './call.ts';
import { maskProblem } from './exchange.ts';
import { rehearse } from './prepare.ts';
import { type CallRecord, ROUND, type RunOutcome } from './ports.ts';
import { type CallEnd, failedEnd, isUnknown, recordEnd, type UnsuccessfulEnd, unknownEnd } from './record-outcome.ts';
import { type Call, type RunContext, rootsOf, type Success } from './run-context.ts';
import { type CallScope, evaluateOpenly } from './scope.ts';
import { unsentFailure } from './unsent-failure.ts';
import { isInDoubt, undoAll } from './undo.ts';

type Failed = NonNullable<CallRecord['failed']>;

/** Runs one step; yields how the run ends, or undefined to go on. */
export const runStep = async (context: RunContext, step: Step): Promise<RunOutcome | undefined> => {
  const before = findRecord(context.ports, { step: step.id, element: 0 });
  const failed = before?.state === 'failed' && before.attempt === NOT_CALLED ? before.failed : undefined;
  if (failed !== undefined) return await endFailed(context, failedEnd(failed));
  let calls: readonly Call[] | undefined;
  try {
    calls = await callsOf(context, step);
  } catch (thrown) {
    const { word: as, problem: reason } = unsentFailure(context, step, { step: step.id, element: 0 }, thrown);
    const problem = maskProblem(context.mask, reason);
    if (!step.bestEffort) return await endNotCalled(context, step, { as, problem });
    context.missed.push({ step, problem });
    return undefined;
  }
  if (calls === undefined) return undefined;
  const ends = await performAll(context, step, calls);
  const successes = successesOf(calls, ends);
  context.successes.push(...successes);
  const missed = calls.flatMap(({ scope }, index) => {
    const end = ends[index];
    return end !== undefined && isBearable(context, step, end) ? [{ step, scope, problem: end.problem }] : [];
  });
  const rest = ends.filter((end) => end === undefined || !isBearable(context, step, end));
  // Of which there is no part, that has failed as any other.
  const isNothing = missed.length > 0 && successes.length === 0 && !step.bestEffort;
  const ended = (await endOf(context, rest)) ?? (isNothing ? await endOf(context, ends) : undefined);
  if (ended !== undefined) return ended;
  context.missed.push(...missed);
  context.steps[step.id] = answersOf(step, successes);
  context.response = step.forEach === undefined ? successes[0]?.answer : undefined;
  return undefined;
};

/** How a step that nothing comes before would end its run before anything is sent. */
export const rehearseStep = async (context: RunContext, step: Step): Promise<RunOutcome | undefined> => {
  if (step.bestEffort) return undefined;
  let scope: CallScope = { step: step.id, element: 0 };
  try {
    for (const call of (await callsOf(context, step)) ?? []) {
      ({ scope } = call);
      await rehearse(context, call);
    }
    return undefined;
  } catch (thrown) {
    const { word: as, problem } = unsentFailure(context, step, scope, thrown);
    return failedEnd({ as, problem: maskProblem(context.mask, problem) });
  }
};

const successesOf = (calls: readonly Call[], ends: readonly (CallEnd | undefined)[]): readonly Success[] =>
  calls.flatMap((call, index) => {
    const end = ends[index];
    if (end?.kind !== 'succeeded') return [];
    const { kind: _, ...success } = end;
    return [{ call, ...success }];
  });

/** What succeeds of it is kept, whatever fails: the rest waits for a retry. */
const isInParts = ({ run: { operation } }: RunContext, step: Step): boolean =>
  step.partial && operation.name === 'create' && step === operation.steps.at(-1);

/** The others go on without it. */
const isBearable = (
  context: RunContext,
  step: Step,
  end: CallEnd,
): end is Exclude<UnsuccessfulEnd, { kind: 'waiting' }> =>
  (end.kind === 'rejected' || end.kind === 'held') &&
  (step.bestEffort || (isInParts(context, step) && !isUnknown(end)));

/** The attempt of a step that failed before it came to any call. A record taken up again has it too, but is not `failed`. */
const NOT_CALLED = 0;

/** Written down where something is to be undone: once that has begun, a mended account must not go on with the rest. */
const endNotCalled = async (context: RunContext, step: Step, failed: Failed): Promise<RunOutcome> => {
  const { ports, isRead, successes } = context;
  const hasUndo = !isRead && successes.some(({ call }) => call.step.undo.length > 0);
  if (hasUndo && !isInDoubt(context)) {
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
  const { draws } = context.ports.attemptLog;
  const scopes = (forEach === undefined ? [first] : scopesOf(step, elements)).map((scope): CallScope => {
    const round = draws.get(`${ROUND}${scope.step}/${scope.element}`);
    return round === undefined ? scope : { ...scope, round };
  });
  if (isInParts(context, step)) checkParts(step, elements);
  const { run, isRead } = context;
  return scopes.map((scope) => ({
    step,
    scope,
    roots: scope === first ? roots : rootsOf(context, scope),
    operation: run.operation.name,
    isRead,
    idempotency: step.idempotency ?? run.operation.idempotency,
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

/** What is missing of a create is told by package. */
const checkParts = ({ place }: Step, elements: readonly unknown[]): void => {
  const at = elements.findIndex((element) => typeof (element as Item)?.itemReferenceNumber !== 'string');
  if (at === -1) return;
  throw new Failure(`element ${at} of a partial create is no package: it has no itemReferenceNumber`, {
    code: 'partial_without_package',
    place,
    help: 'let forEach go through consignment.itemList, or undo what succeeded',
  });
};
type Item = { readonly itemReferenceNumber?: unknown } | undefined;

const scopesOf = ({ id, batch }: Step, elements: readonly unknown[]): readonly CallScope[] => {
  if (batch === undefined) return elements.map((item, index) => ({ step: id, element: index, item, index }));
  return Array.from({ length: Math.ceil(elements.length / batch) }, (_, index) => {
    const items = elements.slice(index * batch, (index + 1) * batch);
    return { step: id, element: index, items, index };
  });
};

/**
 * In element order, up to `parallel` at a time; one at a time sees the answers before it. The first failure that cannot
 * be borne starts no further calls; those in flight end.
 */
const performAll = async (
  context: RunContext,
  step: Step,
  calls: readonly Call[],
): Promise<(CallEnd | undefined)[]> => {
  const ends: (CallEnd | undefined)[] = Array.from({ length: calls.length });
  const states = calls.map(({ scope }) => findRecord(context.ports, scope)?.state);
  const mayMiss = step.bestEffort || isInParts(context, step);
  let stopped = !mayMiss && states.includes('failed');
  let next = 0;
  let underWay = 0;
  const withEarlier = (call: Call): Call => {
    if (step.forEach === undefined || step.parallel > 1) return call;
    context.steps[step.id] = answersOf(step, successesOf(calls, ends));
    return { ...call, roots: rootsOf(context, call.scope) };
  };
  const work = async (): Promise<void> => {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index];
      const isBegun = states[index] !== undefined && states[index] !== 'retry';
      if (call === undefined || (stopped && !isBegun)) continue;
      underWay += 1;
      const end = await performOne(context, withEarlier(call)).finally(() => (underWay -= 1));
      ends[index] = end;
      if (end.kind !== 'succeeded' && !isBearable(context, step, end)) stopped = true;
      // What came of it must not wait for the slowest.
      if (underWay > 0) await context.ports.attemptLog.flush();
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.max(1, step.parallel) }, work));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  return ends;
};

/** What is not needed holds nothing up: where nobody knows whether it was done, it is given up. */
const performOne = async (context: RunContext, call: Call): Promise<CallEnd> => {
  const end = await performCall(context, call);
  if (!call.step.bestEffort || !isUnknown(end)) return end;
  const { attempt = 0, firstSentAtMs = context.ports.nowMs() } = findRecord(context.ports, call.scope) ?? {};
  return await recordEnd(context, call, { number: Math.max(1, attempt), firstSentAtMs, isDoubtful: true }, end);
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
  return isInDoubt(context) ? unknownEnd(end.problem) : await undoAll(context, end);
};

/** The root `steps.<id>`. */
const answersOf = ({ forEach }: Step, successes: readonly Success[]): unknown =>
  forEach === undefined
    ? successes[0]?.answer
    : successes.flatMap(({ call: { scope }, answer }) => {
        const { item, items } = scope;
        return answer === undefined ? [] : [{ ...answer, ...(items === undefined ? { item } : { items }) }];
      });
