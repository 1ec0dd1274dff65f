/** The shared state of a run, one HTTP call of it, and the outcome of a call. */
import type { Roots } from '../mapping/mapping.ts';
import { type Idempotency, type Operation, READS, type Step } from '../profile/carrier.ts';
import type { Mask } from '../transport/masking.ts';
import type { Answer } from './answer.ts';
import { maskOf } from './exchange.ts';
import type { Problem } from '../failure.ts';
import type { Exchange, FailedCall, KeptAnswer, Ports, Run, RunOutcome } from './ports.ts';
import { type CallScope, evaluateEnvironment, evaluationContextOf, openRoots } from './scope.ts';

/** Asks the carrier whether it carried out a call of unknown outcome; `done` with no result: it did not. */
export type LookUp = (
  lookup: Operation,
  call: CallScope,
  steps: RunContext['steps'],
) => Promise<
  | Exclude<RunOutcome, { kind: 'done' }>
  | { readonly kind: 'not_asked' }
  | { readonly kind: 'done'; readonly result: unknown; readonly answer: KeptAnswer | undefined }
>;

/** One HTTP call of a run: a step, for one element where it has several. */
export interface Call {
  readonly step: Step;
  readonly scope: CallScope;
  /** No secret among them. */
  readonly roots: Roots;
  /** As exchanges name it: the operation, `<operation>~undo` or `login`. */
  readonly operation: string;
  readonly isRead: boolean;
  /** What the carrier promises of a repeat. */
  readonly idempotency: Idempotency;
}

export interface Success {
  readonly call: Call;
  readonly answer: Answer | undefined;
  /** What the carrier's `lookup` yielded in the place of the answer, and what that was answered. */
  readonly found?: unknown;
  readonly lookedUp?: Answer | undefined;
}

/** What one request came to; its exchange is masked. */
export type CallOutcome =
  | {
      readonly word: 'succeed';
      readonly answer: Answer;
      readonly raw: KeptAnswer;
      readonly exchange?: Exchange | undefined;
    }
  | FailedCall;

/** Runs a login as a call of its own, seeing the roots of the call that needs it. */
export type LogIn = (context: RunContext, login: Step, roots: Roots) => Promise<CallOutcome>;

/** Throws a `Failure` when the environment cannot be evaluated. */
export const createRunContext = async (
  run: Run,
  ports: Ports,
  mask: Mask = maskOf(run.carrier, run.account),
  lookUp?: LookUp,
) => ({
  run,
  ports,
  /** Learns every secret that the run comes by. */
  mask,
  /** Without the values that are made of credentials. */
  environment: await evaluateEnvironment(run, evaluationContextOf(run, ports.attemptLog, undefined, mask), false),
  /** Changes nothing at the carrier: asking again is harmless. */
  isRead: READS.has(run.operation.name),
  lookUp,
  /** The root `steps`: the answers so far. */
  steps: { ...run.steps } as Record<string, unknown>,
  /** The root `response`: the last step's answer, unless that was a forEach. */
  response: undefined as unknown,
  successes: [] as Success[],
  /** What failed and ends nothing: of a step that is not needed, or of a create that may be partial. */
  missed: [] as { readonly step: Step; readonly scope?: CallScope; readonly problem: Problem }[],
});
export type RunContext = Awaited<ReturnType<typeof createRunContext>>;

/** The roots of an expression of this run, or of one of its calls. */
export const rootsOf = ({ run, environment, steps, response }: RunContext, scope?: CallScope): Roots => {
  const roots = openRoots(run, environment, steps, scope);
  return response === undefined ? roots : { ...roots, response };
};
