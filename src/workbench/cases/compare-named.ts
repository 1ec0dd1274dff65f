/** Compares a result by the fields that a case names. */
import { formatPath, isMap, valueAt, type ValuePath } from '../../engine/value.ts';
import type { CaseDifference } from './compare-values.ts';

/** Compares two scalars where there is more to it than being the same; undefined: nothing special. */
export type IsSameScalar = (key: string | number | undefined, expected: unknown, seen: unknown) => boolean | undefined;

/**
 * The differences of the fields that `expected` names, all the way down, each with its path in it: maps may hold more,
 * lists may not, and `null` says that nothing is there.
 */
export function compareNamed(
  expected: unknown,
  seen: unknown,
  isSame?: IsSameScalar,
  path: ValuePath = [],
): (CaseDifference & { readonly at: ValuePath })[] {
  if (isMap(expected) && isMap(seen)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      compareNamed(value, valueAt(seen, key), isSame, [...path, key]),
    );
  }
  const areLists = Array.isArray(expected) && Array.isArray(seen);
  if (areLists && expected.length === seen.length) {
    return expected.flatMap((value, at) => compareNamed(value, seen[at], isSame, [...path, at]));
  }
  if (isSame?.(path.at(-1), expected, seen) ?? (expected === seen || (expected === null && seen === undefined))) {
    return [];
  }
  return [{ path: formatPath(path), at: path, expected, seen: areLists ? narrowed(expected, seen) : seen }];
}

/** Of a list of another length, each entry with the fields that the expected ones name: as an author would write it. */
const narrowed = (expected: readonly unknown[], seen: readonly unknown[]): unknown => {
  const named = new Set(expected.filter(isMap).flatMap((entry) => Object.keys(entry)));
  if (named.size === 0) return seen;
  return seen.map((entry) =>
    isMap(entry) ? Object.fromEntries(Object.entries(entry).filter(([key]) => named.has(key))) : entry,
  );
};
