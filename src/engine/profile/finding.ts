import { formatPlace, type Place, withHelp } from '../failure.ts';
import { type RuleName, RULES } from './rules.ts';

/** One thing that is wrong, or doubtful, in a profile or its mappings. */
export interface Finding {
  /** Stable: the name of the rule, by which documentation explains it. */
  readonly rule: RuleName;
  /** An error keeps the carrier from loading, a warning does not. */
  readonly severity: 'error' | 'warning';
  readonly place: Place;
  /** What is wrong, as a sentence without its full stop. */
  readonly message: string;
  /** What to do about it. */
  readonly help?: string;
  /** The line it stands in, as written. */
  readonly excerpt?: string;
  /** A change that mends it and can mean nothing else. */
  readonly fix?: Fix;
}

export interface Fix {
  readonly place: Place;
  /** What stands there now; where it does not, nothing is changed. */
  readonly old: string;
  readonly text: string;
}

/** More findings than these are not kept: the first ones must be mended before the rest means anything. */
const FINDINGS_MAX = 500;

/** Takes findings while a profile is read; the same finding twice counts once. */
export const collectFindings = () => {
  const found = new Map<string, Finding>();
  const add = (finding: Finding): void => {
    const key = `${formatPlace(finding.place)} ${finding.rule} ${finding.message}`;
    if (!found.has(key) && found.size < FINDINGS_MAX) found.set(key, finding);
  };
  return {
    /** With the severity of its rule. */
    report(rule: RuleName, place: Place, message: string, help?: string, fix?: Fix): void {
      const severity = RULES[rule].severity === 'warning' ? 'warning' : 'error';
      add({ rule, severity, place, message, ...(help && { help }), ...(fix && { fix }) });
    },
    add,
    list: (): readonly Finding[] => sortFindings([...found.values()]),
  };
};
export type Findings = ReturnType<typeof collectFindings>;

export const sortFindings = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted(
    (a, b) =>
      compareText(a.place.file, b.place.file) ||
      a.place.line - b.place.line ||
      a.place.column - b.place.column ||
      compareText(a.rule, b.rule),
  );

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some((finding) => finding.severity === 'error');

const EXCERPT_MAX = 160;

/** Adds to each finding the line it stands in, where `files` (path → text) has it. */
export const withExcerpts = (findings: readonly Finding[], files: ReadonlyMap<string, string>): Finding[] => {
  const lines = new Map<string, readonly string[]>();
  return findings.map((finding) => {
    const { file, line } = finding.place;
    const text = files.get(file);
    if (text === undefined || finding.excerpt !== undefined) return finding;
    const split = lines.get(file) ?? text.split(/\r\n|\n|\r/);
    lines.set(file, split);
    const excerpt = split[line - 1];
    return excerpt === undefined ? finding : { ...finding, excerpt: excerpt.slice(0, EXCERPT_MAX) };
  });
};

/** `carriers/acme.yaml:12:5 error unknown-key: "heders" is not known here (did you mean "headers"?)`. */
export const formatFinding = (finding: Finding): string =>
  `${formatPlace(finding.place)} ${finding.severity} ${finding.rule}: ${withHelp(finding)}`;

/**
 * Makes the changes that findings of one file offer, from its end to its beginning, so that places stay true. One
 * whose place holds something else by now, or that lies within another one, is left out.
 */
export const applyFixes = (text: string, findings: readonly Finding[]) => {
  const starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map((match) => match.index + match[0].length)];
  const offsetOf = ({ place }: Fix): number => (starts[place.line - 1] ?? text.length) + place.column - 1;
  const changes = findings
    .flatMap((finding) => (finding.fix === undefined ? [] : [{ finding, fix: finding.fix, at: offsetOf(finding.fix) }]))
    .filter(({ fix, at }) => text.startsWith(fix.old, at))
    .toSorted((one, other) => other.at - one.at);
  const applied: Finding[] = [];
  let changed = text;
  let reached = Infinity;
  for (const { finding, fix, at } of changes) {
    if (at + fix.old.length > reached) continue;
    changed = `${changed.slice(0, at)}${fix.text}${changed.slice(at + fix.old.length)}`;
    reached = at;
    applied.push(finding);
  }
  return { text: changed, applied };
};
