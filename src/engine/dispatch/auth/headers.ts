import { createMask } from '../../transport/masking.ts';
import { allowedHosts } from '../hosts.ts';
import type { Ports, Run } from '../ports.ts';
import { proveAlone } from '../prove-alone.ts';
import { evaluateEnvironment, evaluationContextOf } from '../scope.ts';

/**
 * The headers that prove who we are to the host of a URL that the carrier gave us: those of the run's last step, and
 * none unless the profile declares that host (§2.7, labels).
 */
export const authHeadersFor = async (
  run: Run,
  ports: Ports,
  url: string,
): Promise<Readonly<Record<string, string>>> => {
  const step = run.operation.steps.at(-1);
  const context = evaluationContextOf(run, ports.attemptLog);
  const environment = await evaluateEnvironment(run, context, true);
  if (step === undefined || !allowedHosts(run.carrier, environment).allows(url)) return {};
  const mask = createMask([]);
  const proving = await proveAlone(run, ports, { step, mask, operation: 'label', context, environment });
  return proving.ok ? proving.proof.headers : {};
};
