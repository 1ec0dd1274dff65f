import { carriersOf } from '../../engine/policy/choose.ts';
import type { Policy } from '../../engine/policy/policy.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { codesOf, type Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier } from '../../engine/profile/load.ts';
import { loadPolicy } from '../../engine/profile/policies.ts';

export interface OpenedPolicy {
  readonly policy: Policy;
  /** Those that it may choose from: all that it names, or all of the home. One that does not load is left out. */
  readonly carriers: readonly Carrier[];
}

/** With no more carriers than it needs. `opened` is undefined where the policy does not load, by these findings. */
export const tryPolicy = (
  name: string,
  homes: Homes,
  load = loaderOf(homes),
): { readonly opened: OpenedPolicy | undefined; readonly findings: readonly Finding[] } => {
  const { policy, findings } = loadPolicy(name, homes, new Map());
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (policy === undefined) return { opened: undefined, findings: errors };
  const takesAll = policy.rules.some(({ carriers }) => carriers === undefined);
  const codes = takesAll ? codesOf(homes.home) : carriersOf(policy);
  const loaded = codes.map(load);
  const broken = takesAll ? [] : loaded.flatMap((one) => one.findings);
  const carriers = loaded.flatMap(({ carrier }) => (carrier?.abstract === false ? [carrier] : []));
  return broken.length > 0 ? { opened: undefined, findings: broken } : { opened: { policy, carriers }, findings: [] };
};

/** Loads each carrier once; without one, why it does not load. */
export const loaderOf = (homes: Homes) => {
  const kept = new Map<string, { readonly carrier: Carrier | undefined; readonly findings: readonly Finding[] }>();
  return (code: string) => {
    const known = kept.get(code);
    if (known !== undefined) return known;
    const read = loadCarrier(code, homes);
    const carrier = draftOf(read);
    const findings = carrier === undefined ? read.findings.filter(({ severity }) => severity === 'error') : [];
    kept.set(code, { carrier, findings });
    return { carrier, findings };
  };
};
