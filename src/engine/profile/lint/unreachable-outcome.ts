import type { OutcomeRule } from '../carrier.ts';
import type { StatusRange } from '../language/kinds.ts';
import type { LintInput, Rule } from './rule.ts';

/** What a rule without `status` is asked about: not what the built-ins keep for themselves (§2.6). */
const UNRESERVED: readonly StatusRange[] = [
  { from: 100, to: 400 },
  { from: 402, to: 402 },
  { from: 404, to: 407 },
  { from: 409, to: 428 },
  { from: 430, to: 499 },
];

/** unreachable-outcome: a rule that an earlier one of the same list always answers before. */
export const unreachableOutcome: Rule = ({ context, findings }: LintInput) => {
  for (const rules of context.outcomeLists) {
    for (const [at, rule] of rules.entries()) {
      const before = rules.slice(0, at).filter((earlier) => earlier.when === undefined);
      if (!isCovered(rule, before)) continue;
      findings.warning(
        'unreachable-outcome',
        rule.place,
        'an earlier rule always matches first',
        'put the narrower rule first',
      );
    }
  }
};

const rangesOf = (rule: OutcomeRule): readonly StatusRange[] => rule.status ?? UNRESERVED;

const isCovered = (rule: OutcomeRule, before: readonly OutcomeRule[]): boolean => {
  const covering = before.flatMap(rangesOf);
  return (
    covering.length > 0 &&
    rangesOf(rule).every(({ from, to }) => {
      for (let status = from; status <= to; status += 1) {
        if (!covering.some((range) => range.from <= status && status <= range.to)) return false;
      }
      return true;
    })
  );
};
