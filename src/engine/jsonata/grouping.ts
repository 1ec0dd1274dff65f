import { ExpressionFailure } from './failure.ts';
import type { Closure, Frame } from './scope.ts';
import type { Placing } from './ordering.ts';
import type { Run } from './run.ts';
import { appendTo, setKey } from './value.ts';

export interface KeyValue {
  readonly key: Closure;
  readonly value: Closure;
}

interface Grouping<T> {
  readonly pairs: readonly KeyValue[];
  /** Where a key is evaluated for an item. */
  readonly placeOf: Placing<T>;
  /** Where a value is evaluated for all items of its key. */
  readonly placeOfAll: Placing<readonly T[]>;
  readonly position: number;
}

/** An object of what the items give, key by key. Errors: `T1003`, `D1009`, `D1013`. */
export const groupBy = <T>(run: Run, items: readonly T[], grouping: Grouping<T>): Record<string, unknown> => {
  const { pairs, placeOf, placeOfAll, position } = grouping;
  const groups = new Map<string, { readonly items: T[]; readonly pair: KeyValue }>();
  for (const item of items) {
    run.tick();
    const { input, frame } = placeOf(item);
    for (const pair of pairs) {
      const key = checkKey(pair.key(input, frame), position);
      if (key === undefined) continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { items: [item], pair });
      else if (group.pair !== pair) throw new ExpressionFailure('D1009', { position, value: key });
      else group.items.push(item);
    }
  }
  const result = {};
  for (const key of inObjectOrder(groups.keys())) {
    const { items: found, pair } = groups.get(key) as { readonly items: T[]; readonly pair: KeyValue };
    const { input, frame } = placeOfAll(found);
    const value = pair.value(input, frame);
    if (value !== undefined) setKey(result, key, value);
  }
  return result;
};

/** `{…}` over an input: an object constructor, and behind a path its grouping. */
export const groupItems = (
  input: unknown,
  pairs: readonly KeyValue[],
  frame: Frame,
  position: number,
): Record<string, unknown> => {
  const items: readonly unknown[] = !Array.isArray(input) ? [input] : input.length === 0 ? [undefined] : input;
  return groupBy(frame.run, items, {
    pairs,
    placeOf: (item) => ({ input: item, frame }),
    placeOfAll: (all) => ({ input: joined(frame.run, all), frame }),
    position,
  });
};

/** Values as `$append` joins them: arrays are taken for their items, a single value stays itself. */
export const joined = (run: Run, values: readonly unknown[]): unknown => {
  const present = values.filter((value) => value !== undefined);
  if (present.length < 2) return present[0];
  const all: unknown[] = [];
  for (const value of present) appendTo(run, all, value);
  run.chargeSequence(all.length);
  return all;
};

/** The order in which an object would list its keys: whole numbers first. */
const inObjectOrder = (keys: Iterable<string>): readonly string[] => {
  const order = Object.create(null) as Record<string, true>;
  for (const key of keys) order[key] = true;
  return Object.keys(order);
};

const checkKey = (key: unknown, position: number): string | undefined => {
  if (key === undefined) return undefined;
  if (typeof key !== 'string') throw new ExpressionFailure('T1003', { position, value: key });
  if (key === '_jsonata_lambda' || key === '_jsonata_function') {
    throw new ExpressionFailure('D1013', { position, value: key });
  }
  return key;
};
