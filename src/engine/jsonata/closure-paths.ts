import { Frame, type ClosureScope, type Closure } from './frame.ts';
import { groupItems, type KeyValue } from './grouping.ts';
import { sortItems, type Term } from './ordering.ts';
import { filterIndex, filterItems, keepArray, mapStep } from './paths.ts';
import type { FilterStage, GroupNode, Node, Pair, PathNode, Scope, SortTerm, Step } from './tree.ts';
import { filterTuples, groupTuples, tupleStep, type TupleStep } from './tuples.ts';
import { Sequence, TupleStream, sequenceOf, setKey } from './value.ts';

type StepFunction = (items: readonly unknown[], frame: Frame) => unknown;

/** A path: not collapsed, or its tuples if it hands them on. */
export const compilePath = (node: PathNode, scope: ClosureScope): Closure => {
  const firstTuple = node.steps.findIndex((step) => step.tuple);
  if (firstTuple !== -1) return compileTuplePath(node, firstTuple, scope);
  const walk = compileSteps(node.steps, node.steps.length, scope);
  const { fromVariable, keep, group } = node;
  const path: Closure = (input, frame) => {
    const result = walk(itemsOf(input, fromVariable), frame);
    return keep ? keepArray(result) : result;
  };
  return group === undefined ? path : compileGroup(path, group, scope);
};

/** The items that a path's first step is asked for. */
const itemsOf = (input: unknown, fromVariable: boolean): readonly unknown[] =>
  Array.isArray(input) && !fromVariable ? input : sequenceOf(input);

/** What a step of the first kind gave, as the items of the next. */
const asItems = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  // A single item out of an array that begins a path has no items itself; a text has its characters.
  return typeof value === 'string' ? value.split('') : [];
};

/** True when a path ends early. */
const isNothing = (value: unknown): boolean =>
  value === undefined || ((Array.isArray(value) || typeof value === 'string') && value.length === 0);

const compileSteps = (steps: readonly Step[], total: number, scope: ClosureScope): StepFunction => {
  const functions = steps.map((step, index) => compileStep(step, index === total - 1, scope));
  const first = steps[0];
  if (first?.constructed === true && first.node !== undefined) functions[0] = scope.compile(first.node);
  return (input, frame) => {
    let items = input;
    let result: unknown;
    for (let index = 0; index < functions.length; index += 1) {
      result = (functions[index] as StepFunction)(items, frame);
      if (isNothing(result)) return result;
      items = asItems(result);
    }
    return result;
  };
};

const compileStep = (step: Step, last: boolean, scope: ClosureScope): StepFunction => {
  const stages = step.stages.flatMap((stage) => (stage.kind === 'index' ? [] : [compileStage(stage, scope)]));
  if (step.sort !== undefined) {
    const { at } = step.sort;
    const terms = step.sort.terms.map((term) => compileTerm(term, scope));
    return (items, frame) => {
      let result: unknown = sortItems(frame.run, items, terms, (item) => ({ input: item, frame }), at);
      for (const stage of stages) result = stage(result, frame);
      return result;
    };
  }
  const node = scope.compile(step.node as Node);
  if (stages.length === 0) return (items, frame) => mapStep(items, node, frame, last);
  const staged: Closure = (item, frame) => {
    let result = node(item, frame);
    for (const stage of stages) result = stage(result, frame);
    return result;
  };
  return (items, frame) => mapStep(items, staged, frame, last);
};

const constantNumber = (node: Node): number | undefined =>
  node.kind === 'constant' && typeof node.value === 'number' ? node.value : undefined;

const compileStage = ({ predicate, scope: tuples }: FilterStage, scope: ClosureScope): Closure => {
  const number = constantNumber(predicate);
  if (number !== undefined) return (value) => filterIndex(value, number);
  const closure = scope.compile(predicate, tuples);
  if (tuples === undefined) return (value, frame) => filterItems(value, closure, frame);
  return (value, frame) => filterItems(value, closure, new Frame(frame.run, tuples.bindings.size, frame));
};

const compileTerm = (term: SortTerm, scope: ClosureScope): Term => ({
  descending: term.descending,
  evaluate: scope.compile(term.value, term.scope),
});

const compileTupleStep = (step: Step, scope: ClosureScope): TupleStep => ({
  evaluate: step.node === undefined ? undefined : scope.compile(step.node, step.scope),
  sort: step.sort && {
    terms: step.sort.terms.map((term) => compileTerm(term, scope)),
    scope: step.sort.terms[0]?.scope as Scope,
    at: step.sort.at,
  },
  stages: step.stages.map((stage) => (stage.kind === 'index' ? stage : compileTupleFilter(stage, scope))),
  scope: step.scope as Scope,
  focus: step.focus,
  index: step.index,
  ancestor: step.ancestor,
});

const compileTupleFilter = (stage: FilterStage, scope: ClosureScope) => ({
  kind: 'filter' as const,
  evaluate: scope.compile(stage.predicate, stage.scope),
  number: constantNumber(stage.predicate),
  scope: stage.scope as Scope,
});

const compileTuplePath = (node: PathNode, firstTuple: number, scope: ClosureScope): Closure => {
  const before = compileSteps(node.steps.slice(0, firstTuple), node.steps.length, scope);
  const steps = node.steps.slice(firstTuple).map((step) => compileTupleStep(step, scope));
  const { fromVariable, keep, carriesTuples, group } = node;
  const path: Closure = (input, frame) => {
    const items = itemsOf(input, fromVariable);
    const plain = firstTuple === 0 ? items : before(items, frame);
    // Nothing in front of the first tuple: there never is one.
    if (firstTuple > 0 && isNothing(plain)) return plain;
    let stream: TupleStream | undefined;
    for (const step of steps) stream = tupleStep(step, asItems(plain), stream, frame);
    return stream;
  };
  if (group !== undefined) return compileGroup(path, group, scope);
  return (input, frame) => {
    let result = path(input, frame);
    if (result instanceof TupleStream) {
      if (carriesTuples) return result;
      const items = new Sequence();
      for (let index = 0; index < result.length; index += 1) items[index] = result[index]?.['@'];
      result = items;
    }
    return keep ? keepArray(result) : result;
  };
};

/** A filter behind anything but a step. */
export const compileFilter = (node: FilterStage & { readonly base: Node }, scope: ClosureScope): Closure => {
  const base = scope.compile(node.base);
  const stage = compileStage(node, scope);
  if (node.scope === undefined) return (input, frame) => stage(base(input, frame), frame);
  const filter = compileTupleFilter(node, scope);
  return (input, frame) => {
    const value = base(input, frame);
    return value instanceof TupleStream ? filterTuples(value, filter, frame) : stage(value, frame);
  };
};

const compilePairs = (pairs: readonly Pair[], scope: ClosureScope, tuples?: Scope): KeyValue[] =>
  pairs.map(({ key, value }) => ({ key: scope.compile(key, tuples), value: scope.compile(value, tuples) }));

/** A grouping behind anything, path or not. */
export const compileGroup = (base: Closure, group: GroupNode, scope: ClosureScope): Closure => {
  const { at, scope: tuples } = group;
  const pairs = compilePairs(group.pairs, scope, tuples);
  return (input, frame) => {
    const value = base(input, frame);
    if (tuples === undefined) return groupItems(value, pairs, frame, at);
    if (value instanceof TupleStream) return groupTuples(value, pairs, tuples, frame, at);
    return groupItems(value, pairs, new Frame(frame.run, tuples.bindings.size, frame), at);
  };
};

/** The keys of an object constructor if they are all written out, differ and are allowed. */
const fixedKeys = (pairs: readonly Pair[]): readonly string[] | undefined => {
  const keys = new Set<string>();
  for (const { key } of pairs) {
    if (key.kind !== 'constant' || typeof key.value !== 'string' || key.value.startsWith('_jsonata_')) return undefined;
    keys.add(key.value);
  }
  return keys.size === pairs.length ? [...keys] : undefined;
};

/** An object constructor. */
export const compileObject = (pairs: readonly Pair[], at: number, scope: ClosureScope): Closure => {
  const compiled = compilePairs(pairs, scope);
  const keys = fixedKeys(pairs);
  if (keys === undefined) return (input, frame) => groupItems(input, compiled, frame, at);
  const values = compiled.map(({ value }) => value);
  const units = 8 * (keys.length + 1);
  const unsafe = keys.includes('__proto__');
  return (input, frame) => {
    if (Array.isArray(input)) return groupItems(input, compiled, frame, at);
    frame.run.charge(units);
    const result: Record<string, unknown> = {};
    for (let index = 0; index < values.length; index += 1) {
      const value = (values[index] as Closure)(input, frame);
      if (value === undefined) continue;
      if (unsafe) setKey(result, keys[index] as string, value);
      else result[keys[index] as string] = value;
    }
    return result;
  };
};
