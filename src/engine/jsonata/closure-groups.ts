import type { ClosureScope } from './closure-scope.ts';
import { Frame, emptySlots } from './frame.ts';
import { filterIndex, filterItems, groupItems, type Evaluate, type KeyValue } from './paths.ts';
import type { GroupNode, Node, Pair, Scope } from './tree.ts';
import { filterTuples, groupTuples } from './tuples.ts';
import { sharingOf } from './sharing.ts';
import { TupleStream, setKey } from './value.ts';

type Closure = Evaluate<Frame>;

/** A filter behind anything but a step. */
export const compileFilter = (node: Node & { kind: 'filter' }, scope: ClosureScope): Closure => {
  const base = scope.compile(node.base);
  const tuples = node.scope;
  const predicate = scope.compile(node.predicate, tuples);
  const number =
    node.predicate.kind === 'constant' && typeof node.predicate.value === 'number' ? node.predicate.value : undefined;
  if (tuples !== undefined) {
    const filter = { evaluate: predicate, number, scope: tuples };
    return (input, frame) => {
      const value = base(input, frame);
      if (value instanceof TupleStream) return filterTuples(value, filter, frame);
      if (number !== undefined) return filterIndex(value, number);
      return filterItems(
        frame.run,
        value,
        predicate,
        new Frame(frame.run, emptySlots(tuples.bindings.size), frame, undefined),
      );
    };
  }
  if (number !== undefined) return (input, frame) => filterIndex(base(input, frame), number);
  return (input, frame) => filterItems(frame.run, base(input, frame), predicate, frame);
};

const compilePairs = (pairs: readonly Pair[], scope: ClosureScope, tuples?: Scope): KeyValue<Frame>[] =>
  pairs.map(({ key, value }) => ({ key: scope.compile(key, tuples), value: scope.compile(value, tuples) }));

/** A grouping behind anything, path or not. */
export const compileGroup = (base: Closure, group: GroupNode, scope: ClosureScope): Closure => {
  const { at } = group;
  const tuples = group.scope;
  const pairs = compilePairs(group.pairs, scope, tuples);
  return (input, frame) => {
    frame.run.mixed = true;
    const value = base(input, frame);
    if (tuples === undefined) return groupItems(frame.run, value, pairs, frame, at);
    if (value instanceof TupleStream) return groupTuples(value, pairs, tuples, frame, at);
    const inner = new Frame(frame.run, emptySlots(tuples.bindings.size), frame, undefined);
    return groupItems(frame.run, value, pairs, inner, at);
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
  if (keys === undefined) {
    return (input, frame) => {
      frame.run.mixed = true;
      return groupItems(frame.run, input, compiled, frame, at);
    };
  }
  const values = compiled.map(({ value }) => value);
  const shared = pairs.map(({ value }) => sharingOf(value, scope.library) !== 'none');
  const unsafe = keys.includes('__proto__');
  const units = 8 * (keys.length + 1);
  return (input, frame) => {
    const { run } = frame;
    if (Array.isArray(input)) {
      run.mixed = true;
      return groupItems(run, input, compiled, frame, at);
    }
    run.charge(units);
    // Quicker to add many fields to than {}.
    const result = Object.create(Object.prototype) as Record<string, unknown>;
    for (let index = 0; index < values.length; index += 1) {
      const value = (values[index] as Closure)(input, frame);
      if (value === undefined) continue;
      if (unsafe) setKey(result, keys[index] as string, value);
      else result[keys[index] as string] = value;
      if (typeof value === 'object' && shared[index] === true) run.mixed = true;
    }
    return result;
  };
};
