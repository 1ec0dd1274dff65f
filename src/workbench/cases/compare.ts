import { formatPath, isMap } from '../../engine/value.ts';
import type { CaseDifference, Correction } from './report.ts';
import type { Path } from './read.ts';

export interface Compared {
  readonly differences: readonly CaseDifference[];
  readonly corrections: readonly Correction[];
}

/** Compares a scalar of two values where there is more to it than being the same; undefined: nothing special. */
export type SameScalar = (key: string | number | undefined, expected: unknown, seen: unknown) => boolean | undefined;

/**
 * Compares the fields that `expected` names, all the way down: maps may hold more, lists may not, and `null` says that
 * nothing is there. `at`: where `expected` stands in the case, for the corrections.
 */
export const compareNamed = (expected: unknown, seen: unknown, at: Path, same?: SameScalar): Compared => {
  const differences: CaseDifference[] = [];
  const corrections: Correction[] = [];
  const differ = (path: Path, wanted: unknown, got: unknown): void => {
    differences.push({ path: formatPath(path), expected: wanted, seen: got });
    corrections.push({ kind: 'value', path: [...at, ...path], value: got ?? null });
  };
  const walk = (wanted: unknown, got: unknown, path: Path): void => {
    if (isMap(wanted) && isMap(got)) {
      for (const [key, value] of Object.entries(wanted)) {
        walk(value, Object.hasOwn(got, key) ? got[key] : undefined, [...path, key]);
      }
    } else if (Array.isArray(wanted) && Array.isArray(got) && wanted.length === got.length) {
      for (const [index, value] of wanted.entries()) walk(value, got[index], [...path, index]);
    } else if (!isSame(wanted, got, path.at(-1), same)) {
      differ(path, wanted, Array.isArray(wanted) ? narrowed(wanted, got) : got);
    }
  };
  walk(expected, seen, []);
  return { differences, corrections };
};

const isSame = (wanted: unknown, got: unknown, key: string | number | undefined, same?: SameScalar): boolean =>
  same?.(key, wanted, got) ?? (wanted === got || (wanted === null && got === undefined));

/** Of a list of another length, each entry with the fields that the expected ones name: as an author would write it. */
const narrowed = (wanted: readonly unknown[], got: unknown): unknown => {
  if (!Array.isArray(got)) return got;
  const named = new Set(wanted.filter(isMap).flatMap((entry) => Object.keys(entry)));
  if (named.size === 0) return got;
  return got.map((entry: unknown) =>
    isMap(entry) ? Object.fromEntries(Object.entries(entry).filter(([key]) => named.has(key))) : entry,
  );
};
