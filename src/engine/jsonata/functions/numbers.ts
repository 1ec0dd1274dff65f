import { ExpressionFailure } from '../failure.ts';
import type { Run } from '../run.ts';
import { builtin, type Builtin } from './builtin.ts';

type Maybe = number | undefined;

const decimalText = /^-?[0-9]+(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?$/;
// JSONata's own pattern binds ^ to its first and $ to its last alternative only.
const radixText = /^0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][0-1]+$/;

const toNumber = (_run: Run, value: number | string | boolean | undefined): Maybe => {
  if (value === undefined || typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') {
    if (decimalText.test(value)) {
      const number = Number.parseFloat(value);
      if (Number.isFinite(number)) return number;
    }
    if (radixText.test(value)) return Number(value);
  }
  throw new ExpressionFailure('D3030', { value });
};

const powers = Array.from({ length: 13 }, (_, places) => 10 ** places);
const fifteenDigits = 1e15;

/** A whole number moved to the right of the point: exact, for both it and the power are, and a quotient is rounded once. */
const shiftWhole = (value: number, places: number): number => {
  const power = powers[-places];
  if (power === undefined || !(Math.abs(value) < fifteenDigits) || !Number.isInteger(value))
    return shift(value, places);
  return value / power;
};

/** Moves the decimal point through the text form, so that no binary error is added. */
const shift = (value: number, places: number): number => {
  const power = powers[places];
  if (power !== undefined) {
    // Doubles tell decimals of fifteen digits apart: if this one is the number, then so is its text.
    const scaled = Math.round(value * power);
    if (Math.abs(scaled) < fifteenDigits && scaled / power === value) return scaled;
  }
  const [digits, exponent] = value.toString().split('e');
  return Number(`${digits}e${exponent === undefined ? places : Number(exponent) + places}`);
};

/** Rounds half to even at that many decimal places; never gives -0. */
export const roundHalfEven = (value: number, places?: number): number => {
  const shifted = places === undefined || places === 0 || Number.isNaN(places) ? value : shift(value, places);
  let whole = Math.round(shifted);
  if (Math.abs(whole - shifted) === 0.5 && Math.abs(whole % 2) === 1) whole -= 1;
  const result = shifted === value && !places ? whole : shiftWhole(whole, -(places ?? 0));
  return result === 0 ? 0 : result;
};

const mapped = (change: (value: number) => number) => (_run: Run, value: Maybe) =>
  value === undefined ? undefined : change(value);

const root = (value: number): number => {
  if (value < 0) throw new ExpressionFailure('D3060', { value });
  return Math.sqrt(value);
};

const power = (_run: Run, base: Maybe, exponent: Maybe): Maybe => {
  if (base === undefined) return undefined;
  const result = base ** (exponent ?? Number.NaN);
  if (!Number.isFinite(result)) throw new ExpressionFailure('D3061', { value: base });
  return result;
};

const formatBase = (_run: Run, value: Maybe, radix: Maybe): string | undefined => {
  if (value === undefined) return undefined;
  const base = radix === undefined ? 10 : roundHalfEven(radix);
  if (base < 2 || base > 36) throw new ExpressionFailure('D3100', { value: base });
  return roundHalfEven(value).toString(base);
};

const total = (run: Run, values: readonly number[]): number => {
  run.charge(values.length);
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};

const extreme = (pick: (a: number, b: number) => number) => (run: Run, values: readonly number[] | undefined) => {
  const first = values?.[0];
  if (values === undefined || first === undefined) return undefined;
  run.charge(values.length);
  return values.reduce((best, value) => pick(best, value), first);
};

/** The functions on numbers. */
export const numberFunctions: readonly Builtin[] = [
  builtin('number', '<(nsb)-:n>', 1, toNumber),
  builtin('floor', '<n-:n>', 1, mapped(Math.floor)),
  builtin('ceil', '<n-:n>', 1, mapped(Math.ceil)),
  builtin('round', '<n-n?:n>', 2, (_run: Run, value: Maybe, places: Maybe) =>
    value === undefined ? undefined : roundHalfEven(value, places),
  ),
  builtin('abs', '<n-:n>', 1, mapped(Math.abs)),
  builtin('sqrt', '<n-:n>', 1, mapped(root)),
  builtin('power', '<n-n:n>', 2, power),
  builtin('random', '<:n>', 0, (run: Run) => run.random()),
  builtin('formatBase', '<n-n?:s>', 2, formatBase),
  builtin('sum', '<a<n>:n>', 1, (run: Run, values: readonly number[] | undefined) =>
    values === undefined ? undefined : total(run, values),
  ),
  builtin('max', '<a<n>:n>', 1, extreme(Math.max)),
  builtin('min', '<a<n>:n>', 1, extreme(Math.min)),
  builtin('average', '<a<n>:n>', 1, (run: Run, values: readonly number[] | undefined) =>
    values === undefined || values.length === 0 ? undefined : total(run, values) / values.length,
  ),
];
