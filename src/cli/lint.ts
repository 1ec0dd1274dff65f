import { join } from 'node:path';
import { Option } from 'commander';
import { checkingEngine } from '../engine/mapping/chosen-engine.ts';
import type { HomeFiles } from '../engine/profile/home-files.ts';
import { applyFixes, collectFindings, type Finding } from '../engine/profile/finding.ts';
import { policyNames } from '../engine/profile/policies.ts';
import { loadCarrier, loadHome, type ProfileBundle } from '../engine/profile/load.ts';
import { directoryCaseFiles } from '../workbench/cases/read.ts';
import { evidenceWithCases } from '../workbench/cases/evidence.ts';
import { replaceFile } from '../workbench/write-files.ts';
import {
  type DeclareCommand,
  EXIT,
  JSON_OPTION,
  type JsonOption,
  packageVersion,
  type Terminal,
  writeJson,
} from './command.ts';
import { githubOf, jsonFinding, sarifOf, showFinding, showUnconfirmed } from './findings.ts';
import { chooseCodes, homeOf, homesOf } from './home.ts';

const FORMATS = ['pretty', 'json', 'sarif', 'github'] as const;

interface Options extends JsonOption {
  readonly format?: (typeof FORMATS)[number];
  readonly fix?: boolean;
  readonly timing?: boolean;
}

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description('Checks profiles and mappings (default: of all carriers, and policies and tariffs).')
    .argument('[carrier...]', 'carrier codes')
    .option(...JSON_OPTION)
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS))
    .option('--fix', 'fix findings that have only one possible fix')
    .option('--timing', 'print the duration');
  act(command, async (named: string[], options: Options) => {
    if (options.fix === true) terminal.endOnInterrupt();
    const codes = chooseCodes(named, terminal);
    const startedAt = performance.now();
    const check = (): Checked => checkCarriers(named.length === 0 ? undefined : codes, terminal);
    const before = check();
    const mended = options.fix === true ? mend(before.findings, homesOf(terminal).home, homeOf(terminal)) : [];
    const checked = mended.length === 0 ? before : check();
    if (options.timing === true) terminal.error(`checked in ${Math.round(performance.now() - startedAt)} ms\n`);
    write({ codes, mended, ...checked }, options, terminal);
    return await Promise.resolve(checked.findings.length === 0 ? EXIT.good : EXIT.findings);
  });
};

interface Checked {
  readonly findings: readonly Finding[];
  readonly bundles: readonly ProfileBundle[];
  /** How many were checked. */
  readonly policies: number;
}

/** `codes` undefined: the whole home. */
const checkCarriers = (codes: readonly string[] | undefined, terminal: Terminal): Checked => {
  const homes = homesOf(terminal);
  const evidence = evidenceWithCases(directoryCaseFiles(homeOf(terminal)));
  if (codes === undefined) {
    const { findings, bundles } = loadHome(homes, evidence, checkingEngine);
    return { findings, bundles: [...bundles.values()], policies: policyNames(homes).length };
  }
  const findings = collectFindings();
  const carriers = codes.map((code) => loadCarrier(code, homes, evidence, checkingEngine));
  for (const carrier of carriers) for (const finding of carrier.findings) findings.add(finding);
  return { findings: findings.list(), bundles: carriers.map(({ bundle }) => bundle), policies: 0 };
};

/** Rewrites the files whose findings can be mended: each whole, or not at all. */
const mend = (findings: readonly Finding[], files: HomeFiles, home: string): readonly Finding[] => {
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

interface Outcome extends Checked {
  readonly codes: readonly string[];
  /** Findings that were mended. */
  readonly mended: readonly Finding[];
}

const write = ({ codes, findings, mended, bundles, policies }: Outcome, options: Options, terminal: Terminal): void => {
  switch (options.format ?? (options.json === true ? 'json' : 'pretty')) {
    case 'json': {
      const fixed = options.fix === true ? { fixed: mended.map(jsonFinding) } : {};
      const used = new Set(bundles.flatMap(({ files }) => Object.keys(files)));
      const mappings = [...used].filter((file) => file.endsWith('.jsonata')).map((file) => ({ file }));
      const ok = findings.length === 0;
      writeJson(terminal, { ok, carriers: codes, findings: findings.map(jsonFinding), ...fixed, mappings });
      return;
    }
    case 'sarif':
      writeJson(terminal, sarifOf(findings, packageVersion(terminal), homeOf(terminal)));
      return;
    case 'github':
      terminal.out(githubOf(findings));
      return;
    case 'pretty':
      for (const finding of findings) if (!isUnconfirmed(finding)) terminal.out(`${showFinding(finding)}\n`);
      if (findings.some(isUnconfirmed)) terminal.out(`${showUnconfirmed(findings.filter(isUnconfirmed))}\n`);
      if (mended.length > 0) terminal.out(`${count(mended.length, 'finding')} mended\n`);
      terminal.out(summaryOf({ codes, policies, findings }, homeOf(terminal)));
  }
};

const isUnconfirmed = ({ rule }: Finding): boolean => rule === 'unconfirmed';

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const summaryOf = (
  { codes, policies, findings }: Pick<Outcome, 'codes' | 'policies' | 'findings'>,
  home: string,
): string => {
  if (codes.length === 0) return `no carriers in ${home}/carriers\n`;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const few = policies === 1 ? '1 policy' : `${policies} policies`;
  const checked = `${count(codes.length, 'carrier')}${policies === 0 ? '' : `, ${few}`}`;
  return findings.length === 0
    ? `${checked}, no findings\n`
    : `${checked}: ${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}\n`;
};
