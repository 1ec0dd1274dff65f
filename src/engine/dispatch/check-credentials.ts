/** Whether a carrier accepts an account's credentials: by its `probe`, else by a login. Changes nothing there. */
import type { Problem } from '../failure.ts';
import type { Step } from '../profile/carrier.ts';
import { authenticateAlone } from './auth/headers.ts';
import { runOperation } from './operation.ts';
import type { Ports, Run, RunOutcome } from './ports.ts';

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
  let isSent = false;
  const send: Ports['send'] = async (...request) => {
    const outcome = await ports.send(...request);
    isSent ||= outcome.kind !== 'not_sent';
    return outcome;
  };
  const checked = await askCarrier(run, { ...ports, send });
  // Only the carrier can refuse them: a variable that is missing here, or a URL that may not be called, says nothing of them.
  return checked.kind === 'refused' && !isSent ? { ...checked, kind: 'unclear' } : checked;
};

const askCarrier = async (run: Omit<Run, 'operation' | 'inputs'>, ports: Ports): Promise<CheckedCredentials> => {
  const { probe } = run.carrier.operations;
  if (probe !== undefined) return meaningOf(await runOperation({ ...run, operation: probe, inputs: {} }, ports));
  for (const operation of Object.values(run.carrier.operations)) {
    const step = operation.steps.find(needsLogin);
    if (step === undefined) continue;
    const material = await authenticateAlone({ ...run, operation, inputs: {} }, ports, step);
    if (!('word' in material)) return { kind: 'good' };
    return { kind: material.word === 'config_error' ? 'refused' : 'unclear', problem: material.problem };
  }
  return { kind: 'nothing_to_ask' };
};

const needsLogin = ({ auth }: Step): boolean => auth.some(({ kind }) => kind === 'oauth2' || kind === 'session');

const meaningOf = (outcome: RunOutcome): CheckedCredentials => {
  if (outcome.kind === 'done') return { kind: 'good' };
  const isRefused = outcome.kind === 'rejected' || (outcome.kind === 'held' && outcome.why === 'config_error');
  return { kind: isRefused ? 'refused' : 'unclear', problem: outcome.problem };
};
