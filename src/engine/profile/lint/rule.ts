import type { Auth, Carrier, Step } from '../carrier.ts';
import type { Context } from '../compile/context.ts';
import type { Evidence } from '../types/evidence.ts';

/** What a rule reads: the merged profile, what it compiled to, and every expression in it. */
export interface LintInput extends Omit<Context, 'auths' | 'files' | 'engine'> {
  readonly carrier: Omit<Carrier, 'hash'>;
  readonly evidence: Evidence;
}

export type Rule = (input: LintInput) => void;

/** All auths, by their names or written out where they are used. */
export const authsOf = (carrier: LintInput['carrier']): readonly Auth[] => [
  ...new Set([
    ...Object.values(carrier.auths),
    ...stepsOf(carrier).flatMap((step) => step.auth),
    ...(carrier.statuses.webhook?.auth ?? []),
  ]),
];

/** All steps of all operations. */
const stepsOf = (carrier: LintInput['carrier']): readonly Step[] =>
  Object.values(carrier.operations).flatMap((operation) => operation.steps);
