import { ANY, BOOLEAN, listOf, NULL, NUMBER, objectOf, TEXT, type Type, unionOf, knownText } from './type.ts';

const DEPTH_MAX = 30;

/** The type that examples show, `ANY` if there are none. */
export const shownType = (samples: readonly unknown[], name: string): Type =>
  samples.length === 0 ? ANY : unionOf(samples.map((sample) => typeOf(sample, name, 'shown')));

export const valueType = (value: unknown, name: string): Type => typeOf(value, name, 'declared');

const typeOf = (value: unknown, name: string, origin: 'shown' | 'declared', depth = 0): Type => {
  if (depth > DEPTH_MAX) return ANY;
  const mark: Type = origin === 'shown' ? { shown: true } : {};
  if (Array.isArray(value)) {
    const elements = value.map((each: unknown) => typeOf(each, name, origin, depth + 1));
    return { ...listOf(value.length === 0 ? mark : unionOf(elements)), ...mark };
  }
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    const entries = Object.entries(value).map(([key, held]) => [key, typeOf(held, key, origin, depth + 1)] as const);
    return { ...objectOf(new Map(entries), { name, origin }), ...mark };
  }
  return typeof value === 'string' && origin === 'declared' ? knownText(value) : { ...scalarType(value), ...mark };
};

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
