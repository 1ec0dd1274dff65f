import { ExpressionFailure } from '../failure.ts';
import { arityOf, callFunction, isFunction } from '../function-value.ts';
import { lookup } from '../paths.ts';
import type { Run } from '../run.ts';
import type { Builtins } from '../signature.ts';
import { toText } from '../text.ts';
import { Sequence, append, isNumber, isObject, setKey, truth } from '../value.ts';

const keysInto = (run: Run, value: unknown, found: Set<string>): void => {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      run.tick();
      keysInto(run, value[index], found);
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) found.add(key);
  }
};

const keys = (run: Run, value: unknown): Sequence => {
  const found = new Set<string>();
  keysInto(run, value, found);
  run.chargeSequence(found.size);
  const result = new Sequence();
  // Numbers first, as in any object.
  const ordered: Record<string, true> = {};
  for (const key of found) setKey(ordered, key, true);
  for (const key of Array.isArray(value) ? Object.keys(ordered) : found) result.push(key);
  return result;
};

const spread = (run: Run, value: unknown): unknown => {
  if (Array.isArray(value)) {
    let result: unknown = new Sequence();
    for (let index = 0; index < value.length; index += 1) {
      run.tick();
      result = append(run, result, spread(run, value[index]));
    }
    return result;
  }
  if (!isObject(value)) return value;
  const result = new Sequence();
  for (const key of Object.keys(value)) {
    run.tick();
    const single = {};
    setKey(single, key, value[key]);
    result.push(single);
  }
  return result;
};

const merge = (run: Run, objects: readonly unknown[]): unknown => {
  const result = {};
  for (const object of objects) {
    if (!isObject(object)) continue;
    for (const key of Object.keys(object)) {
      run.charge(8);
      setKey(result, key, object[key]);
    }
  }
  return result;
};

/** The arguments that a function of that arity gets for an entry. */
export const entryArguments = (target: unknown, ...entry: readonly unknown[]): readonly unknown[] =>
  entry.slice(0, Math.max(1, Math.min(3, arityOf(target))));

const each = (run: Run, object: unknown, target: unknown): Sequence => {
  const result = new Sequence();
  if (!isObject(object)) return result;
  for (const key of Object.keys(object)) {
    const value = callFunction(run, target, entryArguments(target, object[key], key, object), null);
    if (value !== undefined) result.push(value);
  }
  return result;
};

const sift = (run: Run, object: unknown, target: unknown): unknown => {
  if (!isObject(object)) return undefined;
  const result = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (truth(callFunction(run, target, entryArguments(target, value, key, object), null))) setKey(result, key, value);
  }
  return Object.keys(result).length === 0 ? undefined : result;
};

const typeOf = (_run: Run, value: unknown): string => {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  if (Array.isArray(value)) return 'array';
  return isFunction(value) ? 'function' : 'object';
};

const clone = (run: Run, value: unknown): unknown => {
  const text = toText(run, value);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
};

/** Of a list of one it is that one's, and a filter may have kept what is missing. */
const booleanOf = (value: unknown): boolean | undefined => {
  if (value === undefined) return undefined;
  return Array.isArray(value) && value.length === 1 ? booleanOf(value[0]) : truth(value);
};

const fail = (_run: Run, message?: string): never => {
  throw new ExpressionFailure('D3137', { message: message || '$error() function evaluated' });
};

const assertTrue = (_run: Run, condition: boolean | undefined, message?: string): undefined => {
  if (condition !== true) throw new ExpressionFailure('D3141', { message: message || '$assert() statement failed' });
  return undefined;
};

export const objectFunctions: Builtins = {
  keys: ['<x-:a<s>>', 1, keys, true],
  lookup: ['<x-s:x>', 2, (run: Run, value: unknown, key: string | undefined) => lookup(run, value, String(key))],
  spread: ['<x-:a<o>>', 1, spread],
  merge: ['<a<o>:o>', 1, merge],
  each: ['<o-f:a>', 2, each, true],
  sift: ['<o-f?:o>', 2, sift],
  type: ['<x:s>', 1, typeOf],
  exists: ['<x:b>', 1, (_run: Run, value: unknown) => value !== undefined, true],
  boolean: ['<x-:b>', 1, (_run: Run, value: unknown) => booleanOf(value)],
  not: ['<x-:b>', 1, (_run: Run, value: unknown) => !truth(value)],
  clone: ['<(oa)-:o>', 1, clone],
  error: ['<s?:x>', 1, fail, true],
  assert: ['<bs?:x>', 2, assertTrue, true],
};
