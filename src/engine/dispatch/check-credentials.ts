/** Whether a carrier takes an account's credentials: its `probe`, else its login. Nothing is changed there. */
import { type Problem, problem } from '../failure.ts';
import type { Operation, Step } from '../profile/carrier.ts';
import { maskOf } from './account-mask.ts';
import type { Ports, Run, RunOutcome } from './ports.ts';
import { proveAlone } from './prove-alone.ts';
import { runOperation } from './operation.ts';
import { evaluateEnvironment, evaluationContextOf } from './scope.ts';

export type CheckedCredentials =
  | { readonly kind: 'good' }
  /** The carrier, or the profile, does not take them. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** No answer that says anything of them. */
  | { readonly kind: 'unclear'; readonly problem: Problem }
  /** The profile has no probe, and its auth no login. */
  | { readonly kind: 'nothing_to_ask' };

/** `ports.tokens` should hold no token yet: then the login itself is asked. */
export const checkCredentials = async (
  run: Omit<Run, 'operation' | 'inputs'>,
  ports: Ports,
): Promise<CheckedCredentials> => {
  const { probe } = run.carrier.operations;
  if (probe !== undefined) return meaningOf(await runOperation({ ...run, operation: probe, inputs: {} }, ports));
  const found = loginOf(Object.values(run.carrier.operations));
  return found === undefined
    ? { kind: 'nothing_to_ask' }
    : await logIn({ ...run, operation: found.operation, inputs: {} }, ports, found.step);
};

const loginOf = (operations: readonly Operation[]): { operation: Operation; step: Step } | undefined => {
  for (const operation of operations) {
    const step = operation.steps.find(({ auth }) => auth.some(({ kind }) => kind === 'oauth2' || kind === 'session'));
    if (step !== undefined) return { operation, step };
  }
  return undefined;
};

const meaningOf = (outcome: RunOutcome): CheckedCredentials => {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'good' };
    case 'rejected':
      return { kind: 'refused', problem: outcome.problem };
    case 'held':
      return { kind: outcome.why === 'config_error' ? 'refused' : 'unclear', problem: outcome.problem };
    case 'waiting':
      return { kind: 'unclear', problem: outcome.problem };
  }
};

const logIn = async (run: Run, ports: Ports, step: Step): Promise<CheckedCredentials> => {
  const mask = maskOf(run.carrier, run.account);
  const context = evaluationContextOf(run, ports.attemptLog, undefined, mask);
  const environment = await evaluateEnvironment(run, context, true);
  const proving = await proveAlone(run, ports, { step, mask, operation: 'probe', context, environment });
  if (proving.ok) return { kind: 'good' };
  const reason = problem(proving.problem.code, proving.problem.messages.map(mask.text), proving.problem.place);
  return { kind: proving.as === 'config_error' ? 'refused' : 'unclear', problem: reason };
};
