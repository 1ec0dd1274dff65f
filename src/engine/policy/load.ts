import { sha256 } from '../digest.ts';
import { didYouMean } from '../mapping/closest.ts';
import type { Engine } from '../mapping/engine.ts';
import type { Carrier } from '../profile/carrier.ts';
import type { Homes } from '../profile/chain.ts';
import { checkWhole } from '../profile/check.ts';
import { compilePolicy } from '../profile/compile/policy.ts';
import { contextFor } from '../profile/compile/context.ts';
import { collectFindings, type Finding, hasErrors, sortFindings, withExcerpts } from '../profile/finding.ts';
import { mappingFiles } from '../profile/home-files.ts';
import { policy as POLICY } from '../profile/language/policy.ts';
import { parseSource } from '../profile/source.ts';
import { textOf, valueOf } from '../profile/tree.ts';
import type { Policy } from './policy.ts';

export const POLICIES = 'carriers/policies';

export const policyNames = ({ home }: Pick<Homes, 'home'>): readonly string[] =>
  home
    .list(POLICIES)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length));

export interface LoadedPolicy {
  /** undefined when there are errors among the findings. */
  readonly policy: Policy | undefined;
  readonly findings: readonly Finding[];
}

/** Loads every `carriers/policies/*.yaml` of the home. Never throws for what stands in a file. */
export const loadPolicies = (homes: Homes, carriers: ReadonlyMap<string, Carrier>, engine?: Engine) => {
  const policies = new Map<string, Policy>();
  const findings: Finding[] = [];
  for (const name of policyNames(homes)) {
    const loaded = loadPolicy(name, homes, carriers, engine);
    findings.push(...loaded.findings);
    if (loaded.policy !== undefined) policies.set(name, loaded.policy);
  }
  return { policies, findings };
};

/** `carriers`: those of the home, which it may name. */
export const loadPolicy = (
  name: string,
  { home }: Pick<Homes, 'home'>,
  carriers: ReadonlyMap<string, Carrier>,
  engine?: Engine,
): LoadedPolicy => {
  const findings = collectFindings();
  const path = `${POLICIES}/${name}.yaml`;
  const text = home.read(path);
  let policy: Policy | undefined;
  if (text === undefined) {
    const help = didYouMean(name, policyNames({ home }));
    findings.report('missing-file', { file: path, line: 1, column: 1 }, `there is no ${path}`, help);
  } else {
    const { root, findings: wrong } = parseSource(path, text);
    for (const finding of wrong) findings.add(finding);
    if (root !== undefined) {
      checkWhole(root, POLICY, 'the policy', findings);
      const named = valueOf(root, 'policy');
      if (named !== undefined && textOf(named) !== name)
        findings.report('wrong-code', named.place, `the file is named ${name}.yaml, but the policy "${textOf(named)}"`);
      const context = contextFor(root, findings, mappingFiles([], findings), engine);
      const compiled = compilePolicy(context, root);
      if (compiled !== undefined) policy = { ...compiled, hash: sha256(text).toString('hex') };
    }
  }
  const found = withExcerpts(sortFindings(findings.list()), new Map(text === undefined ? [] : [[path, text]]));
  return { policy: hasErrors(found) ? undefined : policy, findings: found };
};
