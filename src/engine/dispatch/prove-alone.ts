/** Who we are, where no request of a step is to be sent. */
import type { EvaluationContext } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import type { Mask } from '../transport/masking.ts';
import { askLogin } from './ask.ts';
import type { Proving } from './auth/auth-material.ts';
import type { Ports, Run } from './ports.ts';
import { proofFor } from './prepare.ts';
import { evaluateEnvironment, openRoots } from './scope.ts';

export interface Alone {
  readonly step: Step;
  readonly mask: Mask;
  /** What the attempt log calls a login for it. */
  readonly operation: string;
  readonly context: EvaluationContext;
  /** All of it, secrets included. */
  readonly environment: Readonly<Record<string, unknown>>;
}

/** By the auths of the step; logs in where a token is needed. */
export const proveAlone = async (
  run: Run,
  ports: Ports,
  { step, mask, operation, context, environment }: Alone,
): Promise<Proving> => {
  const asking = {
    run,
    ports,
    mask,
    operation,
    isRead: true,
    once: false,
    step,
    call: { step: step.id, element: 0 },
    open: openRoots(run, await evaluateEnvironment(run, context, false), {}),
    attempt: 1,
    beforeSend: () => Promise.resolve(),
  };
  return await proofFor(asking, { environment, context, askLogin });
};
