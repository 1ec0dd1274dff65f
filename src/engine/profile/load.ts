import type { Carrier } from './carrier.ts';
import { codesOf, hashTexts, type Homes, profilePath, readChain } from './chain.ts';
import { checkShape } from './check.ts';
import { compileProfile } from './compile/profile.ts';
import type { Engine } from '../mapping/engine.ts';
import { contextFor } from './compile/context.ts';
import { collectFindings, type Finding, type Findings, hasErrors, sortFindings, withExcerpts } from './finding.ts';
import { type HomeFiles, mappingFiles, memoryFiles } from './home-files.ts';
import { lintProfile } from './lint/lint.ts';
import { lintUnnamed } from './lint/unnamed.ts';
import { type LintInput, type Evidence, schemasOnly } from './lint/rule.ts';
import { applyWaivers, findNotes } from './lint/notes.ts';
import { loadPolicies } from './policies.ts';
import type { RuleName } from './rules.ts';
import { textOf, valueOf } from './tree.ts';

/**
 * Every text a carrier is made of, by path: its profile, its bases, its mappings. Kept under the carrier's hash, it
 * yields the same carrier again, so that an operation ends on the version it began with.
 */
export interface ProfileBundle {
  readonly code: string;
  readonly files: Readonly<Record<string, string>>;
}

export interface LoadedCarrier {
  /** undefined when there are errors among the findings. */
  readonly carrier: Carrier | undefined;
  readonly bundle: ProfileBundle;
  readonly findings: readonly Finding[];
}

/** Loads every `carriers/*.yaml` of the home, and its policies. Never throws for what stands in a file. */
export const loadHome = (homes: Homes, evidenceFor: EvidenceFor = schemasOnly, engine?: Engine) => {
  /** By code, abstract ones included; those with errors are left out, and keep nobody else from loading. */
  const carriers = new Map<string, Carrier>();
  const bundles = new Map<string, ProfileBundle>();
  const findings = collectFindings();
  const codes = codesOf(homes.home);
  checkFileNames(homes.home, codes, findings);
  for (const code of codes) {
    try {
      const { carrier, bundle, findings: found } = loadCarrier(code, homes, evidenceFor, engine);
      for (const finding of found) findings.add(finding);
      bundles.set(code, bundle);
      if (carrier !== undefined) carriers.set(code, carrier);
    } catch (thrown) {
      // A file that the system will not let us read is the problem of one carrier, not of all.
      if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
      const place = { file: profilePath(code), line: 1, column: 1 };
      findings.report('unreadable', place, `a file of this carrier: ${thrown.message}`);
      bundles.set(code, { code, files: {} });
    }
  }
  const used = new Set([...bundles.values()].flatMap((bundle) => Object.keys(bundle.files)));
  for (const code of codes) {
    // A profile that does not load may not have come to its mappings.
    if (carriers.has(code)) findUnusedFiles(code, homes.home, used, findings);
  }
  lintUnnamed(homes.home, { used, isWhole: codes.every((code) => carriers.has(code)) }, findings, engine);
  const { policies, findings: ofPolicies } = loadPolicies(homes, carriers, engine);
  for (const finding of ofPolicies) findings.add(finding);
  return { carriers, bundles, policies, findings: findings.list() };
};

/** What is known of a carrier beside its profile and mappings; what it cannot read is a finding. */
export type EvidenceFor = (code: string, homes: Homes, findings: Findings) => Evidence;

/** Loads one carrier of the home, with the bases it extends. */
export const loadCarrier = (code: string, homes: Homes, evidenceFor?: EvidenceFor, engine?: Engine): LoadedCarrier =>
  openCarrier(code, homes, evidenceFor, engine).linted();

/** As `loadCarrier`, by halves: `unlinted` is for trying it, never for serving. */
export const openCarrier = (
  code: string,
  homes: Homes,
  evidenceFor: EvidenceFor = schemasOnly,
  engine?: Engine,
): { readonly unlinted: () => LoadedCarrier; readonly linted: () => LoadedCarrier } => {
  const read = readProfile(code, homes, evidenceFor, engine);
  const { texts, findings, evidence, input } = read;
  return {
    unlinted: () => loaded(code, read, findings.list()),
    linted: () => {
      if (input !== undefined) lintProfile(input);
      findNotes(texts, findings);
      const about = collectFindings();
      const isOwn = (file: string): boolean => file === profilePath(code) || file.startsWith(`mappings/${code}/`);
      const idle = new Set<RuleName>(evidence.words().keys.size === 0 ? ['unshown-path', 'unshown-word'] : []);
      const kept = applyWaivers(findings.list(), texts, about, { isOwn, idle });
      return loaded(code, read, [...kept, ...about.list()]);
    },
  };
};

/** Compiles kept texts again. They were linted when they were new. */
export const loadBundle = ({ code, files }: ProfileBundle, engine?: Engine): LoadedCarrier => {
  const homes = { home: memoryFiles(files), shipped: memoryFiles({}) };
  const read = readProfile(code, homes, schemasOnly, engine);
  return loaded(code, read, read.findings.list());
};

/** Loads a carrier despite unconfirmed suggestions: for tests, never for serving. */
export const draftOf = ({ carrier, bundle, findings }: LoadedCarrier, engine?: Engine): Carrier | undefined => {
  if (carrier !== undefined) return carrier;
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.every(({ rule }) => rule === 'unconfirmed') ? loadBundle(bundle, engine).carrier : undefined;
};

type ReadProfile = ReturnType<typeof readProfile>;

const loaded = (code: string, { texts, input }: ReadProfile, found: readonly Finding[]): LoadedCarrier => {
  const findings = withExcerpts(sortFindings(found), texts);
  const bundle: ProfileBundle = { code, files: Object.fromEntries(texts) };
  const isSound = input !== undefined && !hasErrors(findings);
  return { carrier: isSound ? { ...input.carrier, hash: hashTexts(code, bundle.files) } : undefined, bundle, findings };
};

/** Reads, merges, checks and compiles. `input` is undefined when the profile, or a base, cannot be read. */
const readProfile = (code: string, homes: Homes, evidenceFor: EvidenceFor, engine?: Engine) => {
  const findings = collectFindings();
  const { links, root } = readChain(code, homes, findings);
  const files = mappingFiles(links, findings, [homes.home, homes.shipped]);
  const evidence = evidenceFor(code, homes, findings);
  let input: LintInput | undefined;
  if (root !== undefined) {
    checkShape(root, findings, textOf(valueOf(root, 'abstract')) === 'true');
    const context = contextFor(root, findings, files, engine);
    input = { ...context, carrier: compileProfile(context, code), evidence };
  }
  // Which mapping files are found is known when all is compiled.
  const texts = new Map([...links.map((link) => [link.path, link.text] as const), ...files.found]);
  return { texts, findings, evidence, input };
};

/** What lint reads of a carrier; undefined when its profile cannot be read. */
export const lintInputOf = (code: string, homes: Homes, evidenceFor: EvidenceFor): LintInput | undefined =>
  readProfile(code, homes, evidenceFor).input;

const checkFileNames = (home: HomeFiles, codes: readonly string[], findings: Findings): void => {
  const known = new Set(codes.map((code) => `${code}.yaml`));
  for (const name of home.list('carriers')) {
    if (known.has(name) || !/\.ya?ml$/.test(name)) continue;
    const place = { file: `carriers/${name}`, line: 1, column: 1 };
    const help = 'name it <carrier code>.yaml: letters, digits, _ and -';
    findings.add({ rule: 'wrong-code', severity: 'warning', place, message: 'this file is not read', help });
  }
};

/** unused: mapping files in a carrier's folder that no profile of the home names. */
const findUnusedFiles = (code: string, home: HomeFiles, used: ReadonlySet<string>, findings: Findings): void => {
  for (const name of home.list(`mappings/${code}`)) {
    const file = `mappings/${code}/${name}`;
    if (!name.endsWith('.jsonata') || used.has(file)) continue;
    findings.report('unused', { file, line: 1, column: 1 }, 'no profile names this file', 'use it, or remove it');
  }
};
