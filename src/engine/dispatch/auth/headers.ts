/** Authenticates as a step does, where no request of it is to be sent. */
import type { Step } from '../../profile/carrier.ts';
import { logIn } from '../call.ts';
import { maskProblem } from '../exchange.ts';
import type { FailedCall, Ports, Run } from '../ports.ts';
import { allowedHosts } from '../prepare.ts';
import { createRunContext, rootsOf } from '../run-context.ts';
import { evaluateForSending } from '../scope.ts';
import { authenticate, type AuthMaterial, NO_MATERIAL } from './authenticate.ts';

/** `url`: only if a request to it is one to the carrier, else nothing. Throws a `Failure` as `authenticate`. */
export const authenticateAlone = async (
  run: Run,
  ports: Ports,
  step: Step,
  url?: string,
): Promise<AuthMaterial | FailedCall> => {
  const context = await createRunContext(run, ports);
  const roots = rootsOf(context);
  const material = await evaluateForSending(context, { step: step.id, element: 0 }, roots, async (scope) =>
    url === undefined || allowedHosts(run.carrier, scope.environment).allows(url)
      ? await authenticate(context, { step, roots }, scope, logIn)
      : NO_MATERIAL,
  );
  return 'word' in material ? { ...material, problem: maskProblem(context.mask, material.problem) } : material;
};

/** Headers for a URL that the carrier gave, as the run's last step has them; none unless the profile declares its host. */
export const authHeadersFor = async (run: Run, ports: Ports, url: string): Promise<AuthMaterial['headers']> => {
  const step = run.operation.steps.at(-1);
  const material = step === undefined ? NO_MATERIAL : await authenticateAlone(run, ports, step, url);
  return 'word' in material ? {} : material.headers;
};
