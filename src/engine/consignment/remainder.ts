/** What of a value was taken, by key; `true` for all of it. Keys are kept apart, never joined to a path. */
export interface Taken extends Map<string, Taken | true> {}
export const nothingTaken = (): Taken => new Map();

/** The part of `taken` that speaks of what lies at these keys. */
export const within = (taken: Taken, keys: readonly string[]): Taken => {
  let level = taken;
  for (const key of keys) {
    const known = level.get(key);
    if (known === true) return nothingTaken();
    const below = known ?? nothingTaken();
    level.set(key, below);
    level = below;
  }
  return level;
};

/** Notes that the value at these keys was taken whole. */
export const take = (taken: Taken, keys: readonly string[]): void => {
  const last = keys.at(-1);
  if (last !== undefined) within(taken, keys.slice(0, -1)).set(last, true);
};

/** The own value at these keys, or undefined. What is inherited (`constructor`, `__proto__`) is never found. */
export const valueAt = (source: unknown, keys: readonly string[]): unknown => {
  let value = source;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
};

/** `a.b[0].c` → its keys. For paths of tables, whose names hold neither dots nor brackets. */
export const keysOf = (path: string): readonly string[] => path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');

/**
 * What is left of a value when the taken is out; undefined when nothing is. An array of which something is left keeps
 * its length, so that every entry still stands at its index.
 */
export const remainder = (value: unknown, taken: Taken | true | undefined): unknown => {
  if (taken === undefined) return value;
  if (taken === true) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const left = value.map((entry: unknown, at) => remainder(entry, taken.get(String(at))));
    return left.every((entry) => entry === undefined) ? undefined : left.map((entry) => entry ?? {});
  }
  const entries = Object.entries(value)
    .map(([key, held]): [string, unknown] => [key, remainder(held, taken.get(key))])
    .filter(([, held]) => held !== undefined);
  // fromEntries defines, where assigning would let a key `__proto__` act.
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};
