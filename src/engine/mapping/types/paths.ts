import type { Ast, Stage } from '../../jsonata/parse.ts';
import { fieldOf } from './fields.ts';
import * as t from './type.ts';
import type { At, TypeWalk } from './type-walk.ts';

/** A path: each step is evaluated on the result of the one before, element by element. */
export const pathOf = (walk: TypeWalk, node: Ast, outer: At): t.Type => {
  const names = new Map(outer.names);
  const steps = node.steps ?? [];
  let { context } = outer;
  for (const [at, step] of steps.entries()) {
    if (step.index !== undefined) names.set(step.index, { ...t.NUMBER, uncallable: true });
    if (step.type === 'sort') {
      const element = t.elementsOf(context);
      for (const term of step.terms ?? []) walk.visit(term.expression, { context: element, names });
      context = stagesOf(walk, step.stages, t.isMany(context) ? t.collected(element, true) : context, names);
      continue;
    }
    const standing = { first: at === 0, more: steps.length > at + 1 };
    const reached =
      step.type === 'name'
        ? fieldOf(walk, step, String(step.value), context, standing)
        : stepOf(walk, step, { context, names }, standing.first);
    const kept = stagesOf(walk, step.stages, reached, names);
    // `@$x` gives the value a name and leaves the context where it was.
    if (step.focus === undefined) context = kept;
    else names.set(step.focus, { ...t.elementsOf(kept), uncallable: true });
  }
  const whole = node.keepSingletonArray === true ? alwaysList(context) : context;
  return node.group === undefined ? whole : groupOf(walk, node.group.lhs, { context: whole, names });
};

/** A step other than a name is evaluated for each element of the context; a leading variable has a value of its own. */
const stepOf = (walk: TypeWalk, step: Ast, { context, names }: At, first: boolean): t.Type => {
  if (first && step.type === 'variable') return walk.visit(step, { context, names });
  const many = t.isMany(context);
  const value = walk.visit(step, { context: t.elementsOf(context), names });
  return t.collected(value, many && context.any !== true);
};

/** What `x[]` makes of a value. */
export const alwaysList = (type: t.Type): t.Type => {
  if (type.any === true) return t.ANY;
  const { missing, sequence: _, ...held } = type;
  const list = t.listOf(t.elementsOf(held));
  return missing === true ? t.orMissing(list) : list;
};

const stagesOf = (walk: TypeWalk, stages: readonly Stage[] | undefined, type: t.Type, names: t.Variables): t.Type => {
  let kept = type;
  for (const stage of stages ?? []) {
    if (stage.type === 'index' && stage.value !== undefined) names.set(stage.value, { ...t.NUMBER, uncallable: true });
    if (stage.expr !== undefined) kept = filtered(walk, stage.expr, { context: kept, names });
  }
  return kept;
};

/** What `x[…]` leaves of a value: one element by its number, or all for which a condition holds. */
export const filtered = (walk: TypeWalk, predicate: Ast, { context, names }: At): t.Type => {
  const element = t.elementsOf(context);
  const chosen = walk.visit(predicate, { context: element, names });
  warnOfIndex(walk, predicate, chosen, element);
  if (context.any === true) return t.ANY;
  if (t.isOnly(chosen, 'number')) return t.orMissing(element);
  return t.isMany(context) ? t.collected(element, true) : t.orMissing(context);
};

/** `[itemWeight]` takes the element of that number, where those that have a weight were meant. */
const warnOfIndex = (walk: TypeWalk, node: Ast, chosen: t.Type, element: t.Type): void => {
  const [field, more] = node.type === 'path' ? (node.steps ?? []) : [];
  if (field?.type !== 'name' || more !== undefined) return;
  const name = String(field.value);
  if (!t.isOnly(chosen, 'number') || element.object?.origin !== 'schema') return;
  walk.report('index', node, {
    rule: 'number-as-index',
    message: `[${name}] is the element of that number, not those that have one`,
    help: `write [$exists(${name})], or compare it`,
  });
};

/** `x{ key: value }`: an object with a field for each key that occurs. */
export const groupOf = (walk: TypeWalk, pairs: readonly (readonly [Ast, Ast])[], { context, names }: At): t.Type => {
  const element = t.elementsOf(context);
  const fields = pairs.map(([key, value]): readonly [string | undefined, t.Type] => {
    walk.visit(key, { context: element, names });
    const held = walk.visit(value, { context: t.isMany(context) ? t.collected(element, true) : context, names });
    return [key.type === 'string' ? String(key.value) : undefined, t.orMissing(held)];
  });
  const named = fields.flatMap(([key, type]) => (key === undefined ? [] : [[key, type] as const]));
  const others = fields.flatMap(([key, type]) => (key === undefined ? [type] : []));
  return t.objectOf(new Map(named), {
    origin: 'made',
    name: 'the group',
    others: others.length === 0 ? undefined : t.unionOf(others),
  });
};
