import { type Closure, type Frame, type MadePair, pairsOf, type Scope } from './scope.ts';
import { groupItems } from './grouping.ts';
import { sortItems, type Term } from './ordering.ts';
import { type Ast, constantOf, type Group, startOfText } from './parse.ts';
import { fields, fieldsOf, filterIndex, filterItems, keepArray, mapStep } from './paths.ts';
import { filterTuples, groupTuples, growTuples, sortTuples, type TupleStep } from './tuples.ts';
import { isInherited, Sequence, sequenceOf, setKey, TupleStream } from './value.ts';

type StepFunction = (items: readonly unknown[], frame: Frame) => unknown;

/** A path: not collapsed, or its tuples if it hands them on. */
export const compilePath = (ast: Ast, scope: Scope): Closure => {
  const named = fieldsIn(ast);
  if (named !== undefined) return compileFields(named, scope);
  const steps = ast.steps ?? [];
  const firstTuple = steps.findIndex((step) => step.tuple === true);
  if (firstTuple !== -1) return compileTuplePath(ast, steps, firstTuple, scope);
  const walk = compileSteps(steps, steps.length, scope);
  const [fromVariable, keep] = [steps[0]?.type === 'variable', ast.keepSingletonArray === true];
  const path: Closure = (input, frame) => {
    const result = walk(itemsOf(input, fromVariable), frame);
    return keep ? keepArray(result) : result;
  };
  return ast.group === undefined ? path : compileGroup(path, ast.group, false, scope);
};

// `a.b.c` and `$x.b.c`, by far the most frequent paths ------------------------------------------------------------------

interface Fields {
  readonly variable: string | undefined;
  readonly names: readonly string[];
}

const isPlain = (step: Ast, type: 'name' | 'variable'): boolean =>
  step.type === type &&
  step.stages === undefined &&
  step.predicate === undefined &&
  step.group === undefined &&
  step.keepArray !== true &&
  step.tuple !== true;

/** The names of a path of nothing but names, behind a variable or not. */
export const fieldsIn = ({ steps = [], group, keepSingletonArray, tuple, predicate }: Ast): Fields | undefined => {
  const [first, ...rest] = steps;
  if (group !== undefined || keepSingletonArray === true || tuple === true || predicate !== undefined) return undefined;
  if (first === undefined) return undefined;
  const fromVariable = isPlain(first, 'variable');
  const named = fromVariable ? rest : steps;
  if (named.length === 0 || !named.every((step) => isPlain(step, 'name'))) return undefined;
  return { variable: fromVariable ? String(first.value) : undefined, names: named.map(({ value }) => String(value)) };
};

const compileFields = ({ variable, names }: Fields, scope: Scope): Closure => {
  const start = variable === undefined ? undefined : scope.variable(variable);
  const walk = start === undefined ? fields : fieldsOf;
  const [first, second] = names as [string, string | undefined];
  if (names.length > 2 || names.some(isInherited))
    return (input, frame) => walk(frame.run, start === undefined ? input : start(input, frame), names);
  // One or two names on plain objects.
  return (input, frame) => {
    const from = start === undefined ? input : start(input, frame);
    if (typeof from !== 'object' || from === null || Array.isArray(from)) return walk(frame.run, from, names);
    let value = (from as Record<string, unknown>)[first];
    if (second !== undefined) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return walk(frame.run, from, names);
      value = (value as Record<string, unknown>)[second];
    }
    return value instanceof Sequence ? walk(frame.run, from, names) : value;
  };
};

// Steps --------------------------------------------------------------------------------------------------------------

/** The items that a path's first step is asked for. */
const itemsOf = (input: unknown, fromVariable: boolean): readonly unknown[] =>
  Array.isArray(input) && !fromVariable ? input : sequenceOf(input);

/** What a step of the first kind gave, as the items of the next. */
const asItems = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  // A single item out of an array that begins a path has no items itself; a text has its characters.
  return typeof value === 'string' ? value.split('') : [];
};

const isNothing = (value: unknown): boolean =>
  value === undefined || ((Array.isArray(value) || typeof value === 'string') && value.length === 0);

const compileSteps = (steps: readonly Ast[], total: number, scope: Scope): StepFunction => {
  const functions = steps.map((step, index) =>
    // An array written as the first step is taken as it is.
    index === 0 && step.consarray === true ? scope.compile(step) : compileStep(step, index === total - 1, scope),
  );
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

const sortAt = ({ position = 1 }: Ast): number => Math.max(0, position - 1);

const compileTerms = ({ terms = [] }: Ast, scope: Scope): readonly Term[] =>
  terms.map(({ descending, expression }) => ({ descending, evaluate: scope.choosing(expression) }));

const compileStep = (step: Ast, last: boolean, scope: Scope): StepFunction => {
  const stages = (step.stages ?? []).flatMap(({ expr }) => (expr === undefined ? [] : [compileStage(expr, scope)]));
  const staged = (first: unknown, frame: Frame): unknown => {
    let result = first;
    for (const stage of stages) result = stage(result, frame);
    return result;
  };
  if (step.type === 'sort') {
    const at = sortAt(step);
    const terms = compileTerms(step, scope);
    return (items, frame) => {
      const sorted = sortItems(frame.run, items, terms, (item) => ({ input: item, frame }), at);
      return staged(sorted, frame);
    };
  }
  const node = scope.compile(step);
  const evaluate: Closure = stages.length === 0 ? node : (item, frame) => staged(node(item, frame), frame);
  return (items, frame) => mapStep(items, evaluate, frame, last);
};

const constantNumber = (ast: Ast): number | undefined => {
  const value = constantOf(ast)?.value;
  return typeof value === 'number' ? value : undefined;
};

/** `tuples`: the scope of its frame, where it stands behind a step that may carry tuples. */
const compileStage = (predicate: Ast, scope: Scope, tuples?: Scope): Closure => {
  const number = constantNumber(predicate);
  if (number !== undefined) return (value) => filterIndex(value, number);
  const closure = (tuples ?? scope).choosing(predicate);
  if (tuples === undefined) return (value, frame) => filterItems(value, closure, frame);
  return (value, frame) => filterItems(value, closure, tuples.frameIn(frame));
};

const compileTupleFilter = (predicate: Ast, scope: Scope) => {
  const tuples = scope.perTuple([predicate]);
  return filterTuples(tuples.choosing(predicate), tuples, constantNumber(predicate));
};

/** `#$i` behind a step. */
const numberTuples =
  (name: string) =>
  (stream: TupleStream): TupleStream => {
    for (const [index, tuple] of stream.entries()) setKey(tuple, name, index);
    return stream;
  };

const compileTupleStep = (step: Ast, scope: Scope): TupleStep => {
  const sortTerms = step.terms ?? [];
  const contents = step.type === 'sort' ? sortTerms.map(({ expression }) => expression) : [{ ...step, stages: [] }];
  const tuples = scope.perTuple(contents);
  const first =
    step.type === 'sort'
      ? sortTuples(compileTerms(step, tuples), tuples, step.index || undefined, sortAt(step))
      : growTuples(tuples.compile(step), tuples, step);
  const stages = (step.stages ?? []).map(({ type, expr, value }) =>
    type === 'index' || expr === undefined ? numberTuples(String(value)) : compileTupleFilter(expr, scope),
  );
  return (items, stream, frame) => stages.reduce((result, stage) => stage(result, frame), first(items, stream, frame));
};

const compileTuplePath = (ast: Ast, all: readonly Ast[], firstTuple: number, scope: Scope): Closure => {
  const before = compileSteps(all.slice(0, firstTuple), all.length, scope);
  const steps = all.slice(firstTuple).map((step) => compileTupleStep(step, scope));
  const [fromVariable, keep] = [all[0]?.type === 'variable', ast.keepSingletonArray === true];
  const carriesTuples = ast.tuple === true;
  const path: Closure = (input, frame) => {
    const items = itemsOf(input, fromVariable);
    const plain = firstTuple === 0 ? items : before(items, frame);
    // Nothing in front of the first tuple: there never is one.
    if (firstTuple > 0 && isNothing(plain)) return plain;
    let stream: TupleStream | undefined;
    for (const step of steps) stream = step(asItems(plain), stream, frame);
    return stream;
  };
  if (ast.group !== undefined) return compileGroup(path, ast.group, true, scope);
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
export const compileFilter = (base: Closure, predicate: Ast, mayCarryTuples: boolean, scope: Scope): Closure => {
  if (!mayCarryTuples) {
    const stage = compileStage(predicate, scope);
    return (input, frame) => stage(base(input, frame), frame);
  }
  const stage = compileStage(predicate, scope, scope.perTuple([predicate]));
  const filter = compileTupleFilter(predicate, scope);
  return (input, frame) => {
    const value = base(input, frame);
    return value instanceof TupleStream ? filter(value, frame) : stage(value, frame);
  };
};

// Groupings and objects ----------------------------------------------------------------------------------------------

const compilePairs = (pairs: readonly (readonly [Ast, Ast])[], scope: Scope): readonly MadePair[] =>
  pairs.map(([key, value]) => {
    const name = constantOf(key)?.value;
    return {
      name: typeof name === 'string' ? name : undefined,
      key: scope.compile(key),
      value: scope.compile(value),
      at: startOfText(scope.expression.source, value),
    };
  });

/** A grouping behind anything, path or not. */
export const compileGroup = (base: Closure, group: Group, mayCarryTuples: boolean, scope: Scope): Closure => {
  const at = Math.max(0, group.position - 1);
  const tuples = mayCarryTuples ? scope.perTuple(group.lhs.flat()) : undefined;
  const pairs = compilePairs(group.lhs, tuples ?? scope);
  const grouped: Closure = (input, frame) => {
    const value = base(input, frame);
    if (tuples === undefined) return groupItems(value, pairs, frame, at);
    if (value instanceof TupleStream) return groupTuples(value, pairs, tuples, frame, at);
    return groupItems(value, pairs, tuples.frameIn(frame), at);
  };
  return scope.observed(grouped, { kind: 'object', pairs });
};

/** The keys of an object constructor if they are all written out, differ and are allowed. */
const fixedKeys = (pairs: readonly MadePair[]): readonly string[] | undefined => {
  const keys = new Set<string>();
  for (const { name } of pairs) {
    if (name === undefined || name.startsWith('_jsonata_')) return undefined;
    keys.add(name);
  }
  return keys.size === pairs.length ? [...keys] : undefined;
};

export const compileObject = (ast: Ast, scope: Scope): Closure => {
  const at = scope.operatorAt(ast);
  const pairs = compilePairs(pairsOf(ast), scope);
  return scope.observed(objectOf(pairs, at), { kind: 'object', pairs });
};

const objectOf = (pairs: readonly MadePair[], at: number): Closure => {
  const keys = fixedKeys(pairs);
  if (keys === undefined) return (input, frame) => groupItems(input, pairs, frame, at);
  const values = pairs.map(({ value }) => value);
  const units = 8 * (keys.length + 1);
  const unsafe = keys.includes('__proto__');
  return (input, frame) => {
    if (Array.isArray(input)) return groupItems(input, pairs, frame, at);
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
