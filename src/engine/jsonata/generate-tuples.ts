import type { Context, Emitter, Value } from './emitter.ts';
import { fixedKeys } from './closure-groups.ts';
import type { Node, PathNode, Step } from './tree.ts';

/** True for a path, filter or grouping over tuples. */
export const needsTuples = (node: Node): boolean => {
  switch (node.kind) {
    case 'path':
      return node.steps.some((step) => step.tuple);
    case 'filter':
      return node.scope !== undefined;
    case 'group':
      return node.group.scope !== undefined;
    default:
      return false;
  }
};

const bindsNothing = (step: Step): boolean =>
  step.focus === undefined &&
  step.ancestor === undefined &&
  step.stages.length === 0 &&
  step.node !== undefined &&
  (step.scope?.bindings.size ?? 0) === 0;

type Indexed = PathNode & { readonly steps: readonly [Step & { readonly index: string }, Step] };

/** True for `items#$place.{…}`: the one use of tuples that is a plain loop. */
export const isIndexed = (node: Node): node is Indexed => {
  if (node.kind !== 'path' || node.steps.length !== 2 || node.carriesTuples || node.keep || node.group !== undefined) {
    return false;
  }
  const [first, second] = node.steps as readonly [Step, Step];
  if (!bindsNothing(first) || !bindsNothing(second) || second.index !== undefined) return false;
  if (first.index === undefined || first.constructed || !isBase(first.node as Node)) return false;
  return second.node?.kind === 'object' && fixedKeys(second.node.pairs) !== undefined;
};

/** What begins such a path is asked for once. */
const isBase = (node: Node): boolean =>
  node.kind === 'variable' || (node.kind === 'collapse' && !node.keep && node.base.kind === 'name');

/** The value in front of the index, and the function that is called with each item of it and its place. */
export const emitIndexed = (
  e: Emitter,
  { steps: [first, second] }: Indexed,
  context: Context,
  emit: (node: Node, item: Context) => Value,
): { readonly base: string; readonly evaluate: string } => {
  const base = e.node(first.node as Node, context);
  const evaluate = e.callback((item, place) => {
    if (second.scope !== undefined) e.bindPlace(second.scope, first.index, place);
    return emit(second.node as Node, item);
  }, base.pure);
  return { base: base.js, evaluate };
};
