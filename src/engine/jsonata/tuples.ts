import type { Closure, Frame } from './frame.ts';
import { groupBy, joined, type KeyValue } from './grouping.ts';
import { sortItems, type Placing, type Term } from './ordering.ts';
import { selects } from './paths.ts';
import type { Run } from './run.ts';
import type { Scope } from './scope.ts';
import { TupleStream, setKey, type Tuple } from './value.ts';

/** Where a part is evaluated for one tuple. */
const placeIn =
  (frame: Frame, scope: Scope): Placing<Tuple> =>
  (tuple) => ({ input: tuple['@'], frame: scope.frameIn(frame, tuple) });

interface TupleFilter {
  readonly kind: 'filter';
  readonly evaluate: Closure;
  /** Set when the predicate is a number written out. */
  readonly number: number | undefined;
  readonly scope: Scope;
}

/** A step of a path that carries tuples; one that orders has no closure. */
export interface TupleStep {
  readonly evaluate: Closure | undefined;
  readonly sort: { readonly terms: readonly Term[]; readonly at: number } | undefined;
  readonly stages: readonly (TupleFilter | { readonly kind: 'index'; readonly name: string })[];
  readonly scope: Scope;
  readonly focus: string | undefined;
  readonly index: string | undefined;
  readonly ancestor: string | undefined;
}

const start = (items: readonly unknown[]): TupleStream => {
  const stream = new TupleStream();
  for (let index = 0; index < items.length; index += 1) {
    stream[stream.length] = { '@': items[index] };
  }
  return stream;
};

const sortTuples = (
  { sort, index, scope }: TupleStep,
  items: readonly unknown[],
  stream: TupleStream | undefined,
  frame: Frame,
): TupleStream => {
  const result = new TupleStream();
  if (sort === undefined) return result;
  const { terms, at } = sort;
  // Items that no tuple carries yet are ordered without one.
  const inner = scope.frameIn(frame);
  const ordered =
    stream === undefined
      ? start(sortItems(frame.run, items, terms, (item) => ({ input: item, frame: inner }), at))
      : sortItems(frame.run, stream, terms, placeIn(frame, scope), at);
  for (const tuple of ordered) {
    if (stream === undefined && index !== undefined) setKey(tuple, index, result.length);
    result[result.length] = tuple;
  }
  return result;
};

/** The tuples that one tuple grows into by what the step gave for it. */
const grow = (run: Run, step: TupleStep, tuple: Tuple, value: unknown, into: TupleStream): void => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (let index = 0; index < values.length; index += 1) {
    run.charge(16);
    // Never by assignment, which a name such as `__proto__` would make something else of.
    if (value instanceof TupleStream) {
      into[into.length] = { ...tuple, ...(values[index] as Tuple) };
      continue;
    }
    const grown = { ...tuple };
    setKey(grown, step.focus ?? '@', values[index]);
    if (step.index !== undefined) setKey(grown, step.index, index);
    if (step.ancestor !== undefined) setKey(grown, step.ancestor, tuple['@']);
    into[into.length] = grown;
  }
};

/** A step of a path that carries tuples. */
export const tupleStep = (
  step: TupleStep,
  items: readonly unknown[],
  stream: TupleStream | undefined,
  frame: Frame,
): TupleStream => {
  const { run } = frame;
  let result: TupleStream;
  if (step.evaluate === undefined) {
    result = sortTuples(step, items, stream, frame);
  } else {
    result = new TupleStream();
    const tuples = stream ?? start(items);
    const placeOf = placeIn(frame, step.scope);
    for (let index = 0; index < tuples.length; index += 1) {
      run.tick();
      const tuple = tuples[index] as Tuple;
      const place = placeOf(tuple);
      const value = step.evaluate(place.input, place.frame);
      if (value !== undefined) grow(run, step, tuple, value, result);
    }
  }
  for (const stage of step.stages) {
    if (stage.kind === 'index') {
      for (let index = 0; index < result.length; index += 1) setKey(result[index] as Tuple, stage.name, index);
    } else {
      result = filterTuples(result, stage, frame);
    }
  }
  return result;
};

/** `[predicate]` over tuples. */
export const filterTuples = (stream: TupleStream, filter: TupleFilter, frame: Frame): TupleStream => {
  const { number, evaluate, scope } = filter;
  const placeOf = placeIn(frame, scope);
  const result = new TupleStream();
  for (let index = 0; index < stream.length; index += 1) {
    frame.run.tick();
    const tuple = stream[index] as Tuple;
    const { input, frame: inner } = placeOf(tuple);
    const times = selects(number ?? evaluate(input, inner), index, stream.length);
    for (let time = 0; time < times; time += 1) result[result.length] = tuple;
  }
  return result;
};

/** One tuple of many: under each name what they hold there, joined. */
const reduceTuples = (run: Run, tuples: readonly Tuple[]): Tuple => {
  const values = new Map<string, unknown[]>();
  for (const tuple of tuples) {
    for (const [key, value] of Object.entries(tuple)) {
      const held = values.get(key);
      if (held === undefined) values.set(key, [value]);
      else held.push(value);
    }
  }
  const result: Tuple = {};
  for (const [key, held] of values) setKey(result, key, joined(run, held));
  return result;
};

/** `{…}` behind a path that carries tuples. */
export const groupTuples = (
  stream: TupleStream,
  pairs: readonly KeyValue[],
  scope: Scope,
  frame: Frame,
  position: number,
): Record<string, unknown> => {
  const placeOf = placeIn(frame, scope);
  return groupBy(frame.run, stream, {
    pairs,
    placeOf,
    placeOfAll: (tuples) => placeOf(reduceTuples(frame.run, tuples)),
    position,
  });
};
