import { ExpressionFailure } from './failure.ts';
import type { Run } from './run.ts';

/**
 * The array that a path or a built-in yields: one item stands for itself, none for nothing. Its class never reaches
 * the caller.
 */
export class Sequence extends Array<unknown> {
  /** `[]` was written: one item stays an array. */
  keep = false;
}

/** A whole array given as input: it counts as one item. */
export class Wrapped extends Sequence {}

/** An array written as the step of a path: it is not flattened into the result. */
export class Constructed extends Array<unknown> {}

/** A stream of tuples, as `@`, `#` and `%` make it. */
export class TupleStream extends Array<Tuple> {}

/** The names a step has bound, and under `@` the item itself. */
export type Tuple = Record<string, unknown>;

/** Marks a variable whose assignment has not been reached. */
export const unbound: unique symbol = Symbol('unbound');

export const sequenceOf = (item: unknown): Sequence => {
  const sequence = new Sequence();
  sequence[0] = item;
  return sequence;
};

/** What an expression gives to the outside: none is nothing, one is itself. */
export const collapse = (value: unknown): unknown => {
  if (!(value instanceof Sequence)) return value;
  if (value.length === 0) return undefined;
  return value.length === 1 && !value.keep ? value[0] : value;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for numbers; infinity is an error. */
export const isNumber = (value: unknown): value is number => {
  if (typeof value !== 'number') return false;
  if (value === Infinity || value === -Infinity) throw new ExpressionFailure('D1001', { value });
  return !Number.isNaN(value);
};

export const isArrayOfNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);

export const isArrayOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** JSONata's cast to boolean, without its third answer: what is missing is false. */
export const truth = (value: unknown): boolean => {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return isNumber(value) && value !== 0;
    case 'object':
      if (value === null) return false;
      if (!Array.isArray(value)) return Object.keys(value).length > 0;
      if (value.length < 2) return truth(value[0]);
      // All are looked at: an infinite number among them is an error wherever it stands.
      return value.filter(truth).length > 0;
    default:
      return false;
  }
};

/** Deep equality of JSON values; the order of keys does not matter. */
export const equal = (run: Run, left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  run.tick();
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equal(run, item, right[index]));
  }
  const keys = ownNames(left);
  if (keys.length !== ownNames(right).length || !keys.every((key) => Object.hasOwn(right, key))) return false;
  return keys.every((key) =>
    equal(run, (left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
};

/** An array compares with an object by indexes and length, as its own properties are. */
const ownNames = (value: object): string[] =>
  Array.isArray(value) ? [...Object.keys(value), 'length'] : Object.getOwnPropertyNames(value);

/** Sets a key as data, `__proto__` too. */
export const setKey = (target: object, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (target as Record<string, unknown>)[key] = value;
  }
};

const inheritedNames = new Set(
  [Object.prototype, Array.prototype, Function.prototype, Sequence.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype),
  ),
);

/** True for names that a plain object answers to without having them, such as `constructor`. */
export const isInherited = (name: string): boolean => inheritedNames.has(name) || name === 'keep';

export const ownField = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;

/** Joins two values as `$append` does: an array is taken for its items, nothing for none. Always a new array, or one side. */
export const append = (run: Run, left: unknown, right: unknown): unknown => {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const size = (Array.isArray(left) ? left.length : 1) + (Array.isArray(right) ? right.length : 1);
  run.chargeSequence(size);
  const joined: unknown[] = [];
  pushItems(joined, left);
  pushItems(joined, right);
  return joined;
};

const pushItems = (target: unknown[], value: unknown): void => {
  if (!Array.isArray(value)) {
    target.push(value);
    return;
  }
  for (let index = 0; index < value.length; index += 1) target.push(value[index]);
};

/** Adds a value to an array that is being written out: its items if it is an array. */
export const appendTo = (run: Run, target: unknown[], value: unknown): void => {
  if (Array.isArray(value)) run.chargeSequence(target.length + value.length, value.length);
  pushItems(target, value);
};
