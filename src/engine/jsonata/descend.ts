import type { Run } from './run.ts';
import { Sequence, Wrapped } from './value.ts';

const flattenDeep = (run: Run, value: unknown, into: unknown[]): void => {
  if (!Array.isArray(value)) {
    into[into.length] = value;
    return;
  }
  for (let index = 0; index < value.length; index += 1) {
    run.tick();
    flattenDeep(run, value[index], into);
  }
};

/** `*`, not collapsed. A field that is an array makes the result an array proper, as in JSONata. */
export const wildcard = (run: Run, input: unknown): unknown[] => {
  const source = input instanceof Wrapped && input.length > 0 ? input[0] : input;
  if (typeof source !== 'object' || source === null) return new Sequence();
  const values = Object.values(source);
  const result = values.some((value) => Array.isArray(value)) ? [] : new Sequence();
  for (const value of values) {
    run.tick();
    flattenDeep(run, value, result);
  }
  return result;
};

/** `**`, not collapsed. */
export const descendants = (run: Run, input: unknown): unknown => {
  if (input === undefined) return undefined;
  const result = new Sequence();
  const visit = (value: unknown): void => {
    run.charge(8);
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) visit(value[index]);
      return;
    }
    result[result.length] = value;
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) visit((value as Record<string, unknown>)[key]);
  };
  visit(input);
  run.chargeSequence(result.length);
  return result.length === 1 ? result[0] : result;
};
