/** Authenticates as a step does, where no request of it is to be sent. */
import type { Step } from '../../profile/carrier.ts';
import { logIn } from '../call.ts';
import { maskOf } from '../exchange.ts';
import type { FailedCall, Ports, Run } from '../ports.ts';
import { allowedHosts } from '../prepare.ts';
import { createRunContext, type RunContext, rootsOf } from '../run-context.ts';
import { evaluateForSending } from '../scope.ts';
import type { AuthMaterial } from './auth-material.ts';
import { authenticate } from './authenticate.ts';

/** `url`: only if a request to it is one to the carrier; undefined where it is not. Throws a `Failure` as `authenticate`. */
export const authenticateAlone = async (
  context: RunContext,
  step: Step,
  url?: string,
): Promise<AuthMaterial | FailedCall | undefined> => {
  const roots = rootsOf(context);
  return await evaluateForSending(context, { step: step.id, element: 0 }, roots, async (sending) =>
    url !== undefined && !allowedHosts(context.run.carrier, sending.environment).allows(url)
      ? undefined
      : await authenticate(context, { step, roots }, sending, logIn),
  );
};

/** Headers for a URL that the carrier gave, as the run's last step has them; none unless the profile declares its host. */
export const authHeadersFor = async (
  run: Run,
  ports: Ports,
  url: string,
): Promise<Readonly<Record<string, string>>> => {
  const step = run.operation.steps.at(-1);
  if (step === undefined) return {};
  const context = await createRunContext(run, ports, maskOf(run.carrier, run.account));
  const material = await authenticateAlone(context, step, url);
  return material === undefined || 'word' in material ? {} : material.headers;
};
