import type { Ast } from '../../jsonata/parse.ts';
import { walk } from '../../mapping/walk.ts';
import { placeOfNode } from './references.ts';
import type { Rule } from './rule.ts';

/** Fields that are always arrays, of which a path makes a lone value when there is one element. */
const ARRAYS: ReadonlySet<string> = new Set(['itemList', 'skuList', 'vas', 'tags', 'targetIds', 'packages', 'items']);
const MAKING: ReadonlySet<string> = new Set(['map', 'filter']);

/** array-may-collapse: in a JSON body, a path over an array that yields no array when there is one element (§3.9). */
export const arrayMayCollapse: Rule = ({ context, findings }) => {
  for (const { source, tree, site } of context.uses) {
    if (site.codec !== 'json') continue;
    const report = (node: Ast): void => {
      if (!collapses(node)) return;
      const message = 'with one element this is no array, but that element';
      findings.warning('array-may-collapse', placeOfNode(source, node), message, 'write [ … ] around it');
    };
    for (const value of valuesOf(tree)) report(value);
    walk(tree, (node) => {
      if (node.type !== 'unary' || node.value !== '{' || !Array.isArray(node.lhs)) return;
      for (const [, value] of node.lhs as [Ast, Ast][]) for (const each of valuesOf(value)) report(each);
    });
  }
};

/** What an expression comes to: the branches of a condition, the last part of a block. */
const valuesOf = (node: Ast): readonly Ast[] => {
  if (node.type === 'condition')
    return [node.then, node.else].flatMap((each) => (each === undefined ? [] : valuesOf(each)));
  const last = node.type === 'block' ? node.expressions?.at(-1) : undefined;
  return last === undefined ? [node] : valuesOf(last);
};

const collapses = (node: Ast): boolean => {
  if (node.keepArray === true) return false;
  if (node.type === 'function') return node.procedure?.type === 'variable' && MAKING.has(String(node.procedure.value));
  if (node.type !== 'path' || node.keepSingletonArray === true || node.group !== undefined) return false;
  const steps = node.steps ?? [];
  return steps.some((step, at) => {
    if (step.type !== 'name' && step.type !== 'variable') return false;
    if (!ARRAYS.has(String(step.value))) return false;
    const filters = (step.stages ?? step.predicate ?? []).flatMap((stage) => stage.expr ?? []);
    // `[0]` and `[-1]` take one element, and mean to.
    if (filters.some((filter) => filter.type === 'number' || (filter.type === 'unary' && filter.value === '-')))
      return false;
    // The array itself stays one; what a further step or a filter makes of it does not.
    return at < steps.length - 1 || filters.length > 0;
  });
};
