/** What `waybill test` says: as text, and as `--json` has it. */
import type { CaseReport, ScenarioReport } from '../workbench/cases/report.ts';
import type { CarrierRun } from '../workbench/cases/test-carrier.ts';
import type { Finding } from '../engine/profile/finding.ts';
import { jsonFinding, showFinding } from './show-finding.ts';
import { jsonProblem, jsonReport, showProblems, showReport } from './show-report.ts';
import type { TestOptions } from './test.ts';

export interface TestSummary {
  readonly ok: boolean;
  readonly cases: readonly CaseReport[];
  readonly pack: readonly ScenarioReport[];
  readonly findings: readonly Finding[];
  /** Codes that were named, but have none. */
  readonly withoutCases: readonly string[];
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

export const summarise = (runs: readonly CarrierRun[], named: readonly string[]): TestSummary => {
  const cases = runs.flatMap((run) => run.cases);
  const pack = runs.flatMap((run) => run.pack);
  const findings = runs.flatMap((run) => run.findings);
  const withoutCases = runs.flatMap(({ carrier, hasCases }) => (hasCases || named.length === 0 ? [] : [carrier]));
  return {
    ok:
      cases.every(({ passed }) => passed) &&
      pack.every(({ outcome }) => outcome !== 'failed') &&
      findings.length === 0 &&
      withoutCases.length === 0,
    cases,
    pack,
    findings,
    withoutCases,
    accepted: runs.flatMap((run) => run.accepted),
    refused: runs.flatMap((run) => run.refused),
  };
};

export const showCarrier = (run: CarrierRun, options: TestOptions): string => {
  // What is accepted has been shown before it was written.
  const isAccepted = options.accept === true || options.acceptConfigErrors === true;
  return `${isAccepted ? '' : run.cases.map(showReport).join('')}${showPack(run.pack, options.pack === true)}`;
};

const showPack = (pack: readonly ScenarioReport[], all: boolean): string =>
  pack
    .filter(({ outcome }) => all || outcome === 'failed')
    .map(showScenario)
    .join('');

const MARKS = { passed: 'ok   ', failed: 'FAIL ', pending: 'wait ' } as const;

const showScenario = ({ carrier, title, outcome, reason, problems }: ScenarioReport): string =>
  `${MARKS[outcome]} ${carrier} (pack): ${title}${reason === undefined ? '' : `: ${reason}`}\n${showProblems(problems)}`;

export const showTest = (summary: TestSummary): string =>
  [
    ...summary.findings.map((finding) => `${showFinding(finding)}\n`),
    ...summary.withoutCases.map((code) => `${code} has no cases: there is no fixtures/${code}/*.yaml\n`),
    ...summary.accepted.map((file) => `written: ${file}\n`),
    ...summary.refused.map((file) => `not written: ${file}: ${REFUSAL}\n`),
    showCounts(summary),
  ].join('');

const REFUSAL =
  'a step ends in config_error, so the profile or the account is to be mended; --accept-config-errors writes it all the same';

export const showCounts = ({ cases, pack }: Pick<TestSummary, 'cases' | 'pack'>): string => {
  const passed = cases.filter((one) => one.passed).length;
  const counted = `${passed} passed, ${cases.length - passed} failed\n`;
  if (pack.length === 0) return counted;
  const count = (outcome: ScenarioReport['outcome']): number => pack.filter((one) => one.outcome === outcome).length;
  return `${counted}pack: ${count('passed')} passed, ${count('failed')} failed, ${count('pending')} pending\n`;
};

export const jsonTest = (summary: TestSummary): Record<string, unknown> => {
  const passed = summary.cases.filter((one) => one.passed).length;
  return {
    ok: summary.ok,
    passed,
    failed: summary.cases.length - passed,
    cases: summary.cases.map(jsonReport),
    pack: summary.pack.map(({ carrier, scenario, title, outcome, reason, problems }) => ({
      carrier,
      scenario,
      title,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      problems: problems.map(jsonProblem),
    })),
    findings: summary.findings.map(jsonFinding),
    withoutCases: summary.withoutCases,
    accepted: summary.accepted,
    refused: summary.refused,
  };
};
