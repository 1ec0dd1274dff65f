import { quote, typedValue, unknownValue, type Context, type Emitter, type Value } from './emitter.ts';
import type { GroupNode, Node, Pair, PathNode, Step, StepStage } from './tree.ts';
import { isInherited } from './value.ts';

const read = (e: Emitter, object: string, name: string): string =>
  isInherited(name) ? `${e.use('ownField')}(${object}, ${quote(name)})` : `${object}[${quote(name)}]`;

const isObject = (e: Emitter, js: string): Value =>
  e.remembered(`${js}|object`, () =>
    typedValue(e.hold(`typeof ${js} === 'object' && ${js} !== null && !Array.isArray(${js})`, 'o'), 'boolean'),
  );

/** The value of a name in the middle of a path: itself, or the items of the next step. */
const middle = (e: Emitter, base: Context, name: string): Context => {
  const value = e.remembered(`${base.js}|.${name}`, () => {
    const field = read(e, base.js, name);
    const direct = base.pure ? field : `${e.use('stepped')}(${field}, false)`;
    const slow = `${e.use('middleName')}(c, ${base.js}, ${quote(name)})`;
    return unknownValue(e.hold(`${isObject(e, base.js).js} ? ${direct} : ${slow}`, 'x'), base.pure);
  });
  return { js: value.js, pure: value.pure, outermost: false };
};

const last = (e: Emitter, base: Context, name: string): Value =>
  e.remembered(`${base.js}|=${name}`, () => {
    const field = read(e, base.js, name);
    const direct = base.pure ? field : `${e.use('settle')}(${field})`;
    const slow = `${e.use('lastName')}(c, ${base.js}, ${quote(name)})`;
    return unknownValue(e.hold(`${isObject(e, base.js).js} ? ${direct} : ${slow}`, 'x'), base.pure);
  });

/** A name as a step: of an item that is itself an array, the fields of all its items. */
export const emitName = (e: Emitter, name: string, context: Context): Value =>
  e.remembered(`${context.js}|~${name}`, () => {
    const field = read(e, context.js, name);
    const direct = context.pure ? field : `${e.use('settle')}(${field})`;
    const slow = `${e.use('collapse')}(${e.use('lookup')}(c, ${context.js}, ${quote(name)}))`;
    return unknownValue(e.hold(`${isObject(e, context.js).js} ? ${direct} : ${slow}`, 'x'), context.pure);
  });

/** A variable or `$` that begins a path. */
const baseOf = (e: Emitter, node: Node, context: Context): Context => {
  const value = e.node(node, context);
  if (value.pure) return { js: value.js, pure: true, outermost: false };
  // A variable may hold an array written as a step, which is not flattened.
  const js = e.hold(`${e.use('stepped')}(${value.js}, false)`);
  return { js, pure: false, outermost: false };
};

/** `a.b.c`. */
export const emitFields = (e: Emitter, node: Node & { kind: 'fields' }, context: Context): Value => {
  const base = node.base === undefined ? context : baseOf(e, node.base, context);
  const end = node.names.at(-1) ?? '';
  const owner = node.names.slice(0, -1).reduce((at, name) => middle(e, at, name), base);
  return last(e, owner, end);
};

const plainName = (step: Step): string | undefined =>
  step.node?.kind === 'collapse' && !step.node.keep && step.node.base.kind === 'name' && step.stages.length === 0
    ? step.node.base.name
    : undefined;

const emitStages = (e: Emitter, stages: readonly StepStage[], value: Value, pure: boolean): Value =>
  stages.reduce((filtered, stage) => {
    if (stage.kind === 'index') return filtered;
    return emitPredicate(e, stage.predicate, filtered, pure);
  }, value);

const emitPredicate = (e: Emitter, predicate: Node, value: Value, pure: boolean): Value => {
  if (predicate.kind === 'constant' && typeof predicate.value === 'number') {
    return unknownValue(e.hold(`${e.use('filterIndex')}(${value.js}, ${predicate.value})`), pure);
  }
  const test = e.callback((item) => e.node(predicate, item), pure);
  return unknownValue(e.hold(`${e.use('filterItems')}(c, ${value.js}, ${test}, c)`), pure);
};

/** One step: what the one before gave goes in, what the next takes comes out. */
const emitStep = (e: Emitter, step: Step, before: Context, isLast: boolean): Context & { fresh: boolean } => {
  if (step.sort !== undefined) {
    const terms = step.sort.terms.map(
      (term) =>
        `{ descending: ${term.descending}, evaluate: ${e.callback((item) => e.node(term.value, item), before.pure)} }`,
    );
    const items = `${e.use('asItems')}(${before.js})`;
    const sorted = e.hold(`${e.use('sortItems')}(c, ${items}, [${terms.join(', ')}], c, ${step.sort.at})`);
    const staged = emitStages(e, step.stages, unknownValue(sorted), before.pure);
    return { js: staged.js, pure: before.pure, outermost: false, fresh: false };
  }
  const { node } = step;
  let result: Value | undefined;
  const evaluate = e.callback((item) => {
    const value = e.node(node as Node, item);
    result = emitStages(e, step.stages, value, value.pure);
    return result;
  }, before.pure);
  const value = result;
  return {
    js: e.hold(`${e.use('step')}(c, ${before.js}, ${evaluate}, ${isLast})`),
    pure: value?.pure === true,
    outermost: false,
    fresh: value?.type === 'object' || value?.freshItems === true,
  };
};

/** A path that is more than names, without tuples; not collapsed. Its last step is left to `finish`, if given. */
export const emitPath = (e: Emitter, node: PathNode, context: Context, finish?: (before: Context) => void): Value => {
  const { steps } = node;
  const first = steps[0] as Step;
  let at = 0;
  let state: Context = context;
  let result: string | undefined;
  let otherwise = 'undefined';
  if (first.constructed && first.node !== undefined) {
    const items = e.hold(`${e.use('inputSequence')}(${context.js}, false)`, 'i');
    const value = e.node(first.node, { js: items, pure: context.pure, outermost: true });
    if (steps.length === 1) return finishPath(e, node, value.js, false);
    state = { js: e.hold(`${e.use('firstItems')}(${value.js})`), pure: false, outermost: false };
    // An array that begins a path and is empty is the path's value.
    otherwise = value.js;
    at = 1;
  } else if (node.fromVariable && first.stages.length === 0 && steps.length > 1) {
    state = baseOf(e, first.node as Node, context);
    at = 1;
  } else if (node.fromVariable) {
    // A variable is asked for once, whatever the input.
    state = { js: e.hold(`[${context.js}]`), pure: context.pure, outermost: false };
  }
  // Plain names up to the first that is more.
  for (let name = plainName(steps[at] as Step); name !== undefined && at < steps.length - 1;) {
    state = middle(e, state, name);
    at += 1;
    name = plainName(steps[at] as Step);
  }
  const conditional = at > 0;
  if (conditional) {
    result = e.fresh('t');
    e.line(`let ${result} = ${otherwise};`);
    e.line(`if (${state.js} !== undefined) {`);
  }
  let fresh = false;
  const emitRest = (): void => {
    for (let index = at; index < steps.length; index += 1) {
      const isLast = index === steps.length - 1;
      if (isLast && finish !== undefined) {
        finish(state);
        return;
      }
      const next = emitStep(e, steps[index] as Step, state, isLast);
      state = next;
      fresh = next.fresh;
      if (!isLast && index < steps.length - 1) {
        state = { ...next, js: e.hold(`${e.use('orEmpty')}(${next.js})`) };
      }
    }
    if (result !== undefined) e.line(`${result} = ${state.js};`);
  };
  if (conditional) {
    e.branch(emitRest);
    e.line('}');
  } else {
    emitRest();
  }
  return finishPath(e, node, result ?? state.js, fresh && otherwise === 'undefined');
};

const finishPath = (e: Emitter, node: PathNode, js: string, fresh: boolean): Value => {
  const kept = node.keep ? e.hold(`${e.use('keep')}(${js})`) : js;
  if (node.group === undefined) return { js: kept, type: 'unknown', optional: true, pure: false, freshItems: fresh };
  return emitGroupOf(e, node.group, kept);
};

/** Keys and values of an object whose keys are computed, or of a grouping, as callbacks. */
export const emitPairs = (e: Emitter, pairs: readonly Pair[], pure: boolean): string => {
  const parts = pairs.map(({ key, value }) => {
    const keys = e.callback((item) => e.node(key, item), pure);
    const values = e.callback((item) => e.node(value, item), pure);
    return `{ key: ${keys}, value: ${values} }`;
  });
  return `[${parts.join(', ')}]`;
};

const emitGroupOf = (e: Emitter, group: GroupNode, input: string): Value => {
  const pairs = emitPairs(e, group.pairs, false);
  e.line('c.mixed = true;');
  return typedValue(e.hold(`${e.use('groupItems')}(c, ${input}, ${pairs}, c, ${group.at})`), 'object');
};

/** A filter behind anything but a step; not collapsed. */
export const emitFilter = (e: Emitter, node: Node & { kind: 'filter' }, context: Context): Value => {
  const base = e.node(node.base, context);
  return emitPredicate(e, node.predicate, base, base.pure);
};

/** A grouping behind anything but a path. */
export const emitGroup = (e: Emitter, node: Node & { kind: 'group' }, context: Context): Value =>
  emitGroupOf(e, node.group, e.node(node.base, context).js);
