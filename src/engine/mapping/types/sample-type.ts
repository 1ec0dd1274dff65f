import { ANY, BOOLEAN, listOf, NULL, NUMBER, objectOf, type Origin, TEXT, type Type, unionOf, word } from './type.ts';

const DEPTH_MAX = 30;

/** What examples show of a value's shape. None show nothing: `ANY`. */
export const shownType = (samples: readonly unknown[], name: string): Type =>
  samples.length === 0 ? ANY : unionOf(samples.map((sample) => shown(sample, name, 0)));

const shown = (value: unknown, name: string, depth: number): Type => {
  if (depth > DEPTH_MAX) return ANY;
  if (Array.isArray(value)) {
    const element = unionOf(value.map((each: unknown) => shown(each, name, depth + 1)));
    return { ...listOf(value.length === 0 ? { shown: true } : element), shown: true };
  }
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    return {
      ...fieldsShown(value, { name, origin: 'shown' }, (held, key) => shown(held, key, depth + 1)),
      shown: true,
    };
  }
  return { ...scalarType(value), shown: true };
};

/** The type of plain values that the profile holds: its tables. */
export const valueType = (value: unknown, name: string): Type => {
  if (Array.isArray(value)) return listOf(unionOf(value.map((each: unknown) => valueType(each, name))));
  if (typeof value === 'object' && value !== null) return fieldsShown(value, { name, origin: 'declared' }, valueType);
  return typeof value === 'string' ? word(value) : scalarType(value);
};

const fieldsShown = (
  value: object,
  of: { readonly name: string; readonly origin: Origin },
  typeOf: (held: unknown, key: string) => Type,
): Type => objectOf(new Map(Object.entries(value).map(([key, held]) => [key, typeOf(held, key)])), of);

const scalarType = (value: unknown): Type => {
  switch (typeof value) {
    case 'string':
      return TEXT;
    case 'number':
    case 'bigint':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    default:
      return value === null ? NULL : ANY;
  }
};
