/** What keeps a request from being made: the profile, or a value of the order that the profile cannot use. */
import { shipperFields } from '../consignment/shipper-field.ts';
import { type Problem, problem } from '../failure.ts';
import { UNUSABLE_VALUE } from '../error-codes.ts';
import { EvaluationFailure } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import { formatPath } from '../value.ts';
import { type RunContext, rootsOf } from './run-context.ts';
import { type CallScope, evaluationContextOf, evaluationFailure } from './scope.ts';

/** As `evaluationFailure`; a value that a function refuses and that is made of the order is rejected, by its field. */
export const unsentFailure = (
  context: RunContext,
  step: Step,
  scope: CallScope,
  thrown: unknown,
): { readonly word: 'reject' | 'config_error'; readonly problem: Problem } => {
  const refused = thrown instanceof EvaluationFailure && !context.isRead ? thrown.refused() : undefined;
  const { consignment } = context.run.inputs;
  const sources = refused?.madeOf.flatMap((path) => sourcesOf(context, step, scope, path)) ?? [];
  const fields = [...new Set(sources.flatMap((path) => shipperFields(path, consignment)))];
  if (refused === undefined || fields.length === 0) return evaluationFailure(thrown);
  const messages = fields.map((field) => `${field}: ${refused.said}`);
  const { place } = thrown as EvaluationFailure;
  return { word: 'reject', problem: problem(UNUSABLE_VALUE, messages, place, fields) };
};

/** Where a field of an element of `forEach` comes from. */
const sourcesOf = (
  context: RunContext,
  { forEach, batch = 1, id }: Step,
  { index = 0 }: CallScope,
  path: string,
): readonly string[] => {
  const [, at = '', field = ''] = /^items?(?:\[(\d+)\])?(?:\.(.*))?$/.exec(path) ?? [];
  if (!/^items?\b/.test(path) || forEach?.trace === undefined) return [path];
  const { run, ports, mask } = context;
  const first = { step: id, element: 0 };
  const trace = forEach.trace(rootsOf(context, first), evaluationContextOf(run, ports.attemptLog, first, mask));
  const element = index * batch + Number(at);
  const leaves = (trace?.leaves ?? []).flatMap(({ path: leaf, origin: { reads } }) => {
    // One alone need not be a list.
    const [head, ...below] = typeof leaf[0] === 'number' ? leaf : [0, ...leaf];
    return head === element ? [{ below: formatPath(below), reads }] : [];
  });
  const own = leaves.find(({ below }) => below === field);
  if (own !== undefined) return own.reads;
  // What is missing stands beside what is there.
  const [beside] = leaves.flatMap(({ below, reads: [read = ''] }) =>
    read.endsWith(`.${below}`) ? [read.slice(0, -below.length)] : [],
  );
  return beside === undefined ? [] : [beside + field];
};
