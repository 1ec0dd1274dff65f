import type { StatusRow } from '../carrier.ts';
import type { Rule } from './rule.ts';

/** ambiguous-row: two rows of the status table that tie for something a carrier may send. */
export const ambiguousRow: Rule = ({ carrier, findings }) => {
  const rows = carrier.statuses.table;
  const byRank = new Map<string, StatusRow[]>();
  for (const row of rows) {
    const rank = row.patterns.map(rankOf).join(' ');
    const rivals = byRank.get(rank) ?? [];
    const rival = rivals.find((other) =>
      row.patterns.every((pattern, at) => overlap(pattern, other.patterns[at] ?? '*')),
    );
    if (rival !== undefined) {
      const message = `the rows "${rival.key}" and "${row.key}" may match the same status`;
      findings.error('ambiguous-row', row.place, message, 'case, outer spaces and missing parts do not count');
    }
    rivals.push(row);
    byRank.set(rank, rivals);
  }
};

/** Exact comes first, then the pattern with more letters before its `*`. */
const rankOf = (pattern: string): number => (pattern.includes('*') ? pattern.indexOf('*') : Infinity);

/** Can two parts of the same rank match one text? */
const overlap = (one: string, other: string): boolean => {
  if (!one.includes('*')) return one === other;
  const [ends, otherEnds] = [one.slice(one.lastIndexOf('*') + 1), other.slice(other.lastIndexOf('*') + 1)];
  return (
    one.slice(0, one.indexOf('*')) === other.slice(0, other.indexOf('*')) &&
    (ends.endsWith(otherEnds) || otherEnds.endsWith(ends))
  );
};
