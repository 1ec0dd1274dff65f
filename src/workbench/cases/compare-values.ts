import { formatPath, isMap, valueAt, type ValuePath } from '../../engine/value.ts';

/** One place where two bodies differ; `undefined` means there is nothing. */
export interface ValueDifference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Differences of two plain values: lists in order, maps without regard to it, nothing converted. */
export function compareValues(expected: unknown, actual: unknown, path: ValuePath = []): ValueDifference[] {
  if (Object.is(expected, actual) || (expected === 0 && actual === 0)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return Array.from({ length: Math.max(expected.length, actual.length) }, (_, at) =>
      compareValues(expected[at], actual[at], [...path, at]),
    ).flat();
  }
  if (isMap(expected) && isMap(actual)) {
    return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
      compareValues(valueAt(expected, key), valueAt(actual, key), [...path, key]),
    );
  }
  return [{ path: formatPath(path), expected, actual }];
}
