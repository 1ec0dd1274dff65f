import { ExpressionFailure } from '../failure.ts';
import { arityOf, callFunction } from '../function-value.ts';
import type { Run } from '../run.ts';
import type { Builtins } from '../signature.ts';
import { mergeSort } from '../ordering.ts';
import { Sequence, append, equal, isArrayOfNumbers, isArrayOfTexts, truth } from '../value.ts';
import { entryArguments } from './objects.ts';

type List = readonly unknown[];

const map = (run: Run, items: List, target: unknown): Sequence => {
  const result = new Sequence();
  for (let index = 0; index < items.length; index += 1) {
    const value = callFunction(run, target, entryArguments(target, items[index], index, items), null);
    if (value !== undefined) result[result.length] = value;
  }
  return result;
};

const filter = (run: Run, items: List, target: unknown): Sequence => {
  const result = new Sequence();
  for (let index = 0; index < items.length; index += 1) {
    const keep = callFunction(run, target, entryArguments(target, items[index], index, items), null);
    if (truth(keep)) result[result.length] = items[index];
  }
  return result;
};

const single = (run: Run, items: List, target: unknown): unknown => {
  let found: { readonly value: unknown } | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const value = items[index];
    run.tick();
    if (target !== undefined && !truth(callFunction(run, target, entryArguments(target, value, index, items), null))) {
      continue;
    }
    if (found !== undefined) throw new ExpressionFailure('D3138', { value: index });
    found = { value };
  }
  if (found === undefined) throw new ExpressionFailure('D3139');
  return found.value;
};

const reduce = (run: Run, items: List, target: unknown, start: unknown): unknown => {
  const arity = arityOf(target);
  if (arity < 2) throw new ExpressionFailure('D3050');
  const fromFirst = start === undefined && items.length > 0;
  let result = fromFirst ? items[0] : start;
  for (let index = fromFirst ? 1 : 0; index < items.length; index += 1) {
    const args = [result, items[index], index, items].slice(0, Math.max(2, Math.min(4, arity)));
    result = callFunction(run, target, args, null);
  }
  return result;
};

const zip = (run: Run, ...lists: readonly (List | undefined)[]): unknown[][] => {
  const lengths = lists.map((list) => (Array.isArray(list) ? list.length : 0));
  const shortest = lengths.length === 0 ? 0 : Math.min(...lengths);
  run.chargeSequence(shortest * lists.length);
  return Array.from({ length: shortest }, (_, index) => lists.map((list) => list?.[index]));
};

const reverse = (run: Run, items: List): List => {
  if (items.length <= 1) return items;
  run.chargeSequence(items.length);
  return Array.from(items).toReversed();
};

const sort = (run: Run, items: List, comparator: unknown): List => {
  if (items.length <= 1) return items;
  if (comparator !== undefined) {
    return mergeSort(run, items, (a, b) => Boolean(callFunction(run, comparator, [a, b], null)));
  }
  if (!isArrayOfNumbers(items) && !isArrayOfTexts(items)) throw new ExpressionFailure('D3070');
  return mergeSort<string | number>(run, items, (a, b) => a > b);
};

const shuffle = (run: Run, items: List): List => {
  if (items.length <= 1) return items;
  run.chargeSequence(items.length);
  const result = Array.from(items);
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(run.random() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
};

const distinct = (run: Run, items: unknown): unknown => {
  if (!Array.isArray(items) || items.length <= 1) return items;
  const result: unknown[] = items instanceof Sequence ? new Sequence() : [];
  const scalars = new Set<unknown>();
  const composites: unknown[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item: unknown = items[index];
    run.tick();
    const composite = typeof item === 'object' && item !== null;
    // NaN equals nothing, itself neither.
    const known = composite
      ? composites.some((other) => equal(run, item, other))
      : scalars.has(item) && !Number.isNaN(item);
    if (known) continue;
    if (composite) composites.push(item);
    else scalars.add(item);
    result[result.length] = item;
  }
  return result;
};

export const arrayFunctions: Builtins = {
  map: ['<af>', 2, map],
  filter: ['<af>', 2, filter],
  single: ['<af?>', 2, single],
  reduce: ['<afj?:j>', 3, reduce],
  zip: ['<a+>', 0, zip, true],
  count: ['<a:n>', 1, (_run: Run, items: List | undefined) => items?.length ?? 0, true],
  append: ['<xx:a>', 2, append, true],
  reverse: ['<a:a>', 1, reverse],
  sort: ['<af?:a>', 2, sort],
  shuffle: ['<a:a>', 1, shuffle],
  distinct: ['<x:x>', 1, distinct],
};
