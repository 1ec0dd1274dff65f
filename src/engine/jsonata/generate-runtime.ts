import { applyPartially, applyTo, callStandard, callValue, checkCallee, globalVariable, makeLambda } from './call.ts';
import { asItems as asPathItems, isNothing } from './closure-paths.ts';
import { locate } from './failure.ts';
import { Frame } from './frame.ts';
import { TailCall, finishCall } from './function-value.ts';
import { allOfType, rebuilt, type LibraryFunction } from './functions/library.ts';
import { booleanOf } from './functions/objects.ts';
import { lookup } from './lookup.ts';
import { compare, concat, equals, includes, negate, numeric, range } from './operators.ts';
import { hole } from './partial.ts';
import {
  fieldsOf,
  filterIndex,
  filterItems,
  flattenStep,
  groupItems,
  inputSequence,
  keepArray,
  mapStep,
  sortItems,
  type Evaluate,
} from './paths.ts';
import { descendants, wildcard } from './descend.ts';
import { regexFunction } from './regex.ts';
import type { Run } from './run.ts';
import { concatText } from './text.ts';
import { transformation } from './transform.ts';
import { Constructed, Sequence, append, appendTo, collapse, ownField, sequenceOf, truth, unbound } from './value.ts';

/** A name in the middle of a path, of what is no object: items again, or nothing. */
const middleName = (run: Run, value: unknown, name: string): unknown =>
  Array.isArray(value) ? mapStep(run, value, (item) => collapse(lookup(run, item, name)), undefined, false) : undefined;

/** A name at the end of a path, of what is no object. */
const lastName = (run: Run, value: unknown, name: string): unknown =>
  Array.isArray(value)
    ? collapse(mapStep(run, value, (item) => collapse(lookup(run, item, name)), undefined, true))
    : undefined;

/** What one item gave for the last step of a path: a sequence loses its `[]`. */
const settle = (value: unknown): unknown => (value instanceof Sequence ? collapse(copySequence(value)) : value);

const copySequence = (value: Sequence): Sequence => {
  const copy = new Sequence();
  for (let index = 0; index < value.length; index += 1) copy[index] = value[index];
  return copy;
};

/** What one item gave for a step, as the next step takes it. */
const stepped = (value: unknown, last: boolean): unknown => {
  if (value instanceof Sequence) return last || value.keep ? copySequence(value) : value;
  return !last && value instanceof Constructed ? [value] : value;
};

/** A step of a path for whatever the step before gave: nothing, one value, or items. */
const step = (run: Run, value: unknown, evaluate: Evaluate<Run>, last: boolean): unknown =>
  Array.isArray(value) ? mapStep(run, value, evaluate, run, last) : stepped(evaluate(value, run), last);

/**
 * The items to sort: as a sequence where there are less than two, for those are not sorted into a new array. A `[]`
 * before the ordering does not outlive it.
 */
const asItems = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) return sequenceOf(value);
  return value.length > 1 || (value instanceof Sequence && !value.keep) ? value : shortSequence(value);
};

const shortSequence = (value: readonly unknown[]): Sequence =>
  value.length === 0 ? new Sequence() : sequenceOf(value[0]);

/** `[]` behind a path. */
const keep = (value: unknown): unknown => {
  if (value === undefined || Array.isArray(value)) return keepArray(value);
  return keepArray(sequenceOf(value));
};

const keepSequence = (value: unknown): unknown => {
  if (value instanceof Sequence) value.keep = true;
  return collapse(value);
};

/** The context of an object's values when its input is an array: all items together. */
const gather = (run: Run, items: readonly unknown[]): unknown => {
  if (items.length < 2) return items[0];
  let data: unknown;
  let owned = false;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    if (owned) {
      appendTo(run, data as unknown[], item);
    } else {
      owned = data !== undefined;
      data = append(run, data, item);
    }
  }
  return data;
};

/** Items out of an array that begins a path, for the next step; undefined where the path ends. */
const firstItems = (value: unknown): unknown => (isNothing(value) ? undefined : asPathItems(value));

/** Nothing, as a step's input, is no items rather than one missing item. */
const orEmpty = (value: unknown): unknown => (value === undefined ? [] : value);

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (run: Run, value: unknown): string => concatText(run, value);

const fallback = (closure: Evaluate<Frame>, run: Run, input: unknown, variables: unknown[]): unknown =>
  closure(input, new Frame(run, variables, undefined, undefined));

const tailCall = (target: unknown, args: readonly unknown[], token: string, at: number): TailCall =>
  new TailCall(target, args, token, at);

const makeConstructed = (items: readonly unknown[]): Constructed => {
  const result = new Constructed();
  for (let index = 0; index < items.length; index += 1) result[index] = items[index];
  return result;
};

type Evaluated = (item: unknown, run: Run, place: number) => unknown;

/** Puts into an array what each item gives, which is never an array itself. */
const stepInto = (run: Run, target: unknown[], value: unknown, evaluate: Evaluate<Run>): void => {
  if (!Array.isArray(value)) {
    const result = evaluate(value, run);
    if (result !== undefined) target.push(result);
    return;
  }
  const before = target.length;
  for (let index = 0; index < value.length; index += 1) {
    run.tick();
    const result = evaluate(value[index], run);
    if (result !== undefined) target.push(result);
  }
  run.chargeSequence(target.length, target.length - before);
};

/** As `stepInto`, for a value behind which stands `#`. */
const indexedInto = (run: Run, target: unknown[], value: unknown, evaluate: Evaluated): void => {
  if (value === undefined) return;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const before = target.length;
  for (let index = 0; index < items.length; index += 1) {
    run.tick();
    const result = evaluate(items[index], run, index);
    if (result !== undefined) target.push(result);
  }
  run.chargeSequence(target.length, target.length - before);
};

const indexed = (run: Run, value: unknown, evaluate: Evaluated): Sequence => {
  const result = new Sequence();
  indexedInto(run, result, value, evaluate);
  return result;
};

/** Puts into an array what is left of a value's parts, or of itself if it is no array. */
const partsInto = (run: Run, part: NonNullable<LibraryFunction['part']>, target: unknown[], value: unknown): void => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const before = target.length;
  for (let index = 0; index < items.length; index += 1) {
    const left = part(run, items[index]);
    if (left !== undefined) target.push(left);
  }
  run.chargeSequence(target.length, target.length - before);
};

/** What generated code may call, under the name it uses. */
export const runtime = {
  Sequence,
  allOfType,
  append,
  appendTo,
  applyPartially,
  applyTo,
  asItems,
  booleanOf,
  callStandard,
  callValue,
  checkCallee,
  collapse,
  compare,
  concat,
  context: collapse,
  descendants,
  equals,
  fallback,
  fieldsOf,
  filterIndex,
  filterItems,
  finishCall,
  firstItems,
  flattenStep,
  gather,
  globalVariable,
  groupItems,
  hole,
  includes,
  indexed,
  indexedInto,
  inputSequence,
  isObject,
  keep,
  keepSequence,
  lastName,
  locate,
  lookup,
  makeConstructed,
  makeLambda,
  middleName,
  negate,
  numeric,
  orEmpty,
  ownField,
  partsInto,
  range,
  rebuilt,
  regexFunction,
  settle,
  sortItems,
  step,
  stepInto,
  stepped,
  tailCall,
  text,
  transformation,
  truth,
  unbound,
  wildcard,
};

export type RuntimeName = keyof typeof runtime;
