import type { Closure, Frame } from './scope.ts';
import type { Run } from './run.ts';
import {
  Constructed,
  Sequence,
  Wrapped,
  collapse,
  isArrayOfNumbers,
  isInherited,
  isNumber,
  ownField,
  truth,
} from './value.ts';

/** A field by name: of an object its own, of an array those of all its items, not collapsed. */
export const lookup = (run: Run, value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return ownField(value, name);
  const found = new Sequence();
  for (let index = 0; index < value.length; index += 1) {
    run.tick();
    const field = lookup(run, value[index], name);
    if (Array.isArray(field)) pushAll(run, found, field);
    else if (field !== undefined) found[found.length] = field;
  }
  return found;
};

const pushAll = (run: Run, flat: Sequence, items: readonly unknown[]): void => {
  run.chargeSequence(flat.length + items.length, items.length);
  for (let index = 0; index < items.length; index += 1) flat[flat.length] = items[index];
};

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
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) visit(part);
  };
  visit(input);
  run.chargeSequence(result.length);
  return result.length === 1 ? result[0] : result;
};

/**
 * One step of a path, for every item in turn, as one sequence: arrays are flattened, unless they were written as a step.
 * The last step's sole array stays as it is.
 */
export const mapStep = (
  items: readonly unknown[],
  evaluate: Closure,
  frame: Frame,
  last: boolean,
): readonly unknown[] => stepOver(frame.run, items, (item) => evaluate(item, frame), last);

const stepOver = (
  run: Run,
  items: readonly unknown[],
  evaluate: (item: unknown) => unknown,
  last: boolean,
): readonly unknown[] => {
  const flat = new Sequence();
  let results = 0;
  let only: unknown;
  for (let index = 0; index < items.length; index += 1) {
    run.tick();
    const result = evaluate(items[index]);
    if (result === undefined) continue;
    results += 1;
    only = result;
    if (Array.isArray(result) && !(result instanceof Constructed)) pushAll(run, flat, result);
    else flat[flat.length] = result;
  }
  return last && results === 1 && Array.isArray(only) && !(only instanceof Sequence) ? only : flat;
};

/** The names of `a.b.c` from one of them on, over a sequence of items. */
const fieldSteps = (run: Run, start: readonly unknown[], names: readonly string[], from: number): unknown => {
  let items = start;
  for (let step = from; step < names.length; step += 1) {
    const name = names[step] as string;
    items = stepOver(run, items, (item) => collapse(lookup(run, item, name)), step === names.length - 1);
    if (items.length === 0) break;
  }
  return collapse(items);
};

/** A path of nothing but names, from an input of any form; collapsed. */
export const fields = (run: Run, input: unknown, names: readonly string[]): unknown => {
  let value = input;
  for (let step = 0; step < names.length; step += 1) {
    if (Array.isArray(value)) return fieldSteps(run, value, names, step);
    if (typeof value !== 'object' || value === null) return undefined;
    const name = names[step] as string;
    value = isInherited(name) ? ownField(value, name) : (value as Record<string, unknown>)[name];
    if (value === undefined) return undefined;
  }
  // What was built in this evaluation may hold a sequence.
  return value instanceof Sequence ? collapse(stepOver(run, [value], (item) => item, true)) : value;
};

/** Names behind a variable or `$`: that is a step of its own, whose array is flattened first. */
export const fieldsOf = (run: Run, base: unknown, names: readonly string[]): unknown =>
  Array.isArray(base)
    ? fieldSteps(
        run,
        stepOver(run, [base], (item) => item, false),
        names,
        0,
      )
    : fields(run, base, names);

/** Keeps a path's single result an array, as `[]` asks. */
export const keepArray = (value: unknown): unknown => {
  if (value instanceof Constructed) {
    const wrapped = new Sequence();
    wrapped[0] = value;
    wrapped.keep = true;
    return wrapped;
  }
  if (value instanceof Sequence) value.keep = true;
  return value;
};

const atIndex = (index: number, length: number): number => {
  const whole = Math.floor(index);
  return whole < 0 ? length + whole : whole;
};

/** `[n]` with the number written out. */
export const filterIndex = (input: unknown, index: number): unknown => {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const item = items[atIndex(index, items.length)];
  if (Array.isArray(item)) return item;
  const result = new Sequence();
  if (item !== undefined) result[0] = item;
  return result;
};

/** Whether a predicate's value selects the item at this place, and how often. */
export const selects = (selected: unknown, index: number, length: number): number => {
  if (typeof selected === 'boolean') return selected ? 1 : 0;
  if (isNumber(selected)) return atIndex(selected, length) === index ? 1 : 0;
  if (isArrayOfNumbers(selected)) {
    let times = 0;
    for (const number of selected) if (atIndex(number, length) === index) times += 1;
    return times;
  }
  return truth(selected) ? 1 : 0;
};

/** `[predicate]`; not collapsed. */
export const filterItems = (input: unknown, predicate: Closure, frame: Frame): Sequence => {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const result = new Sequence();
  for (let index = 0; index < items.length; index += 1) {
    frame.run.tick();
    const item = items[index];
    const times = selects(predicate(item, frame), index, items.length);
    for (let time = 0; time < times; time += 1) result[result.length] = item;
  }
  return result;
};
