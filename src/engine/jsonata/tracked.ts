/** Copies of input documents that tell who reads which of their fields. */
import { isMap } from '../value.ts';

export interface Tracker {
  /** A copy whose fields, when read, are told by their paths from `path` on. */
  copy(value: unknown, path: string): unknown;
  /** Where a part of a tracked document stands; undefined for anything else. */
  pathOf(value: object): string | undefined;
}

export const createTracker = (told: (path: string) => void): Tracker => {
  const paths = new WeakMap<object, string>();
  const copy = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item, at) => copy(item, `${path}[${at}]`));
      paths.set(items, path);
      return items;
    }
    if (!isMap(value)) return value;
    const fields: Record<string, unknown> = {};
    for (const [key, held] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`;
      const inner = copy(held, below);
      Object.defineProperty(fields, key, {
        enumerable: true,
        configurable: true,
        get: () => {
          told(below);
          return inner;
        },
      });
    }
    paths.set(fields, path);
    return fields;
  };
  return { copy, pathOf: (value) => paths.get(value) };
};
