import { ambiguousRow } from './ambiguous-row.ts';
import { authNotUsed } from './auth-not-used.ts';
import { costlyRegex } from './costly-regex.ts';
import { deadRow } from './dead-row.ts';
import { environmentSecret } from './environment-secret.ts';
import { environmentsDiffer } from './environments-differ.ts';
import { expressions } from './expressions.ts';
import { keyNeverSent } from './key-never-sent.ts';
import { lifecycle } from './lifecycle.ts';
import { memoLikeKind } from './memo-like-kind.ts';
import { undeclaredMemo } from './memo.ts';
import { missingExpiry } from './missing-expiry.ts';
import { noCreate } from './no-create.ts';
import { notHttps } from './not-https.ts';
import { openWebhook } from './open-webhook.ts';
import { registration } from './registration.ts';
import type { LintInput, Rule } from './rule.ts';
import { secretInFile } from './secret-in-file.ts';
import { shadowedFunction } from './shadowed-function.ts';
import { siblingOrder } from './sibling-order.ts';
import { textNotExpression } from './text-not-expression.ts';
import { treeOutputs } from './tree-outputs.ts';
import { unknownTable } from './unknown-table.ts';
import { unreachableOutcome } from './unreachable-outcome.ts';
import { unused } from './unused.ts';

const RULES: readonly Rule[] = [
  expressions,
  treeOutputs,
  shadowedFunction,
  textNotExpression,
  costlyRegex,
  environmentSecret,
  secretInFile,
  notHttps,
  undeclaredMemo,
  memoLikeKind,
  unknownTable,
  siblingOrder,
  ambiguousRow,
  deadRow,
  lifecycle,
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
