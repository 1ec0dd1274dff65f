import { setImmediate } from 'node:timers/promises';
import type { CaseReport } from '../case/report.ts';
import type { Finding } from '../profile/finding.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, type Terminal, writeJson } from './command.ts';

interface Options {
  readonly json?: boolean;
  readonly accept?: boolean;
  readonly acceptConfigErrors?: boolean;
}

export const addTest: AddCommand = (program, terminal, ran) => {
  program
    .command('test')
    .summary('run cases')
    .description('Runs the cases in fixtures/<carrier>/, of all carriers unless some are named. No network is used.')
    .argument('[carrier...]', 'codes of carriers')
    .option('--json', 'one JSON object instead of text')
    .option('--accept', 'write what was seen into the cases, after showing the differences')
    .option('--accept-config-errors', 'the same, also where a step turned out to end in config_error')
    .action(async (carriers: string[], options: Options) => {
      if (isAccepting(options)) terminal.endOnInterrupt();
      ran(await test(carriers, options, terminal));
    });
};

const isAccepting = ({ accept, acceptConfigErrors }: Options): boolean =>
  accept === true || acceptConfigErrors === true;

interface Ran {
  readonly reports: readonly CaseReport[];
  /** Of carriers that do not load. */
  readonly findings: readonly Finding[];
  /** Codes that were named, but have none. */
  readonly withoutCases: readonly string[];
  /** Files that were written. */
  readonly accepted: readonly string[];
  /** Cases that were not written, as they would tell of a broken run. */
  readonly refused: readonly string[];
}

const test = async (named: readonly string[], options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { jsonReport, showReport } = await import('./show-report.ts');
  const { jsonFinding, showFinding } = await import('./show-finding.ts');
  const show = (text: string): void => {
    if (options.json !== true) terminal.out(text);
  };
  const ran = await runAll(named, options, terminal, (report) => show(showReport(report)));
  const failed = ran.reports.filter(({ passed }) => !passed).length;
  const passed = ran.reports.length - failed;
  const ok = failed === 0 && ran.findings.length === 0 && ran.withoutCases.length === 0;
  if (options.json === true) {
    writeJson(terminal, {
      ok,
      passed,
      failed,
      cases: ran.reports.map(jsonReport),
      findings: ran.findings.map(jsonFinding),
      withoutCases: ran.withoutCases,
      accepted: ran.accepted,
      refused: ran.refused,
    });
    return ok ? GOOD : FINDINGS;
  }
  for (const finding of ran.findings) show(`${showFinding(finding)}\n`);
  for (const code of ran.withoutCases) show(`${code} has no cases: there is no fixtures/${code}/*.yaml\n`);
  for (const file of ran.accepted) show(`written: ${file}\n`);
  for (const file of ran.refused) show(`not written: ${file}: ${REFUSAL}\n`);
  show(`${passed} passed, ${failed} failed\n`);
  return ok ? GOOD : FINDINGS;
};

const REFUSAL =
  'a step ends in config_error, so the profile or the account is to be mended; --accept-config-errors writes it all the same';

/** `tell` is told of each report as it comes; of one that is accepted, before anything is written. */
const runAll = async (
  named: readonly string[],
  options: Options,
  terminal: Terminal,
  tell: (report: CaseReport) => void,
): Promise<Ran> => {
  const { chooseCodes, codesOfHome, homeOf, homesOf } = await import('./home.ts');
  const { directoryCaseFiles } = await import('../case/case-files.ts');
  const { acceptCase } = await import('../case/accept.ts');
  const { carriersWithCases, caseNames, runCaseNamed } = await import('../case/suite.ts');
  const { loadCarrier } = await import('../profile/load.ts');
  const homes = homesOf(terminal);
  const home = homeOf(terminal);
  const files = directoryCaseFiles(home);
  const codes = chooseCodes(named, codesOfHome(homes), home);
  const ran = {
    reports: [] as CaseReport[],
    findings: [] as Finding[],
    withoutCases: [] as string[],
    accepted: [] as string[],
    refused: [] as string[],
  };
  // Cases without a carrier are told by its missing profile.
  const orphans = named.length === 0 ? carriersWithCases(files).filter((code) => !codes.includes(code)) : [];
  for (const code of [...codes, ...orphans]) {
    const names = caseNames(code, files);
    if (names.length === 0) {
      if (named.length > 0) ran.withoutCases.push(code);
      continue;
    }
    const { carrier, findings } = loadCarrier(code, homes);
    if (carrier === undefined) {
      ran.findings.push(...findings.filter(({ severity }) => severity === 'error'));
      continue;
    }
    for (const name of names) {
      // Running a case gives nobody else a turn, Ctrl-C neither.
      await setImmediate();
      const first = await runCaseNamed(carrier, name, files);
      tell(first.report);
      const accepted =
        isAccepting(options) && first.caseFile !== undefined
          ? acceptCase(first.caseFile, first.report, { home, configErrors: options.acceptConfigErrors === true })
          : undefined;
      if (accepted?.kind === 'refused') ran.refused.push(accepted.file);
      const written = accepted?.kind === 'accepted' ? accepted.written : [];
      ran.accepted.push(...written);
      if (written.length === 0) {
        ran.reports.push(first.report);
        continue;
      }
      const { report } = await runCaseNamed(carrier, name, files);
      if (!report.passed) tell(report);
      ran.reports.push(report);
    }
  }
  return ran;
};
