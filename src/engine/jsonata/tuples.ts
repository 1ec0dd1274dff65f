import type { Closure, Frame, Scope } from './scope.ts';
import { groupBy, joined, type KeyValue } from './grouping.ts';
import { type Placing, sortItems, type Term } from './ordering.ts';
import { selects } from './paths.ts';
import type { Ast } from './parse.ts';
import type { Run } from './run.ts';
import { setKey, type Tuple, TupleStream } from './value.ts';

/** Where a part is evaluated for one tuple. */
const placeIn =
  (frame: Frame, scope: Scope): Placing<Tuple> =>
  (tuple) => ({ input: tuple['@'], frame: scope.frameIn(frame, tuple) });

/** A step of a path that carries tuples: of the items, where no tuple carries them yet. */
export type TupleStep = (items: readonly unknown[], stream: TupleStream | undefined, frame: Frame) => TupleStream;

const start = (items: readonly unknown[]): TupleStream => {
  const stream = new TupleStream();
  for (let index = 0; index < items.length; index += 1) {
    stream[stream.length] = { '@': items[index] };
  }
  return stream;
};

export const sortTuples =
  (terms: readonly Term[], scope: Scope, index: string | undefined, at: number): TupleStep =>
  (items, stream, frame) => {
    const { run } = frame;
    // Items that no tuple carries yet are ordered without one.
    const inner = scope.frameIn(frame);
    const ordered =
      stream === undefined
        ? start(sortItems(run, items, terms, (item) => ({ input: item, frame: inner }), at))
        : sortItems(run, stream, terms, placeIn(frame, scope), at);
    const result = new TupleStream();
    for (const tuple of ordered) {
      if (stream === undefined && index !== undefined) setKey(tuple, index, result.length);
      result[result.length] = tuple;
    }
    return result;
  };

/** What a step binds; `@$` and `#$` name nothing. */
type Names = Pick<Ast, 'focus' | 'index' | 'ancestor'>;

/** The tuples that one tuple grows into by what the step gave for it. */
const grow = (
  run: Run,
  { focus, index: position, ancestor }: Names,
  tuple: Tuple,
  value: unknown,
): readonly Tuple[] => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return Array.from(values, (one, index) => {
    run.charge(16);
    if (value instanceof TupleStream) return { ...tuple, ...(one as Tuple) };
    // Never by assignment, which a name such as `__proto__` would make something else of.
    const grown = { ...tuple };
    setKey(grown, focus || '@', one);
    if (position) setKey(grown, position, index);
    if (ancestor !== undefined) setKey(grown, ancestor.label, tuple['@']);
    return grown;
  });
};

export const growTuples =
  (evaluate: Closure, scope: Scope, names: Names): TupleStep =>
  (items, stream, frame) => {
    const { run } = frame;
    const tuples = stream ?? start(items);
    const placeOf = placeIn(frame, scope);
    const result = new TupleStream();
    for (const tuple of tuples) {
      run.tick();
      const { input, frame: inner } = placeOf(tuple);
      const value = evaluate(input, inner);
      if (value !== undefined) for (const grown of grow(run, names, tuple, value)) result[result.length] = grown;
    }
    return result;
  };

/** `[predicate]` over tuples; `number`: it is one that is written out. */
export const filterTuples =
  (evaluate: Closure, scope: Scope, number: number | undefined) =>
  (stream: TupleStream, frame: Frame): TupleStream => {
    const placeOf = placeIn(frame, scope);
    const result = new TupleStream();
    for (const [index, tuple] of stream.entries()) {
      frame.run.tick();
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
