/** What `waybill test` says: as text, and as `--json` has it. */
import { formatPlace } from '../engine/failure.ts';
import type { Coverage } from '../workbench/cases/coverage.ts';
import type { CaseDifference } from '../workbench/cases/compare-values.ts';
import type { CaseProblem, CaseReport, ScenarioReport } from '../workbench/cases/report.ts';
import type { CarrierRun, Tested } from '../workbench/cases/test-carrier.ts';
import { jsonFinding, showFinding } from './findings.ts';
import { encoderNamed } from '../engine/codecs/codecs.ts';
import { mapTexts } from '../engine/value.ts';

export interface ShowOptions {
  /** `true` unless one of `--pack` and `--no-pack` is given: then run, and told in short. */
  readonly pack?: boolean;
  readonly accept?: true;
  readonly acceptConfigErrors?: true;
  readonly acceptOutcomes?: true;
}

export const summarise = (runs: readonly CarrierRun[], named: readonly string[]) => {
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
    /** Codes that were named, but have none. */
    withoutCases,
    accepted: runs.flatMap((run) => run.accepted),
    refused: runs.flatMap((run) => run.refused),
  };
};
type TestSummary = ReturnType<typeof summarise>;

export const showCarrier = (run: CarrierRun, options: ShowOptions): string => {
  // What is accepted has been shown before it was written.
  return `${isAccepting(options) ? '' : run.cases.map(showReport).join('')}${showPack(run.pack, options.pack === true)}`;
};

export const isAccepting = ({ accept, acceptConfigErrors, acceptOutcomes }: ShowOptions): boolean =>
  accept === true || acceptConfigErrors === true || acceptOutcomes === true;

const showPack = (pack: readonly ScenarioReport[], all: boolean): string =>
  pack
    .filter(({ outcome }) => all || outcome === 'failed')
    .map((scenario) => showScenario(scenario, all))
    .join('');

const MARKS = { passed: 'ok   ', failed: 'FAIL ', pending: 'wait ' } as const;

const showScenario = ({ carrier, title, outcome, reason, problems, used }: ScenarioReport, all: boolean): string =>
  `${MARKS[outcome]} ${carrier} (pack): ${title}${reason === undefined ? '' : `: ${reason}`}\n${showProblems(problems)}` +
  (problems.length === 0 && !all ? '' : [...new Set(used.map(showUsed))].join(''));

const showUsed = ({ case: file, service, environment, change, lost = [] }: ScenarioReport['used'][number]): string => {
  const absent = Object.values(change).filter((value) => value === null).length;
  const changed = [
    ...(absent === 0 ? [] : [`${absent} fields left out`]),
    ...Object.entries(change).flatMap(([field, value]) =>
      value === null ? [] : `${field}: ${Array.isArray(value) ? `${value.length} entries` : JSON.stringify(value)}`,
    ),
  ];
  const given = `${file ?? 'the order of the pack'}, service ${service ?? 'none'}, ${environment}`;
  const without = lost.length === 0 ? '' : `      the requests no longer have ${[...new Set(lost)].join(', ')}\n`;
  return `      with ${given}${changed.length === 0 ? '' : `, changed: ${changed.join(', ')}`}\n${without}`;
};

export const showTest = (summary: TestSummary): string =>
  [
    ...summary.findings.map((finding) => `${showFinding(finding)}\n`),
    ...summary.withoutCases.map((code) => `${code} has no cases: there is no fixtures/${code}/*.yaml\n`),
    ...summary.accepted.map((file) => `written: ${file}\n`),
    ...summary.refused.map(({ file, why }) => `not written: ${file}: ${why}\n`),
    showCounts(summary),
  ].join('');

export const showCounts = ({ cases, pack }: Pick<Tested, 'cases' | 'pack'>): string => {
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
    pack: summary.pack.map(({ reason, problems, ...scenario }) => ({
      ...scenario,
      ...(reason === undefined ? {} : { reason }),
      problems: problems.map(jsonProblem),
    })),
    findings: summary.findings.map(jsonFinding),
    withoutCases: summary.withoutCases,
    accepted: summary.accepted,
    refused: summary.refused.map(({ file }) => file),
  };
};

// Cases -------------------------------------------------------------------------------------------------------------

/** One line for a case that passed; what is wrong, each with its place and differences, for one that did not. */
export const showReport = (report: CaseReport): string => {
  const title = `${report.carrier}: ${report.case}`;
  return report.passed ? `ok    ${title}\n` : `FAIL  ${title}\n${showProblems(report.problems)}`;
};

const showProblems = (problems: readonly CaseProblem[]): string => problems.map(showProblem).join('');

const showProblem = ({ place, message, differences }: CaseProblem): string =>
  `      ${formatPlace(place)}\n      ${message}\n${differences.map(showDifference).join('')}`;

const showDifference = ({ path, expected, seen }: CaseDifference): string => {
  const [one, other] = [showValue(expected), showValue(seen)];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return `        ${path}\n          - ${excerpt(one, same)}\n          + ${excerpt(other, same)}\n`;
};

const showValue = (value: unknown): string => (value === undefined ? '(nothing)' : JSON.stringify(value));

const SHOWN_MAX = 1_000;
const CONTEXT = 100;

/** Of a long text what stands around `at`, from where it differs. */
const excerpt = (text: string, at: number): string => {
  if (text.length <= SHOWN_MAX) return text;
  const start = Math.max(0, at - CONTEXT);
  const end = start + SHOWN_MAX - CONTEXT;
  return `${start === 0 ? '' : '…'}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
};

/** Places flat; what is missing is left out. */
const jsonReport = ({ place, problems, ...report }: CaseReport): Record<string, unknown> => ({
  ...report,
  file: place.file,
  problems: problems.map(jsonProblem),
});

const jsonProblem = ({ place, message, differences }: CaseProblem): Record<string, unknown> => ({
  ...place,
  message,
  differences,
});

// Coverage ----------------------------------------------------------------------------------------------------------

const WORDS = {
  field: (what: string): string =>
    `mandatory ${what} is not read: map it, or waive it with # unread: ${what} - <reason>`,
  branch: (what: string): string => `no case takes ${what}`,
  rule: (what: string): string => `no case comes to this ${what}`,
  row: (what: string): string => `no case has the status ${what}`,
} as const;

export const showCoverage = ({ carrier, percent, missed, waived }: Coverage): string =>
  [
    `${carrier}: ${percent} % covered\n`,
    ...missed.map(({ kind, what, place }) => `      ${formatPlace(place)} ${WORDS[kind](what)}\n`),
    ...waived.map(({ field, reason }) => `      waived: ${field}: ${reason}\n`),
  ].join('');

export const jsonCoverage = ({
  carrier,
  percent,
  total,
  missed,
  waived,
  filled,
}: Coverage): Record<string, unknown> => ({
  carrier,
  percent,
  total,
  waived,
  filled,
  missed: missed.map(({ kind, what, place }) => ({ kind, what, ...place })),
});

// JUnit ---------------------------------------------------------------------------------------------------------------

interface TestCase {
  readonly '@name': string;
  readonly '@classname': string;
  readonly '@file'?: string;
  readonly failure?: unknown;
  readonly skipped?: unknown;
}

export const junitReport = ({ cases, pack, findings, withoutCases }: TestSummary): string => {
  const suites = [
    ...[...byCarrier(cases)].map(([carrier, reports]) =>
      suite(
        carrier,
        reports.map(({ case: name, place, problems }) => ({
          ...named(carrier, name),
          '@file': place.file,
          ...failureOf(problems),
        })),
      ),
    ),
    ...[...byCarrier(pack)].map(([carrier, reports]) =>
      suite(
        `${carrier} (pack)`,
        reports.map(({ title, outcome, reason, problems }) => ({
          ...named(`${carrier}.pack`, title),
          ...(outcome === 'pending' ? { skipped: { '@message': reason } } : failureOf(problems)),
        })),
      ),
    ),
    ...(findings.length + withoutCases.length === 0
      ? []
      : [
          suite('profiles', [
            ...findings.map((finding) => ({
              ...named('profiles', `${formatPlace(finding.place)} ${finding.rule}`),
              failure: { '@message': finding.message, '#text': showFinding(finding) },
            })),
            ...withoutCases.map((code) => ({
              ...named('profiles', code),
              failure: { '@message': `there is no fixtures/${code}/*.yaml` },
            })),
          ]),
        ]),
  ];
  const { bytes } = encoderNamed('xml').encode(writable({ testsuites: { testsuite: suites } }));
  return `${bytes.toString('utf8')}\n`;
};

const byCarrier = <T extends { readonly carrier: string }>(all: readonly T[]): Map<string, T[]> =>
  Map.groupBy(all, ({ carrier }) => carrier);

const named = (classname: string, name: string): TestCase => ({ '@name': name, '@classname': classname });

const failureOf = (problems: readonly CaseProblem[]): Pick<TestCase, 'failure'> =>
  problems.length === 0 ? {} : { failure: { '@message': problems[0]?.message, '#text': showProblems(problems) } };

const suite = (name: string, tests: readonly TestCase[]): unknown => ({
  '@name': name,
  '@tests': tests.length,
  '@failures': tests.filter(({ failure }) => failure !== undefined).length,
  '@skipped': tests.filter(({ skipped }) => skipped !== undefined).length,
  testcase: tests,
});

// eslint-disable-next-line no-control-regex -- what XML has no form for, even escaped
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

/** What a carrier answered may hold any character. */
const writable = (value: unknown): unknown =>
  mapTexts(value, (text) => text.toWellFormed().replaceAll(UNWRITABLE, '\uFFFD'));
