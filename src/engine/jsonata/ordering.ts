import { ExpressionFailure } from './failure.ts';
import type { Closure, Frame } from './scope.ts';
import type { Run } from './run.ts';

/**
 * Sorts into a new array. Stable; halves and merges in the order that JSONata's own does, so that a comparator which
 * contradicts itself gives the same result. `after` says whether its first argument belongs behind the second.
 */
export const mergeSort = <T>(run: Run, items: readonly T[], after: (a: T, b: T) => boolean): readonly T[] => {
  run.chargeSequence(items.length);
  return sorted(run, items, after);
};

const sorted = <T>(run: Run, items: readonly T[], after: (a: T, b: T) => boolean): readonly T[] => {
  if (items.length < 2) return items;
  const middle = Math.floor(items.length / 2);
  const [left, right] = [sorted(run, items.slice(0, middle), after), sorted(run, items.slice(middle), after)];
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    run.tick();
    merged.push(after(left[l] as T, right[r] as T) ? (right[r++] as T) : (left[l++] as T));
  }
  while (l < left.length) merged.push(left[l++] as T);
  while (r < right.length) merged.push(right[r++] as T);
  return merged;
};

export interface Term {
  readonly descending: boolean;
  readonly evaluate: Closure;
}

/** Where the terms of an ordering are evaluated for an item. */
export type Placing<T> = (item: T) => { readonly input: unknown; readonly frame: Frame };

const isOrdered = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

/** `^(…)`. Errors: `T2007`, `T2008`. */
export const sortItems = <T>(
  run: Run,
  items: readonly T[],
  terms: readonly Term[],
  placeOf: Placing<T>,
  position: number,
): readonly T[] => {
  if (items.length <= 1) return items;
  // Each term is asked once an item, and only when the terms before it tie.
  const entries = items.map((item) => ({ item, keys: [] as unknown[] }));
  type Entry = (typeof entries)[number];
  const keyOf = ({ item, keys }: Entry, index: number): unknown => {
    if (index === keys.length) {
      const { input, frame } = placeOf(item);
      keys.push(terms[index]?.evaluate(input, frame));
    }
    return keys[index];
  };
  const after = (a: Entry, b: Entry): boolean => {
    for (let index = 0; index < terms.length; index += 1) {
      const [left, right] = [keyOf(a, index), keyOf(b, index)];
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
  return mergeSort(run, entries, after).map(({ item }) => item);
};
