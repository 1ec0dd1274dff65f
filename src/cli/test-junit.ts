/** A JUnit report: a suite for each carrier, and one for its scenarios of the pack. */
import { encoderNamed } from '../engine/codecs/codecs.ts';
import type { CaseProblem } from '../workbench/cases/report.ts';
import { formatPlace } from '../engine/failure.ts';
import { showFinding } from './findings.ts';
import { showProblems, type TestSummary } from './test-report.ts';

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
const writable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.toWellFormed().replaceAll(UNWRITABLE, '\uFFFD');
  if (Array.isArray(value)) return value.map(writable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, writable(held)]));
};
