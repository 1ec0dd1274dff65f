import type { Finding, Fix } from './finding.ts';

export interface Fixed {
  readonly text: string;
  /** Findings that are mended. */
  readonly applied: readonly Finding[];
}

/**
 * Makes the changes that findings of one file offer, from its end to its beginning, so that places stay true. One
 * whose place holds something else by now, or that lies within another one, is left out.
 */
export const applyFixes = (text: string, findings: readonly Finding[]): Fixed => {
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
