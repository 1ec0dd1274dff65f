import { COMPLETENESS_RULES, DECLARATION_RULES, noCreate, OPERATION_RULES } from './declarations.ts';
import { expressions, treeOutputs } from './expressions.ts';
import { EXPRESSION_RULES } from './jsonata.ts';
import { ORDER_RULES } from './orders.ts';
import type { RuleName } from '../rules.ts';
import type { LintInput } from './rule.ts';
import { SECURITY_RULES } from './security.ts';
import { undeclaredPrefix } from './prefixes.ts';
import { unshownWord } from './shown-words.ts';
import { ambiguousRow, deadRow, lifecycle } from './status-table.ts';

const RULES = [
  expressions,
  treeOutputs,
  ...EXPRESSION_RULES,
  ...SECURITY_RULES,
  ...DECLARATION_RULES,
  ambiguousRow,
  unshownWord,
  undeclaredPrefix,
];

/** A base may leave these to its heirs. */
const NOT_OF_A_BASE = [...COMPLETENESS_RULES, ...ORDER_RULES, deadRow, lifecycle, noCreate];

/** Runs every rule over a profile that has been checked and compiled. */
export const lintProfile = (input: LintInput): void => {
  // What seems to be missing may be in an expression that cannot be read.
  const isRead = !input.findings.list().some(({ rule }) => UNREAD.has(rule));
  const ofWhole = input.carrier.abstract ? OPERATION_RULES : [...OPERATION_RULES, ...NOT_OF_A_BASE];
  for (const rule of isRead ? [...RULES, ...ofWhole] : RULES) rule(input);
};

const UNREAD: ReadonlySet<RuleName> = new Set(['jsonata-syntax', 'missing-mapping', 'mapping-path']);
