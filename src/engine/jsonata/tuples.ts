import { ExpressionFailure } from './failure.ts';
import { Frame, emptySlots } from './frame.ts';
import { checkKey, inObjectOrder, selects, sortItems, type Evaluate, type KeyValue, type Term } from './paths.ts';
import type { Run } from './run.ts';
import type { Scope } from './tree.ts';
import { TupleStream, append, setKey, type Tuple } from './value.ts';

/** The frame that a part evaluated for one tuple runs in. */
const tupleFrame = (frame: Frame, scope: Scope, tuple: Tuple | undefined): Frame =>
  new Frame(frame.run, emptySlots(scope.bindings.size), frame, tuple);

const emptyTuple = (): Tuple => Object.create(null) as Tuple;

const extend = (tuple: Tuple, other: Tuple): void => {
  for (const key of Object.keys(other)) tuple[key] = other[key];
};

export interface TupleFilter {
  readonly evaluate: Evaluate<Frame>;
  /** Set when the predicate is a number written out. */
  readonly number: number | undefined;
  readonly scope: Scope;
}

export interface TupleStep {
  readonly evaluate: Evaluate<Frame> | undefined;
  readonly terms: readonly (Term<Frame> & { readonly scope: Scope })[] | undefined;
  readonly at: number;
  readonly stages: readonly (
    | ({ readonly kind: 'filter' } & TupleFilter)
    | { readonly kind: 'index'; readonly name: string }
  )[];
  readonly scope: Scope;
  readonly focus: string | undefined;
  readonly index: string | undefined;
  readonly ancestor: string | undefined;
}

const start = (items: readonly unknown[]): TupleStream => {
  const stream = new TupleStream();
  for (let index = 0; index < items.length; index += 1) {
    const tuple = emptyTuple();
    tuple['@'] = items[index];
    stream[stream.length] = tuple;
  }
  return stream;
};

const sortTuples = (
  run: Run,
  step: TupleStep,
  items: readonly unknown[],
  stream: TupleStream | undefined,
  frame: Frame,
): TupleStream => {
  const terms = step.terms ?? [];
  const scope = terms[0]?.scope ?? step.scope;
  const result = new TupleStream();
  if (stream !== undefined) {
    const place = (item: unknown): { input: unknown; frame: Frame } => ({
      input: (item as Tuple)['@'],
      frame: tupleFrame(frame, scope, item as Tuple),
    });
    for (const tuple of sortItems(run, stream, terms, place, step.at)) result[result.length] = tuple as Tuple;
    return result;
  }
  const place = (item: unknown): { input: unknown; frame: Frame } => ({
    input: item,
    frame: tupleFrame(frame, scope, undefined),
  });
  for (const item of sortItems(run, items, terms, place, step.at)) {
    const tuple = emptyTuple();
    tuple['@'] = item;
    if (step.index !== undefined) tuple[step.index] = result.length;
    result[result.length] = tuple;
  }
  return result;
};

/** The tuples that one tuple grows into by what the step gave for it. */
const grow = (run: Run, step: TupleStep, tuple: Tuple, value: unknown, into: TupleStream): void => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (let index = 0; index < values.length; index += 1) {
    run.charge(16);
    const grown = emptyTuple();
    extend(grown, tuple);
    if (value instanceof TupleStream) {
      extend(grown, values[index] as Tuple);
    } else {
      if (step.focus === undefined) grown['@'] = values[index];
      else grown[step.focus] = values[index];
      if (step.index !== undefined) grown[step.index] = index;
      if (step.ancestor !== undefined) grown[step.ancestor] = tuple['@'];
    }
    into[into.length] = grown;
  }
};

/** A step of a path that carries tuples. */
export const tupleStep = (
  run: Run,
  step: TupleStep,
  items: readonly unknown[],
  stream: TupleStream | undefined,
  frame: Frame,
): TupleStream => {
  let result: TupleStream;
  if (step.evaluate === undefined) {
    result = sortTuples(run, step, items, stream, frame);
  } else {
    result = new TupleStream();
    const tuples = stream ?? start(items);
    for (let index = 0; index < tuples.length; index += 1) {
      run.tick();
      const tuple = tuples[index] as Tuple;
      const value = step.evaluate(tuple['@'], tupleFrame(frame, step.scope, tuple));
      if (value !== undefined) grow(run, step, tuple, value, result);
    }
  }
  for (const stage of step.stages) {
    if (stage.kind === 'index') {
      for (let index = 0; index < result.length; index += 1) (result[index] as Tuple)[stage.name] = index;
    } else {
      result = filterTuples(result, stage, frame);
    }
  }
  return result;
};

/** `[predicate]` over tuples. */
export const filterTuples = (stream: TupleStream, filter: TupleFilter, frame: Frame): TupleStream => {
  const { run } = frame;
  const { number, evaluate, scope } = filter;
  const result = new TupleStream();
  for (let index = 0; index < stream.length; index += 1) {
    run.tick();
    const tuple = stream[index] as Tuple;
    const selected = number ?? evaluate(tuple['@'], tupleFrame(frame, scope, tuple));
    const times = selects(selected, index, stream.length);
    for (let time = 0; time < times; time += 1) result[result.length] = tuple;
  }
  return result;
};

const reduceTuples = (run: Run, tuples: readonly Tuple[]): Tuple => {
  const result = emptyTuple();
  tuples.forEach((tuple, index) => {
    for (const key of Object.keys(tuple)) {
      result[key] = index === 0 ? tuple[key] : append(run, result[key], tuple[key]);
    }
  });
  return result;
};

/** `{…}` behind a path that carries tuples. */
export const groupTuples = (
  stream: TupleStream,
  pairs: readonly KeyValue<Frame>[],
  scope: Scope,
  frame: Frame,
  position: number,
): Record<string, unknown> => {
  const { run } = frame;
  const groups = new Map<string, { readonly tuples: Tuple[]; readonly pair: number }>();
  for (let index = 0; index < stream.length; index += 1) {
    run.tick();
    const tuple = stream[index] as Tuple;
    const inner = tupleFrame(frame, scope, tuple);
    pairs.forEach((pair, number) => {
      const key = checkKey(pair.key(tuple['@'], inner), position);
      if (key === undefined) return;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { tuples: [tuple], pair: number });
      else if (group.pair !== number) throw new ExpressionFailure('D1009', { position, value: key });
      else group.tuples.push(tuple);
    });
  }
  const result = {};
  for (const key of inObjectOrder(groups.keys())) {
    const group = groups.get(key);
    if (group === undefined) continue;
    const reduced = reduceTuples(run, group.tuples);
    const context = reduced['@'];
    delete reduced['@'];
    const value = pairs[group.pair]?.value(context, tupleFrame(frame, scope, reduced));
    if (value !== undefined) setKey(result, key, value);
  }
  return result;
};
