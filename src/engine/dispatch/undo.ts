/** Undoes the successful calls of a failed operation; and whether its calls may have had side effects. */
import { REPEATABLE } from '../profile/compile/operations.ts';
import { findRecord, isWanted, performCall } from './call.ts';
import { problem } from '../failure.ts';
import { maskProblem } from './exchange.ts';
import type { AttemptLog, CallRecord, RunOutcome } from './ports.ts';
import { type CallEnd, failedEnd, type UnsuccessfulEnd } from './record-outcome.ts';
import { type Call, type RunContext, rootsOf, type Success } from './run-context.ts';
import { evaluationFailure } from './scope.ts';

/** After the step's id: the call that undoes it; those before the last of several are numbered. */
const UNDO = '~undo';

/**
 * Undoes successes, the last first, each with the item and answer of its call, and yields how the run ends: as it
 * `ended`, unless an undo must wait, or the carrier still has what some calls made: held by name, for an operator.
 */
export const undoAll = async (context: RunContext, ended: UnsuccessfulEnd): Promise<RunOutcome> => {
  const messages: string[] = [];
  for (const success of context.successes.toReversed()) {
    const { step, scope } = success.call;
    const end = isLeft(context, success.call) ? NO_UNDO : await undoOne(context, success);
    if (end === undefined) continue;
    if (end.kind === 'waiting') {
      const { isDoubtful: _, ...waiting } = end;
      return waiting;
    }
    const element = scope.index === undefined ? '' : `, element ${scope.index}`;
    messages.push(`could not take back step ${step.id}${element}`, ...end.problem.messages);
  }
  if (messages.length === 0) return ended;
  const problem = { ...ended.problem, messages: [...ended.problem.messages, ...messages] };
  return { kind: 'held', why: 'undo_failed', problem };
};

/** What nothing takes back: of a create it exists, of any other operation it would be done twice. */
const isLeft = ({ run, successes }: RunContext, { step, idempotency }: Call): boolean =>
  step.undo.length === 0 &&
  !successes.some(({ call }) => call.step.id === step.undoneBy) &&
  step.method !== 'GET' &&
  !step.bestEffort &&
  (run.operation.name === 'create' || idempotency.by !== 'natural');

const NO_UNDO: UnsuccessfulEnd = {
  kind: 'held',
  why: 'undo_failed',
  problem: problem('no_undo', 'the step has no undo'),
};

/** Its calls in order; yields the first that did not succeed. */
const undoOne = async (
  context: RunContext,
  { call, answer, lookedUp }: Success,
): Promise<UnsuccessfulEnd | undefined> => {
  const { undo } = call.step;
  const answers: Record<string, unknown> = {};
  for (const [at, step] of undo.entries()) {
    const scope = { ...call.scope, step: `${call.scope.step}${UNDO}${at === undo.length - 1 ? '' : `.${at}`}` };
    const { response: _, steps, ...roots } = rootsOf(context, scope);
    const response = answer ?? lookedUp;
    const end = await performUndo(context, {
      ...call,
      step,
      scope,
      roots: { ...roots, steps: { ...(steps as object), ...answers }, ...(response === undefined ? {} : { response }) },
      operation: call.operation + UNDO,
      idempotency: step.idempotency ?? REPEATABLE,
    });
    if (end.kind !== 'succeeded') return end;
    answers[step.id] = end.answer;
  }
  return undefined;
};

/** Where its `when` does not hold, there is nothing to undo. */
const performUndo = async (context: RunContext, call: Call): Promise<CallEnd> => {
  try {
    const isBegun = findRecord(context.ports, call.scope) !== undefined;
    if (!isBegun && !(await isWanted(context, call.step, call.scope, call.roots)))
      return { kind: 'succeeded', answer: undefined };
  } catch (thrown) {
    const { word: as, problem } = evaluationFailure(thrown);
    return failedEnd({ as, problem: maskProblem(context.mask, problem) });
  }
  return await performCall(context, call);
};

const isUndo = ({ step }: CallRecord): boolean => step.includes(UNDO);

type Calls = Pick<AttemptLog, 'calls'>;

/** A call may have been carried out; or it certainly was, and is not `isSettled`. */
const mayBeDone = ({ calls }: Calls, isSettled: (call: CallRecord) => boolean): boolean =>
  calls.some(
    (call) =>
      !isUndo(call) &&
      (call.state === 'sending' || call.state === 'unknown' || (call.state === 'succeeded' && !isSettled(call))),
  );

/** Something may have been done of which nobody knows, or was done by an earlier run that got further than this one. */
export const isInDoubt = ({ ports, successes }: Pick<RunContext, 'successes'> & { ports: { attemptLog: Calls } }) =>
  mayBeDone(ports.attemptLog, ({ step, element }) =>
    successes.some(({ call: { scope } }) => scope.step === step && scope.element === element),
  );

/** Something has been done that was not undone, or may have been: to begin anew might do it twice. */
export const mayHaveSideEffects = (log: Calls): boolean =>
  mayBeDone(log, (done) =>
    log.calls.some(
      ({ step, element, state }) => step === done.step + UNDO && element === done.element && state === 'succeeded',
    ),
  );
