import { sha256 } from '../digest.ts';
import type { Engine } from '../mapping/engine.ts';
import type { Policy } from '../policy/policy.ts';
import type { Carrier } from './carrier.ts';
import { codesOf, type Homes } from './chain.ts';
import { checkWhole } from './check.ts';
import { contextFor } from './compile/context.ts';
import { compilePolicy } from './compile/policy.ts';
import { collectFindings, type Finding, hasErrors, sortFindings, withExcerpts } from './finding.ts';
import { mappingFiles } from './home-files.ts';
import { policy as POLICY } from './language/policy.ts';
import { applyWaivers, findNotes } from './lint/notes.ts';
import { lintPolicy } from './lint/policies.ts';
import { parseSource } from './source.ts';
import { textOf, valueOf } from './tree.ts';

const FOLDER = 'carriers/policies';

/** Names of the policies of a home. */
export const policyNames = ({ home }: Pick<Homes, 'home'>): readonly string[] =>
  home
    .list(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length));

/** Loads every policy of the home. `carriers`: those that load. Never throws for what stands in a file. */
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

/** `policy` is undefined when there are errors among the findings. */
export const loadPolicy = (
  name: string,
  { home }: Pick<Homes, 'home'>,
  carriers: ReadonlyMap<string, Carrier>,
  engine?: Engine,
): { readonly policy: Policy | undefined; readonly findings: readonly Finding[] } => {
  const findings = collectFindings();
  const path = `${FOLDER}/${name}.yaml`;
  const text = home.read(path) ?? '';
  const { root, findings: wrong } = parseSource(path, text);
  for (const finding of wrong) findings.add(finding);
  let policy: Policy | undefined;
  if (root !== undefined) {
    checkWhole(root, POLICY, 'the policy', findings);
    const named = valueOf(root, 'policy');
    if (named !== undefined && textOf(named) !== name)
      findings.report('wrong-code', named.place, `the file is named ${name}.yaml, but the policy "${textOf(named)}"`);
    const codes = codesOf(home);
    if (named !== undefined && [...codes, 'AUTO'].includes(name))
      findings.report('wrong-code', named.place, `orders could not name it: "${name}" is a carrier`);
    const context = contextFor(root, findings, mappingFiles([], findings), engine);
    const compiled = compilePolicy(context, root);
    if (compiled !== undefined) {
      policy = { ...compiled, hash: sha256(text).toString('hex') };
      lintPolicy(policy, context, { carriers, codes });
    }
  }
  const texts = new Map([[path, text]]);
  findNotes(texts, findings);
  const about = collectFindings();
  const kept = applyWaivers(findings.list(), texts, about, { isOwn: () => true, idle: new Set() });
  const found = withExcerpts(sortFindings([...kept, ...about.list()]), texts);
  return { policy: hasErrors(found) ? undefined : policy, findings: found };
};
