import {
  authNotUsed,
  environmentsDiffer,
  memoLikeKind,
  registration,
  undeclaredMemo,
  unknownTable,
  unused,
} from './declarations.ts';
import { expressions } from './expressions.ts';
import { costlyRegex, shadowedFunction, siblingOrder, textNotExpression } from './jsonata.ts';
import { keyNeverSent, missingExpiry, noCreate, unreachableOutcome } from './operations.ts';
import type { LintInput, Rule } from './rule.ts';
import { environmentSecret, notHttps, openWebhook, secretInFile } from './security.ts';
import { ambiguousRow, deadRow, lifecycle } from './status-table.ts';
import { treeOutputs } from './tree-outputs.ts';

const RULES: readonly Rule[] = [
  expressions,
  treeOutputs,
  shadowedFunction,
  textNotExpression,
  costlyRegex,
  siblingOrder,
  environmentSecret,
  secretInFile,
  notHttps,
  openWebhook,
  keyNeverSent,
  missingExpiry,
  unreachableOutcome,
  memoLikeKind,
  environmentsDiffer,
  ambiguousRow,
];

/** A base may leave these to its heirs. */
const NOT_OF_A_BASE: readonly Rule[] = [
  undeclaredMemo,
  unknownTable,
  authNotUsed,
  registration,
  unused,
  deadRow,
  lifecycle,
  noCreate,
];

/** Runs every rule over a profile that has been checked and compiled. */
export const lintProfile = (input: LintInput): void => {
  for (const rule of input.carrier.abstract ? RULES : [...RULES, ...NOT_OF_A_BASE]) rule(input);
};
