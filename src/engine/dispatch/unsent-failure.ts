/** Failures before a request is sent: of the profile, or of a value of the order, with the fields to blame. */
import { fieldsNamed, shipperFields } from '../consignment/shipper-field.ts';
import { type Problem, problem } from '../failure.ts';
import { UNUSABLE_VALUE } from '../error-codes.ts';
import { EvaluationFailure, Rejection } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import { formatPath, once, valueAt } from '../value.ts';
import { type RunContext, rootsOf } from './run-context.ts';
import { type CallScope, evaluationContextOf, evaluationFailure } from './scope.ts';

/** Of a text made of all packages, each could be named: nobody reads so many. */
const FIELDS_MAX = 20;

/** As `evaluationFailure`; a value that a function refuses and that is made of the order is rejected, by its field. */
export const unsentFailure = (
  context: RunContext,
  step: Step,
  scope: CallScope,
  thrown: unknown,
): { readonly word: 'reject' | 'config_error'; readonly problem: Problem } => {
  if (thrown instanceof Rejection) return rejected(context, step, scope, thrown);
  const refused = thrown instanceof EvaluationFailure && !context.isRead ? thrown.refused() : undefined;
  const { consignment } = context.run.inputs;
  const named = new Set<string>();
  const paths = refused?.madeOf ?? [];
  // What is not there is to blame only where nothing is.
  const isThere = (path: string): boolean =>
    !path.startsWith('consignment.') ||
    valueAt(context.run.inputs, ...path.split(/[.[\]]+/).filter(Boolean)) !== undefined;
  const filled = paths.filter(isThere);
  for (const path of filled.length > 0 ? filled : paths) {
    if (named.size >= FIELDS_MAX) break;
    for (const source of sourcesOf(context, step, scope, path))
      for (const field of shipperFields(source, consignment)) named.add(field);
  }
  const fields = [...named].slice(0, FIELDS_MAX);
  if (refused === undefined || fields.length === 0) return evaluationFailure(thrown);
  const messages = fields.map((field) => `${field}: ${refused.said}`);
  const { place } = thrown as EvaluationFailure;
  return { word: 'reject', problem: problem(UNUSABLE_VALUE, messages, place, fields) };
};

/** A rejection by the profile names the package that led to it, where that is one. */
const rejected = (context: RunContext, step: Step, scope: CallScope, thrown: Rejection) => {
  const failure = evaluationFailure(thrown);
  const { consignment } = context.run.inputs;
  const paths = thrown.reads().flatMap((path) => sourcesOf(context, step, scope, path));
  const packages = new Set(paths.flatMap((path) => /^consignment\.itemList\[\d+\]/.exec(path) ?? []));
  const fields = packages.size === 1 ? [...packages].flatMap((one) => shipperFields(one, consignment)) : [];
  return fields.length === 0 ? failure : { ...failure, problem: { ...failure.problem, fields } };
};

/**
 * What a carrier refused, beside the shipper's fields: those that its rule names, one for each message or all for all of
 * them; else the package that a call of its own was for.
 */
export const withFields = (context: RunContext, step: Step, scope: CallScope, refused: Problem): Problem => {
  const { fields: named = [], ...rest } = refused;
  const { consignment } = context.run.inputs;
  const [own = ''] = scope.item === undefined || context.isRead ? [] : sourcesOf(context, step, scope, 'item');
  const element = own.replace(/\.$/, '');
  const others = shipperFields(element, consignment);
  const isBeside = named.length === 0 || named.length === rest.messages.length;
  const pairs = (isBeside ? rest.messages : [rest.messages.join('; ')]).flatMap((message, at) => {
    const names = isBeside ? named.slice(at, at + 1) : named;
    const fields = names.flatMap((name) => fieldsNamed(name, consignment, element));
    return (fields.length > 0 ? fields : others.length > 0 ? others : ['']).map((field) => ({ message, field }));
  });
  if (pairs.every(({ field }) => field === '')) return rest;
  const told = pairs.slice(0, Math.max(FIELDS_MAX, rest.messages.length));
  return { ...rest, messages: told.map(({ message }) => message), fields: told.map(({ field }) => field) };
};

/** What the elements of a step's `forEach` are made of, by element: traced once a run, however many of them are refused. */
const elementsOf = once(
  (context: RunContext) =>
    once(({ id, forEach }: Step): ReadonlyMap<number, readonly Made[]> => {
      const { run, ports, mask } = context;
      const first = { step: id, element: 0 };
      const evaluation = evaluationContextOf(run, ports.attemptLog, first, mask);
      const leaves = forEach?.trace?.(rootsOf(context, first), evaluation)?.leaves ?? [];
      const made = leaves.map(({ path, origin: { reads } }) => {
        // One alone need not be a list.
        const [head, ...below] = typeof path[0] === 'number' ? path : [0, ...path];
        return { element: Number(head), below: formatPath(below), reads };
      });
      return Map.groupBy(made, ({ element }) => element);
    }),
  new WeakMap(),
);
interface Made {
  readonly below: string;
  readonly reads: readonly string[];
}

/** Where a field of an element of `forEach` comes from. */
const sourcesOf = (context: RunContext, step: Step, { index = 0 }: CallScope, path: string): readonly string[] => {
  const [, at = '', field = ''] = /^items?(?:\[(\d+)\])?(?:\.(.*))?$/.exec(path) ?? [];
  if (!/^items?\b/.test(path) || step.forEach?.trace === undefined) return [path];
  const made = elementsOf(context)(step).get(index * (step.batch ?? 1) + Number(at)) ?? [];
  const own = made.find(({ below }) => below === field);
  if (own !== undefined) return own.reads;
  // What is missing stands beside what is there.
  const [beside] = made.flatMap(({ below, reads: [read = ''] }) =>
    read.endsWith(`.${below}`) ? [read.slice(0, -below.length)] : [],
  );
  return beside === undefined ? [] : [beside + field];
};
