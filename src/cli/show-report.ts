import type { CaseDifference, CaseProblem, CaseReport } from '../workbench/cases/report.ts';
import { formatPlace } from '../engine/failure.ts';

/** One line for a case that passed; what is wrong, each with its place and differences, for one that did not. */
export const showReport = (report: CaseReport): string => {
  const title = `${report.carrier}: ${report.case}`;
  return report.passed ? `ok    ${title}\n` : `FAIL  ${title}\n${showProblems(report.problems)}`;
};

export const showProblems = (problems: readonly CaseProblem[]): string => problems.map(showProblem).join('');

const showProblem = ({ place, message, differences }: CaseProblem): string =>
  `      ${formatPlace(place)}\n      ${message}\n${differences.map(showDifference).join('')}`;

const showDifference = ({ path, expected, seen }: CaseDifference): string =>
  `        ${path}\n          - ${showValue(expected)}\n          + ${showValue(seen)}\n`;

const SHOWN_MAX = 1_000;

const showValue = (value: unknown): string => {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
};

/** As `--json` has it: places flat; what is missing is left out. */
export const jsonReport = (report: CaseReport): Record<string, unknown> => ({
  carrier: report.carrier,
  case: report.case,
  file: report.place.file,
  passed: report.passed,
  problems: report.problems.map(jsonProblem),
  touched: report.touched,
});

export const jsonProblem = ({ place, message, differences }: CaseProblem): Record<string, unknown> => ({
  file: place.file,
  line: place.line,
  column: place.column,
  message,
  differences,
});
