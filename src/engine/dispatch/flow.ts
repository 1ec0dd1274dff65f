/** What the parts of a run share, and what they ask of it. */
import { Failure, type Problem, problem } from '../failure.ts';
import { Rejection, type Roots } from '../mapping/mapping.ts';
import type { Mask } from '../transport/masking.ts';
import type { CallContext } from './call-context.ts';
import type { CallRecord, AttemptLog, Ports, Run } from './ports.ts';
import type { Found } from './result.ts';
import { type CallScope, openRoots } from './scope.ts';
import { UNDO, type Undoable } from './undo.ts';

export interface Progress {
  /** The root `steps`. */
  readonly steps: Record<string, unknown>;
  /** The last step's answer, unless that was a forEach. */
  response: unknown;
  readonly successes: Undoable[];
  /** Results of `lookup` that stand in for answers. */
  readonly found: Found[];
}

export interface Flow {
  readonly run: Run;
  readonly ports: Ports;
  readonly mask: Mask;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
  readonly progress: Progress;
}

/** The roots of an expression of this run, or of one of its calls. */
export const openFor = (flow: Flow, call?: CallScope): Roots => {
  const roots = openRoots(flow.run, flow.environment, flow.progress.steps, call);
  return flow.progress.response === undefined ? roots : { ...roots, response: flow.progress.response };
};

/** Something may have been done of which nobody knows. */
export const isInDoubt = ({ calls }: Pick<AttemptLog, 'calls'>): boolean =>
  calls.some(({ step, state }) => !step.endsWith(UNDO) && (state === 'sending' || state === 'unknown'));

/** Something has been done that was not taken back, or may have been: whoever begins anew might do it twice. */
export const mayHaveSideEffects = ({ calls }: Pick<AttemptLog, 'calls'>): boolean => {
  const isUndone = (call: CallRecord): boolean =>
    calls.some(
      ({ step, element, state }) => step === call.step + UNDO && element === call.element && state === 'succeeded',
    );
  return isInDoubt({ calls }) || calls.some((call) => isDone(call) && !isUndone(call));
};
const isDone = ({ step, state }: CallRecord): boolean => !step.endsWith(UNDO) && state === 'succeeded';

/** The problem of an evaluation that failed; undefined for what is none of the profile's or account's. */
export const problemOf = (thrown: unknown, mask: Mask): Problem | undefined => {
  if (thrown instanceof Rejection) return problem(thrown.code ?? 'rejected_by_profile', mask.text(thrown.message));
  if (thrown instanceof Failure) return problem(thrown.code, mask.text(thrown.message), thrown.place);
  return undefined;
};
