import type { Run } from './run.ts';

/**
 * Sorts into a new array. Stable; halves and merges in the order that JSONata's own does, so that a comparator which
 * contradicts itself gives the same result. `after` says whether its first argument belongs behind the second.
 */
export const mergeSort = (
  run: Run,
  items: readonly unknown[],
  after: (a: unknown, b: unknown) => boolean,
): unknown[] => {
  run.chargeSequence(items.length);
  return sortRange(run, items, 0, items.length, after);
};

const sortRange = (
  run: Run,
  items: readonly unknown[],
  start: number,
  end: number,
  after: (a: unknown, b: unknown) => boolean,
): unknown[] => {
  if (end - start < 2) return start < end ? [items[start]] : [];
  const middle = start + Math.floor((end - start) / 2);
  const left = sortRange(run, items, start, middle, after);
  const right = sortRange(run, items, middle, end, after);
  const merged: unknown[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    run.tick();
    if (after(left[l], right[r])) {
      merged.push(right[r]);
      r += 1;
    } else {
      merged.push(left[l]);
      l += 1;
    }
  }
  while (l < left.length) merged.push(left[l++]);
  while (r < right.length) merged.push(right[r++]);
  return merged;
};
