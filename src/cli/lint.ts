import { join } from 'node:path';
import { Option } from 'commander';
import type { Homes } from '../engine/profile/chain.ts';
import type { Finding } from '../engine/profile/finding.ts';
import type { ProfileBundle } from '../engine/profile/load.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, type Terminal, writeJson } from './command.ts';

const FORMATS = ['pretty', 'json', 'sarif', 'github'] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  readonly json?: boolean;
  readonly format?: Format;
  readonly fix?: boolean;
  readonly timing?: boolean;
}

export const addLint: AddCommand = (program, terminal, ran) => {
  program
    .command('lint')
    .summary('check profiles and mappings')
    .description('Checks the profiles of carriers and their mappings, of all carriers unless some are named.')
    .argument('[carrier...]', 'codes of carriers')
    .option('--json', 'one JSON object instead of text')
    .addOption(new Option('--format <format>', 'how findings are written').choices(FORMATS))
    .option('--fix', 'mend what can be mended without changing what is meant')
    .option('--timing', 'say how long the check took')
    .action(async (carriers: string[], options: Options) => {
      if (options.fix === true) terminal.endOnInterrupt();
      ran(await lint(carriers, options, terminal));
    });
};

const lint = async (named: readonly string[], options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { chooseCodes, codesOfHome, homeOf, homesOf } = await import('./home.ts');
  const [home, homes] = [homeOf(terminal), homesOf(terminal)];
  const codes = chooseCodes(named, codesOfHome(homes), home);
  const check = await checker(codes, named.length === 0, homes, home);
  const startedAt = performance.now();
  const before = check();
  const mended = options.fix === true ? await mend(before.findings, homes, home) : [];
  const checked = mended.length === 0 ? before : check();
  if (options.timing === true) terminal.error(`checked in ${Math.round(performance.now() - startedAt)} ms\n`);
  await write({ codes, mended, ...checked }, options, terminal);
  return checked.findings.length === 0 ? GOOD : FINDINGS;
};

interface Checked {
  readonly findings: readonly Finding[];
  readonly bundles: readonly ProfileBundle[];
}

interface Outcome extends Checked {
  readonly codes: readonly string[];
  /** Findings that were mended. */
  readonly mended: readonly Finding[];
}

const checker = async (codes: readonly string[], all: boolean, homes: Homes, home: string): Promise<() => Checked> => {
  const { loadCarrier, loadHome } = await import('../engine/profile/load.ts');
  const { collectFindings } = await import('../engine/profile/finding.ts');
  const { directoryCaseFiles } = await import('../workbench/cases/case-files.ts');
  const { evidenceWithCases } = await import('../workbench/cases/evidence.ts');
  const { checkingEngine } = await import('../engine/mapping/chosen-engine.ts');
  const evidence = evidenceWithCases(directoryCaseFiles(home));
  return () => {
    if (all) {
      const { findings, bundles } = loadHome(homes, evidence, checkingEngine);
      return { findings, bundles: [...bundles.values()] };
    }
    const findings = collectFindings();
    const carriers = codes.map((code) => loadCarrier(code, homes, evidence, checkingEngine));
    for (const carrier of carriers) for (const finding of carrier.findings) findings.add(finding);
    return { findings: findings.list(), bundles: carriers.map(({ bundle }) => bundle) };
  };
};

/** Rewrites the files whose findings can be mended: each whole, or not at all. */
const mend = async (
  findings: readonly Finding[],
  { home: files }: Homes,
  home: string,
): Promise<readonly Finding[]> => {
  const { applyFixes } = await import('../engine/profile/fix.ts');
  const { replaceFile } = await import('../workbench/write-files.ts');
  const mended: Finding[] = [];
  for (const [file, found] of Map.groupBy(findings, ({ place }) => place.file)) {
    const text = files.read(file);
    if (text === undefined) continue;
    const fixed = applyFixes(text, found);
    if (fixed.applied.length > 0) replaceFile(join(home, file), fixed.text);
    mended.push(...fixed.applied);
  }
  return mended;
};

const write = async (outcome: Outcome, options: Options, terminal: Terminal): Promise<void> => {
  const { codes, findings, mended } = outcome;
  const { jsonFinding, showFinding } = await import('./show-finding.ts');
  const { githubOf, sarifOf } = await import('./lint-formats.ts');
  const { homeOf } = await import('./home.ts');
  switch (options.format ?? (options.json === true ? 'json' : 'pretty')) {
    case 'json': {
      const fixed = options.fix === true ? { fixed: mended.map(jsonFinding) } : {};
      const mappings = mappingsOf(outcome.bundles);
      const ok = findings.length === 0;
      writeJson(terminal, { ok, carriers: codes, findings: findings.map(jsonFinding), ...fixed, mappings });
      return;
    }
    case 'sarif': {
      const { versionOf } = await import('./version.ts');
      writeJson(terminal, sarifOf(findings, versionOf(terminal.packageRoot), homeOf(terminal)));
      return;
    }
    case 'github':
      terminal.out(githubOf(findings));
      return;
    case 'pretty':
      for (const finding of findings) terminal.out(`${showFinding(finding)}\n`);
      if (mended.length > 0) terminal.out(`${count(mended.length, 'finding')} mended\n`);
      terminal.out(summaryOf(codes, findings, homeOf(terminal)));
  }
};

/** The mapping files that the carriers use. */
const mappingsOf = (bundles: readonly ProfileBundle[]): readonly { readonly file: string }[] => {
  const files = new Set(bundles.flatMap((bundle) => Object.keys(bundle.files)));
  return [...files].filter((file) => file.endsWith('.jsonata')).map((file) => ({ file }));
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const summaryOf = (codes: readonly string[], findings: readonly Finding[], home: string): string => {
  if (codes.length === 0) return `no carriers in ${home}/carriers\n`;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const checked = count(codes.length, 'carrier');
  return findings.length === 0
    ? `${checked}, no findings\n`
    : `${checked}: ${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}\n`;
};
