import { COMPLETENESS_RULES, DECLARATION_RULES, noCreate, OPERATION_RULES } from './declarations.ts';
import { expressions, treeOutputs } from './expressions.ts';
import { EXPRESSION_RULES } from './jsonata.ts';
import { ORDER_RULES } from './orders.ts';
import type { LintInput } from './rule.ts';
import { SECURITY_RULES } from './security.ts';
import { ambiguousRow, deadRow, lifecycle } from './status-table.ts';

const RULES = [
  expressions,
  treeOutputs,
  ...EXPRESSION_RULES,
  ...SECURITY_RULES,
  ...OPERATION_RULES,
  ...DECLARATION_RULES,
  ambiguousRow,
];

/** A base may leave these to its heirs. */
const NOT_OF_A_BASE = [...COMPLETENESS_RULES, ...ORDER_RULES, deadRow, lifecycle, noCreate];

/** Runs every rule over a profile that has been checked and compiled. */
export const lintProfile = (input: LintInput): void => {
  for (const rule of input.carrier.abstract ? RULES : [...RULES, ...NOT_OF_A_BASE]) rule(input);
};
