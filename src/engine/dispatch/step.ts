/** One step of a run: its calls, one or one an element, performed or read back, and how they end it. */
import type { Problem } from '../failure.ts';
import { type Mapping, Rejection } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import { findRecord, performCall } from './call.ts';
import type { CallEnd } from './call-context.ts';
import { type Flow, isInDoubt, openFor, type Progress, problemOf } from './flow.ts';
import { isTrue } from './classify.ts';
import type { RunOutcome } from './ports.ts';
import { type CallScope, evaluateEnvironment, sendingRoots, evaluationContextOf, withDraws } from './scope.ts';
import { undoAll } from './undo.ts';

/** Runs one step; yields how the run ends, or undefined to go on. */
export const runStep = async (flow: Flow, step: Step): Promise<RunOutcome | undefined> => {
  const before = findRecord(flow.ports, { step: step.id, element: 0 });
  if (before?.state === 'failed' && before.attempt === UNASKED && before.failed !== undefined) {
    return await endAs(flow, before.failed.as, before.failed.problem);
  }
  let calls: readonly CallScope[];
  try {
    if (step.when !== undefined && !isTrue(await evaluateForSending(flow, step, step.when))) return undefined;
    calls = await callsOf(flow, step);
  } catch (thrown) {
    const reason = problemOf(thrown, flow.mask);
    if (reason === undefined) throw thrown;
    return await endUnasked(flow, step, thrown instanceof Rejection ? 'reject' : 'config_error', reason);
  }
  const ends = await performAll(flow, step, calls);
  for (const [index, end] of ends.entries()) {
    const call = calls[index];
    if (end?.kind !== 'succeeded' || call === undefined) continue;
    flow.progress.successes.push({ step, call, answer: end.answer });
    if (end.found !== undefined) flow.progress.found.push({ result: end.found, item: call.item });
  }
  const ended = await endOf(flow, ends);
  if (ended !== undefined) return ended;
  keepAnswers(flow.progress, step, calls, ends);
  return undefined;
};

/** The attempt of a step that failed before it came to any call; what is taken up again begins there too, not `failed`. */
const UNASKED = 0;

/** Written down where something is to be taken back: once that has begun, a mended account must not go on with the rest. */
const endUnasked = async (
  flow: Flow,
  step: Step,
  as: 'reject' | 'config_error',
  reason: Problem,
): Promise<RunOutcome> => {
  const { ports, context, progress } = flow;
  const undoes = !context.isRead && progress.successes.some((success) => success.step.undo !== undefined);
  if (undoes && !isInDoubt(ports.attemptLog)) {
    const failed = { as, problem: reason };
    const call = { step: step.id, element: 0, attempt: UNASKED, firstSentAtMs: ports.nowMs() };
    await ports.attemptLog.commit({ ...call, state: 'failed', failed }, undefined);
  }
  return await endAs(flow, as, reason);
};

const evaluateForSending = async (flow: Flow, step: Step, mapping: Mapping): Promise<unknown> => {
  const { run, ports } = flow;
  const call: CallScope = { step: step.id, element: 0 };
  const context = evaluationContextOf(run, ports.attemptLog, call, flow.mask);
  return await withDraws(ports.attemptLog, call, async () => {
    const environment = await evaluateEnvironment(run, context, true);
    return await mapping.evaluate(sendingRoots(openFor(flow, call), run, environment, {}, ports.nowMs()), context);
  });
};

const callsOf = async (flow: Flow, step: Step): Promise<readonly CallScope[]> => {
  if (step.forEach === undefined) return [{ step: step.id, element: 0 }];
  const value = await evaluateForSending(flow, step, step.forEach);
  const elements: readonly unknown[] =
    value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const { batch } = step;
  if (batch === undefined) return elements.map((item, index) => ({ step: step.id, element: index, item, index }));
  return Array.from({ length: Math.ceil(elements.length / batch) }, (_, index) => ({
    step: step.id,
    element: index,
    items: elements.slice(index * batch, (index + 1) * batch),
    index,
  }));
};

/** In element order, up to `parallel` at a time. The first failure starts no further calls; those in flight end. */
const performAll = async (flow: Flow, step: Step, calls: readonly CallScope[]): Promise<(CallEnd | undefined)[]> => {
  const ends: (CallEnd | undefined)[] = Array.from({ length: calls.length });
  const records = calls.map((call) => findRecord(flow.ports, call));
  let stopped = records.some((record) => record?.state === 'failed');
  const begun = (index: number): boolean => records[index] !== undefined && records[index].state !== 'retry';
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index];
      if (call === undefined || (stopped && !begun(index))) continue;
      const end = await performCall(flow.context, step, call, openFor(flow, call));
      ends[index] = end;
      if (end.kind !== 'succeeded') stopped = true;
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.max(1, step.parallel) }, work));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  return ends;
};

/** What the ends of a step's calls mean for the run: what nobody knows comes before what failed, so that nothing is undone in doubt. */
const endOf = async (flow: Flow, ends: readonly (CallEnd | undefined)[]): Promise<RunOutcome | undefined> => {
  const found = <Kind extends CallEnd['kind']>(kind: Kind): Extract<CallEnd, { kind: Kind }>[] =>
    ends.filter((end): end is Extract<CallEnd, { kind: Kind }> => end?.kind === kind);
  const waiting = found('waiting').sort((a, b) => a.dueAtMs - b.dueAtMs);
  const doubtful = waiting.find((end) => end.doubtful);
  const [unknown] = found('unknown');
  const [failed] = found('failed');
  if (doubtful !== undefined) return { kind: 'waiting', dueAtMs: doubtful.dueAtMs, problem: doubtful.problem };
  if (unknown !== undefined) return { kind: 'held', why: 'unknown_outcome', problem: unknown.problem };
  if (failed !== undefined) return await endAs(flow, failed.as, failed.problem);
  const [soonest] = waiting;
  if (soonest !== undefined) return { kind: 'waiting', dueAtMs: soonest.dueAtMs, problem: soonest.problem };
  return undefined;
};

/** The operation is not done: what succeeded of it is taken back, then it ends. */
const endAs = async (flow: Flow, as: 'reject' | 'fail' | 'config_error', reason: Problem): Promise<RunOutcome> => {
  if (flow.context.isRead) return endedAs(as, reason);
  if (isInDoubt(flow.ports.attemptLog)) return { kind: 'held', why: 'unknown_outcome', problem: reason };
  const undone = await undoAll(flow.context, flow.progress.successes, (call) => openFor(flow, call));
  if (undone.kind === 'waiting') return undone;
  if (undone.kind === 'stuck') {
    const messages = [...reason.messages, ...undone.problem.messages];
    return { kind: 'held', why: 'undo_failed', problem: { ...reason, messages } };
  }
  return endedAs(as, reason);
};

const endedAs = (as: 'reject' | 'fail' | 'config_error', reason: Problem): RunOutcome =>
  as === 'reject' ? { kind: 'rejected', problem: reason } : { kind: 'held', why: as, problem: reason };

const keepAnswers = (
  progress: Progress,
  step: Step,
  calls: readonly CallScope[],
  ends: readonly (CallEnd | undefined)[],
): void => {
  const answers = ends.map((end) => (end?.kind === 'succeeded' ? end.answer : undefined));
  if (step.forEach === undefined) {
    progress.steps[step.id] = answers[0];
    progress.response = answers[0];
    return;
  }
  progress.response = undefined;
  progress.steps[step.id] = calls.flatMap(({ item, items }, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [{ ...answer, ...(items === undefined ? { item } : { items }) }];
  });
};
