import { ambiguousRow } from './ambiguous-row.ts';
import { arrayMayCollapse } from './array-may-collapse.ts';
import { authNotUsed } from './auth-not-used.ts';
import { environmentSecret } from './environment-secret.ts';
import { environmentsDiffer } from './environments-differ.ts';
import { expressions } from './expressions.ts';
import { keyNeverSent } from './key-never-sent.ts';
import { memoLikeKind } from './memo-like-kind.ts';
import { undeclaredMemo } from './memo.ts';
import { missingExpiry } from './missing-expiry.ts';
import { noCreate } from './no-create.ts';
import { openWebhook } from './open-webhook.ts';
import { registration } from './registration.ts';
import type { LintInput, Rule } from './rule.ts';
import { shadowedFunction } from './shadowed-function.ts';
import { siblingOrder } from './sibling-order.ts';
import { textNotExpression } from './text-not-expression.ts';
import { unknownTable } from './unknown-table.ts';
import { unreachableOutcome } from './unreachable-outcome.ts';
import { unused } from './unused.ts';

const RULES: readonly Rule[] = [
  expressions,
  shadowedFunction,
  textNotExpression,
  environmentSecret,
  undeclaredMemo,
  memoLikeKind,
  unknownTable,
  arrayMayCollapse,
  siblingOrder,
  ambiguousRow,
  unreachableOutcome,
  openWebhook,
  environmentsDiffer,
  keyNeverSent,
  authNotUsed,
  missingExpiry,
  registration,
  noCreate,
  unused,
];

/** The list of §3.12, over a profile that has been checked and compiled. */
export const lintProfile = (input: LintInput): void => {
  for (const rule of RULES) rule(input);
};
