import { createMask } from '../transport/masking.ts';
import { askLogin } from './ask.ts';
import type { Asking } from './asking.ts';
import { allowedHosts } from './hosts.ts';
import type { Ports, Run } from './ports.ts';
import { proofFor } from './prepare.ts';
import { evaluateEnvironment, openRoots, surroundingsOf } from './scope.ts';

/**
 * The headers that prove who we are to the host of a URL that the carrier gave us: those of the run's last step, and
 * none unless the profile declares that host (§2.7, labels).
 */
export const headersFor = async (run: Run, ports: Ports, url: string): Promise<Readonly<Record<string, string>>> => {
  const step = run.operation.steps.at(-1);
  const surroundings = surroundingsOf(run, ports.ledger);
  const environment = await evaluateEnvironment(run, surroundings, true);
  if (step === undefined || !allowedHosts(run.carrier, environment).allows(url)) return {};
  const asking: Asking = {
    run,
    ports,
    mask: createMask([]),
    operation: 'label',
    isRead: true,
    once: false,
    step,
    call: { step: step.id, element: 0 },
    open: openRoots(run, await evaluateEnvironment(run, surroundings, false), {}),
    attempt: 1,
    beforeSend: () => Promise.resolve(),
  };
  const proving = await proofFor(asking, { environment, surroundings, askLogin });
  return proving.ok ? proving.proof.headers : {};
};
