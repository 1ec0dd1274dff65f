/** Keys and indexes from the outside in. */
export type ValuePath = readonly (string | number)[];

/** `order.lines[2].@id`, as an author would write it in an expression. */
export const formatPath = (path: ValuePath): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('');

/** A plain object, as JSON and JSONata make them; lists, buffers, functions and other classes are not. */
export const isMap = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The own value at these keys, or undefined. What is inherited (`constructor`, `__proto__`) is never found. */
export const valueAt = (source: unknown, ...keys: readonly string[]): unknown => {
  let value = source;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
};

/** The text there; empty where there is none. */
export const textAt = (source: unknown, ...keys: readonly string[]): string => {
  const value = valueAt(source, ...keys);
  return typeof value === 'string' ? value : '';
};

/** The same tree with each of its texts changed, but for what lies under keys that are left as they are. */
export const mapTexts = (
  value: unknown,
  change: (text: string) => unknown,
  isLeft: (key: string, held: unknown) => boolean = () => false,
): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change, isLeft));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, isLeft(key, held) ? held : mapTexts(held, change, isLeft)]),
  );
};

type Present<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** The fields that are not undefined. */
export const present = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Present<Fields>>;

/** What a value is, for a message: never the value itself, which may be a secret. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : 'not a finite number';
  if (typeof value === 'object') return isMap(value) ? 'a map' : ArrayBuffer.isView(value) ? 'bytes' : 'an object';
  return `a ${typeof value}`;
};

interface Known<K, V> {
  get(key: K): { readonly value: V } | undefined;
  set(key: K, found: { readonly value: V }): unknown;
}

/** The same answer to the same question, worked out when it is first asked; a WeakMap keeps it as long as its key. */
export const once =
  <K, V>(answer: (key: K) => V, known: Known<K, V> = new Map<K, { readonly value: V }>()): ((key: K) => V) =>
  (key) => {
    const found = known.get(key) ?? { value: answer(key) };
    known.set(key, found);
    return found.value;
  };
