import { ExpressionFailure, locate } from './failure.ts';
import type { Run } from './run.ts';
import { concatText } from './text.ts';
import { Sequence, equal, isNumber } from './value.ts';

const ARITHMETIC = {
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  '/': (left: number, right: number) => left / right,
  '%': (left: number, right: number) => left % right,
} as const;
export type NumericOperator = keyof typeof ARITHMETIC;

/** `+ - * / %`. Missing on either side gives nothing. Errors: `T2001`, `T2002`, `D1001`. */
export const numeric = (operator: NumericOperator, left: unknown, right: unknown, position?: number): unknown => {
  try {
    if (left !== undefined && !isNumber(left)) throw new ExpressionFailure('T2001', { value: left });
    if (right !== undefined && !isNumber(right)) throw new ExpressionFailure('T2002', { value: right });
  } catch (thrown) {
    throw locate(thrown, position, operator);
  }
  return left === undefined || right === undefined ? undefined : ARITHMETIC[operator](left, right);
};

const isComparable = (value: unknown): boolean =>
  value === undefined || typeof value === 'string' || typeof value === 'number';

const COMPARISONS = {
  '<': (left: number, right: number) => left < right,
  '<=': (left: number, right: number) => left <= right,
  '>': (left: number, right: number) => left > right,
  '>=': (left: number, right: number) => left >= right,
} as const;

/** `< <= > >=` of two numbers or two texts. Errors: `T2009`, `T2010`. */
export const compare = (
  operator: keyof typeof COMPARISONS,
  left: unknown,
  right: unknown,
  position?: number,
): unknown => {
  if (!isComparable(left) || !isComparable(right)) {
    throw new ExpressionFailure('T2010', { value: isComparable(left) ? right : left, position, token: operator });
  }
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== typeof right) throw new ExpressionFailure('T2009', { value: left, position, token: operator });
  return COMPARISONS[operator](left as number, right as number);
};

/** `=` and `!=`: both are false when a side is missing. */
export const equals = (run: Run, negated: boolean, left: unknown, right: unknown): boolean =>
  left !== undefined && right !== undefined && equal(run, left, right) !== negated;

/** `in`: by identity, as JSONata does. */
export const includes = (run: Run, left: unknown, right: unknown): boolean => {
  if (left === undefined || right === undefined) return false;
  if (!Array.isArray(right)) return left === right;
  run.work(right.length);
  for (let index = 0; index < right.length; index += 1) if (right[index] === left) return true;
  return false;
};

/** `&`. Error: `D3001`. */
export const concat = (run: Run, left: unknown, right: unknown, position?: number): string => {
  try {
    const text = concatText(run, left) + concatText(run, right);
    run.chargeText(text.length);
    return text;
  } catch (thrown) {
    throw locate(thrown, position, '&');
  }
};

/** Unary minus. Error: `D1002`. */
export const negate = (value: unknown, position?: number): unknown => {
  if (value === undefined) return undefined;
  if (!isNumber(value)) throw new ExpressionFailure('D1002', { value, position, token: '-' });
  return -value;
};

const largestRange = 10_000_000;

/** `[a..b]`, not collapsed. Errors: `T2003`, `T2004`, `D2014`, `D2015`. */
export const range = (run: Run, left: unknown, right: unknown, position?: number): Sequence | undefined => {
  const detail = { position, token: '..' };
  if (left !== undefined && !Number.isInteger(left)) throw new ExpressionFailure('T2003', { ...detail, value: left });
  if (right !== undefined && !Number.isInteger(right))
    throw new ExpressionFailure('T2004', { ...detail, value: right });
  if (left === undefined || right === undefined) return undefined;
  const [from, to] = [left as number, right as number];
  if (from > to) return undefined;
  const size = to - from + 1;
  if (size > largestRange) throw new ExpressionFailure('D2014', { ...detail, value: size });
  run.chargeSequence(size);
  const result = new Sequence();
  for (let item = from; item <= to; item += 1) result[result.length] = item;
  return result;
};
