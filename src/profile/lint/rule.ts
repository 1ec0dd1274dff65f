import type { Carrier, Step } from '../carrier.ts';
import type { Auths } from '../compile/auths.ts';
import type { Context } from '../compile/context.ts';
import type { Findings } from '../finding.ts';
import type { Node } from '../tree.ts';

/** What a rule reads: the merged profile, what it compiled to, and every expression in it. */
export interface LintInput {
  readonly carrier: Omit<Carrier, 'hash'>;
  readonly auths: Auths;
  readonly profile: Node;
  readonly context: Pick<Context, 'uses' | 'texts' | 'outcomeLists'>;
  readonly findings: Findings;
}

export type Rule = (input: LintInput) => void;

/** All steps of all operations. */
export const stepsOf = (carrier: LintInput['carrier']): readonly Step[] =>
  Object.values(carrier.operations).flatMap((operation) => operation.steps);
