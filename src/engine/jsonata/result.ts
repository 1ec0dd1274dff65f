import type { Run } from './run.ts';
import { ExpressionFailure } from './failure.ts';
import { Wrapped, setKey } from './value.ts';

const maxDepth = 2000;

/** The value with plain arrays in place of our own classes. Charges for all that it sees. */
const plain = (run: Run, value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  run.charge(8);
  if (depth > maxDepth) throw new ExpressionFailure('W0006');
  if (Array.isArray(value)) {
    let target: unknown[] | undefined = value.constructor === Array ? undefined : [];
    if (target !== undefined) for (let index = 0; index < value.length; index += 1) target[index] = value[index];
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const copy = plain(run, item, depth + 1);
      if (copy !== item) (target ??= value.slice())[index] = copy;
    }
    return target ?? value;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    const copy = plain(run, item, depth + 1);
    // Only an object of this evaluation's making can hold an array of our classes.
    if (copy !== item) setKey(value, key, copy);
  }
  return value;
};

/** The result for the caller: plain arrays only, and no larger than the evaluation may build. */
export const plainResult = (run: Run, value: unknown): unknown =>
  plain(run, value instanceof Wrapped ? value[0] : value, 0);
