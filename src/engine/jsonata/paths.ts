import { ExpressionFailure } from './failure.ts';
import { lookup } from './lookup.ts';
import type { Run } from './run.ts';
import { mergeSort } from './sort.ts';
import {
  Constructed,
  Sequence,
  append,
  appendTo,
  collapse,
  isArrayOfNumbers,
  isInherited,
  isNumber,
  ownField,
  sequenceOf,
  setKey,
  truth,
} from './value.ts';

/** An evaluation of a part for one item. `frame` is whatever the back end keeps its variables in. */
export type Evaluate<F> = (input: unknown, frame: F) => unknown;

/** The items that a path's first step is asked for. */
export const inputSequence = (input: unknown, fromVariable: boolean): readonly unknown[] =>
  Array.isArray(input) && !fromVariable ? input : sequenceOf(input);

/**
 * What the items of a step gave, as one sequence: arrays are flattened, unless they were written as a step. The last
 * step's sole array stays as it is.
 */
const flattenStep = (run: Run, results: readonly unknown[], last: boolean): readonly unknown[] => {
  if (last && results.length === 1) {
    const only = results[0];
    if (Array.isArray(only) && !(only instanceof Sequence)) return only;
  }
  const flat = new Sequence();
  for (let index = 0; index < results.length; index += 1) {
    const result = results[index];
    if (!Array.isArray(result) || result instanceof Constructed) {
      flat[flat.length] = result;
      continue;
    }
    pushAll(run, flat, result);
  }
  return flat;
};

const pushAll = (run: Run, flat: Sequence, items: readonly unknown[]): void => {
  run.chargeSequence(flat.length + items.length, items.length);
  for (let index = 0; index < items.length; index += 1) flat[flat.length] = items[index];
};

/** One step of a path: every item in turn. */
export const mapStep = <F>(
  run: Run,
  items: readonly unknown[],
  evaluate: Evaluate<F>,
  frame: F,
  last: boolean,
): readonly unknown[] => {
  const flat = new Sequence();
  let results = 0;
  let only: unknown;
  for (let index = 0; index < items.length; index += 1) {
    run.tick();
    const result = evaluate(items[index], frame);
    if (result === undefined) continue;
    results += 1;
    only = result;
    if (Array.isArray(result) && !(result instanceof Constructed)) pushAll(run, flat, result);
    else flat[flat.length] = result;
  }
  return last && results === 1 && Array.isArray(only) && !(only instanceof Sequence) ? only : flat;
};

/** The names of `a.b.c` from one of them on, over a sequence of items; not collapsed. */
const fieldSteps = (run: Run, start: readonly unknown[], names: readonly string[], from: number): unknown => {
  let items = start;
  for (let step = from; step < names.length; step += 1) {
    const name = names[step] ?? '';
    items = mapStep(run, items, (item) => collapse(lookup(run, item, name)), undefined, step === names.length - 1);
    if (items.length === 0) return items;
  }
  return items;
};

/** A path of nothing but names, from an input of any form; collapsed. */
export const fields = (run: Run, input: unknown, names: readonly string[]): unknown => {
  if (Array.isArray(input)) return collapse(fieldSteps(run, input, names, 0));
  let value = input;
  for (let step = 0; step < names.length; step += 1) {
    if (Array.isArray(value)) return collapse(fieldSteps(run, value, names, step));
    if (typeof value !== 'object' || value === null) return undefined;
    const name = names[step] as string;
    value = isInherited(name) ? ownField(value, name) : (value as Record<string, unknown>)[name];
    if (value === undefined) return undefined;
  }
  // What was built in this evaluation may hold a sequence.
  return value instanceof Sequence ? collapse(flattenStep(run, [value], true)) : value;
};

/** Names behind a variable or `$`: that is a step of its own, whose array is flattened first. */
export const fieldsOf = (run: Run, base: unknown, names: readonly string[]): unknown => {
  if (!Array.isArray(base)) return fields(run, base, names);
  return collapse(fieldSteps(run, flattenStep(run, [base], false), names, 0));
};

/** Keeps a path's single result an array, as `[]` asks. */
export const keepArray = (value: unknown): unknown => {
  if (value instanceof Constructed) {
    const wrapped = new Sequence();
    wrapped[0] = value;
    wrapped.keep = true;
    return wrapped;
  }
  if (value instanceof Sequence) value.keep = true;
  return value;
};

const atIndex = (index: number, length: number): number => {
  const whole = Math.floor(index);
  return whole < 0 ? length + whole : whole;
};

/** `[n]` with the number written out. */
export const filterIndex = (input: unknown, index: number): unknown => {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const item = items[atIndex(index, items.length)];
  if (Array.isArray(item)) return item;
  const result = new Sequence();
  if (item !== undefined) result[0] = item;
  return result;
};

/** Whether a predicate's value selects the item at this place, and how often. */
export const selects = (selected: unknown, index: number, length: number): number => {
  if (typeof selected === 'boolean') return selected ? 1 : 0;
  if (isNumber(selected)) return atIndex(selected, length) === index ? 1 : 0;
  if (isArrayOfNumbers(selected)) {
    let times = 0;
    for (const number of selected) if (atIndex(number, length) === index) times += 1;
    return times;
  }
  return truth(selected) ? 1 : 0;
};

/** `[predicate]`; not collapsed. */
export const filterItems = <F>(run: Run, input: unknown, predicate: Evaluate<F>, frame: F): Sequence => {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const result = new Sequence();
  for (let index = 0; index < items.length; index += 1) {
    run.tick();
    const item = items[index];
    const times = selects(predicate(item, frame), index, items.length);
    for (let time = 0; time < times; time += 1) result[result.length] = item;
  }
  return result;
};

export interface Term<F> {
  readonly descending: boolean;
  readonly evaluate: Evaluate<F>;
}

const isOrdered = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

/** `^(…)`. Errors: `T2007`, `T2008`. */
export const sortItems = <F>(
  run: Run,
  items: readonly unknown[],
  terms: readonly Term<F>[],
  frame: F | ((item: unknown) => { readonly input: unknown; readonly frame: F }),
  position: number,
): readonly unknown[] => {
  if (items.length <= 1) return items;
  // Each term is asked once an item, and only when the terms before it tie.
  const entries = items.map((item) => ({ item, keys: [] as unknown[] }));
  const keyOf = (entry: (typeof entries)[number], index: number): unknown => {
    if (index < entry.keys.length) return entry.keys[index];
    const term = terms[index] as Term<F>;
    const place =
      typeof frame === 'function'
        ? (frame as (item: unknown) => { input: unknown; frame: F })(entry.item)
        : { input: entry.item, frame };
    const key = term.evaluate(place.input, place.frame);
    entry.keys[index] = key;
    return key;
  };
  const after = (a: unknown, b: unknown): boolean => {
    for (let index = 0; index < terms.length; index += 1) {
      const left = keyOf(a as (typeof entries)[number], index);
      const right = keyOf(b as (typeof entries)[number], index);
      if (left === undefined && right === undefined) continue;
      if (left === undefined) return true;
      if (right === undefined) return false;
      if (!isOrdered(left) || !isOrdered(right)) {
        throw new ExpressionFailure('T2008', { position, value: isOrdered(left) ? right : left });
      }
      if (typeof left !== typeof right) throw new ExpressionFailure('T2007', { position, value: left });
      if (left === right) continue;
      const greater = !((left as string) < (right as string));
      return terms[index]?.descending === true ? !greater : greater;
    }
    return false;
  };
  return mergeSort(run, entries, after).map((entry) => (entry as (typeof entries)[number]).item);
};

export interface KeyValue<F> {
  readonly key: Evaluate<F>;
  readonly value: Evaluate<F>;
}

/** `{…}` over an input: an object constructor, and behind a path its grouping. Errors: `T1003`, `D1009`, `D1013`. */
export const groupItems = <F>(
  run: Run,
  input: unknown,
  pairs: readonly KeyValue<F>[],
  frame: F,
  position: number,
): Record<string, unknown> => {
  const groups = new Map<string, { data: unknown; owned: boolean; readonly pair: number }>();
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const count = Math.max(1, items.length);
  for (let index = 0; index < count; index += 1) {
    run.tick();
    const item = items[index];
    for (let pair = 0; pair < pairs.length; pair += 1) {
      const key = checkKey(pairs[pair]?.key(item, frame), position);
      if (key === undefined) continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { data: item, owned: false, pair });
      else if (group.pair !== pair) throw new ExpressionFailure('D1009', { position, value: key });
      else addTo(run, group, item);
    }
  }
  const result = {};
  for (const key of inObjectOrder(groups.keys())) {
    const group = groups.get(key);
    const value = group === undefined ? undefined : pairs[group.pair]?.value(group.data, frame);
    if (value !== undefined) setKey(result, key, value);
  }
  return result;
};

/** As `append`, but into the group's own array once it has one. */
const addTo = (run: Run, group: { data: unknown; owned: boolean }, item: unknown): void => {
  if (group.owned) {
    if (item !== undefined) appendTo(run, group.data as unknown[], item);
    return;
  }
  group.owned = group.data !== undefined && item !== undefined;
  group.data = append(run, group.data, item);
};

/** The order in which an object would list its keys: whole numbers first. */
export const inObjectOrder = (keys: Iterable<string>): readonly string[] => {
  const order: Record<string, true> = Object.create(null) as Record<string, true>;
  for (const key of keys) order[key] = true;
  return Object.keys(order);
};

export const checkKey = (key: unknown, position: number): string | undefined => {
  if (key === undefined) return undefined;
  if (typeof key !== 'string') throw new ExpressionFailure('T1003', { position, value: key });
  if (key === '_jsonata_lambda' || key === '_jsonata_function') {
    throw new ExpressionFailure('D1013', { position, value: key });
  }
  return key;
};
