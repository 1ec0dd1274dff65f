import { ExpressionFailure } from './failure.ts';
import type { Closure, Frame } from './scope.ts';
import { callFunction, isFunction, makeFunction, type FunctionValue } from './function-value.ts';
import type { Run } from './run.ts';
import { parseSignature, validate } from './signature.ts';
import { isArrayOfTexts, isObject, setKey } from './value.ts';

interface Parts {
  readonly clone: Closure;
  readonly pattern: Closure;
  readonly update: Closure;
  readonly removal: Closure | undefined;
}

interface Places {
  readonly at: number;
  readonly updateAt: number;
  readonly removalAt: number;
}

const signature = parseSignature('<(oa):o>');

const collect = (run: Run, value: unknown, into: Set<object>): void => {
  if (typeof value !== 'object' || value === null || into.has(value)) return;
  run.charge(8);
  into.add(value);
  if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) collect(run, value[index], into);
  else for (const key of Object.keys(value)) collect(run, (value as Record<string, unknown>)[key], into);
};

const updateOne = (match: unknown, { update: change, removal }: Parts, places: Places, frame: Frame): void => {
  const update = change(match, frame);
  if (update !== undefined) {
    if (!isObject(update)) throw new ExpressionFailure('T2011', { position: places.updateAt, value: update });
    if (typeof match !== 'object' || match === null) {
      if (Object.keys(update).length === 0) return;
      throw new ExpressionFailure('T2011', { position: places.at, value: match });
    }
    for (const key of Object.keys(update)) setKey(match, key, update[key]);
  }
  const removals = removal?.(match, frame);
  if (removals === undefined) return;
  const keys = Array.isArray(removals) ? removals : [removals];
  if (!isArrayOfTexts(keys)) throw new ExpressionFailure('T2012', { position: places.removalAt, value: removals });
  if (typeof match !== 'object' || match === null) return;
  for (const key of keys) Reflect.deleteProperty(match, key);
};

/**
 * `|pattern|update,delete|` as a function. It changes a copy, and only what belongs to the copy: a pattern that leads
 * outside (`$$`) finds what it would change left alone, where JSONata's own would change the caller's input.
 */
export const transformation = (parts: Parts, places: Places, input: unknown, frame: Frame): FunctionValue => {
  const apply = (run: Run, object: unknown): unknown => {
    if (object === undefined) return undefined;
    const clone = parts.clone(input, frame);
    if (!isFunction(clone)) throw new ExpressionFailure('T2013', { position: places.at });
    let copy = callFunction(run, clone, [object], null);
    if (clone.traits?.builtin !== 'clone') {
      // Someone's own $clone may hand back what it was given.
      copy = structuredCopy(run, copy);
    }
    const owned = new Set<object>();
    collect(run, copy, owned);
    const found = parts.pattern(copy, frame);
    if (found === undefined) return copy;
    const matches: readonly unknown[] = Array.isArray(found) ? found : [found];
    for (let index = 0; index < matches.length; index += 1) {
      run.tick();
      const match = matches[index];
      if (typeof match === 'object' && match !== null && !owned.has(match)) continue;
      updateOne(match, parts, places, frame);
    }
    return copy;
  };
  return makeFunction((run, args, focus) => apply(run, validate(signature, args, focus)[0]), { arity: 1 });
};

const structuredCopy = (run: Run, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  run.charge(8);
  if (Array.isArray(value)) return Array.from(value, (item) => structuredCopy(run, item));
  const copy = {};
  for (const key of Object.keys(value)) setKey(copy, key, structuredCopy(run, (value as Record<string, unknown>)[key]));
  return copy;
};
