import type { Problem } from '../failure.ts';
import type { Roots } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import type { Answer } from './answer.ts';
import { performCall } from './call.ts';
import type { CallContext } from './call-context.ts';
import type { CallScope } from './scope.ts';

/** A call that succeeded and can be taken back. */
export interface Undoable {
  readonly step: Step;
  readonly call: CallScope;
  readonly answer: Answer | undefined;
}

/** After the step's id: the call that takes it back. */
export const UNDO = '~undo';

export type Undone =
  | { readonly kind: 'undone' }
  | { readonly kind: 'waiting'; readonly dueAtMs: number; readonly problem: Problem }
  /** By name, for an operator: the carrier still has what this call made. */
  | { readonly kind: 'stuck'; readonly problem: Problem };

/** Takes successes back, the last first, each with the item and answer of its call. Stops at the first that must wait. */
export const undoAll = async (
  context: CallContext,
  successes: readonly Undoable[],
  openFor: (call: CallScope) => Roots,
): Promise<Undone> => {
  const undoContext: CallContext = {
    ...context,
    operation: context.operation + UNDO,
    // Taking back twice is harmless.
    idempotency: { by: 'reference', forMs: undefined },
    lookUp: undefined,
  };
  const stuck: Problem[] = [];
  for (const { step, call, answer } of successes.toReversed()) {
    if (step.undo === undefined) continue;
    const undoCall = { ...call, step: call.step + UNDO };
    // What `lookup` found has no answer of its own.
    const { response: _, ...open } = openFor(undoCall);
    const roots = answer === undefined ? open : { ...open, response: answer };
    const end = await performCall(undoContext, step.undo, undoCall, roots);
    if (end.kind === 'waiting') return { kind: 'waiting', dueAtMs: end.dueAtMs, problem: end.problem };
    if (end.kind !== 'succeeded') stuck.push(nameIt(step, call, end.problem));
  }
  const [first] = stuck;
  if (first === undefined) return { kind: 'undone' };
  return { kind: 'stuck', problem: { ...first, messages: stuck.flatMap(({ messages }) => messages) } };
};

const nameIt = (step: Step, call: CallScope, reason: Problem): Problem => ({
  ...reason,
  messages: [
    `could not take back step ${step.id}${call.index === undefined ? '' : `, element ${call.index}`}`,
    ...reason.messages,
  ],
});
