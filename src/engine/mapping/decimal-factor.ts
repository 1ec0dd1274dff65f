import { ceilingOf, dividedBy, fractionOf, rounded, times, toNumber, type Fraction } from './decimal.ts';

/**
 * Arithmetic of `decimal.ts` for the numbers of everyday weights and sizes: in doubles as long as every step is a whole
 * number that a double holds exactly, else in big integers. The results are the same, a few dozen times as fast.
 */

/** What is multiplied by. `numerator` and `denominator` are undefined where a double does not hold them. */
export interface Factor {
  readonly exact: Fraction;
  readonly numerator: number | undefined;
  readonly denominator: number | undefined;
}

const LARGEST = Number.MAX_SAFE_INTEGER;
/** Every decimal of so many digits is told apart by doubles, and so is its shortest text. */
const FIFTEEN_DIGITS = 1e15;
const DIGITS_MAX = 12;
const POWERS = Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits);

const powerOf = (digits: number): number => POWERS[digits] ?? Number.NaN;

const greatestCommon = (one: bigint, other: bigint): bigint =>
  other === 0n ? one : greatestCommon(other, one % other);

const held = (value: bigint): number | undefined => (value <= BigInt(LARGEST) ? Number(value) : undefined);

/** A positive fraction as a factor. */
export function factorOf(exact: Fraction): Factor {
  const common = greatestCommon(exact.numerator, exact.denominator);
  const [numerator, denominator] = [exact.numerator / common, exact.denominator / common];
  return { exact: { numerator, denominator }, numerator: held(numerator), denominator: held(denominator) };
}

/** Digits after the point of the decimal that a number is written as; undefined if there are many. */
function digitsOf(value: number): number | undefined {
  for (let digits = 0; digits <= DIGITS_MAX; digits += 1) {
    const scaled = Math.round(value * powerOf(digits));
    if (Math.abs(scaled) >= FIFTEEN_DIGITS) return undefined;
    if (scaled / powerOf(digits) === value) return digits;
  }
  return undefined;
}

/** The product, rounded to `digits` after the point, halves away from zero; without, to 15 significant digits. */
export function multiplied(value: number, factor: Factor, digits: number | undefined): number {
  return inDoubles(Math.abs(value), factor, digits, value < 0 ? -1 : 1) ?? inIntegers(value, factor, digits);
}

function inIntegers(value: number, { exact }: Factor, digits: number | undefined): number {
  const product = times(fractionOf(value), exact);
  return digits === undefined ? toNumber(product) : rounded(product, digits);
}

function inDoubles(value: number, factor: Factor, digits: number | undefined, sign: 1 | -1): number | undefined {
  const point = digitsOf(value);
  if (point === undefined || factor.numerator === undefined || factor.denominator === undefined) return undefined;
  const numerator = Math.round(value * powerOf(point)) * factor.numerator;
  const denominator = powerOf(point) * factor.denominator;
  if (digits !== undefined) {
    const scaled = numerator * powerOf(digits) + Math.floor(denominator / 2);
    if (!(scaled <= LARGEST && denominator <= LARGEST)) return undefined;
    return signed(sign, (scaled - (scaled % denominator)) / denominator / powerOf(digits));
  }
  // Only what comes out even: the rest needs its digits counted.
  const scaled = numerator * powerOf(6);
  if (!(scaled <= LARGEST && denominator <= LARGEST) || scaled % denominator !== 0) return undefined;
  const quotient = scaled / denominator;
  return quotient < FIFTEEN_DIGITS ? signed(sign, quotient / powerOf(6)) : undefined;
}

/** Never minus zero. */
const signed = (sign: 1 | -1, magnitude: number): number => (magnitude === 0 ? 0 : sign * magnitude);

/** The number, up to the next multiple of `step`, which is above zero. */
export function upTo(value: number, step: number): number {
  const [digits, stepDigits] = [digitsOf(value), digitsOf(step)];
  if (digits !== undefined && stepDigits !== undefined && value >= 0) {
    const power = powerOf(Math.max(digits, stepDigits));
    const [units, stepUnits] = [Math.round(value * power), Math.round(step * power)];
    const up = Math.ceil(units / stepUnits) * stepUnits;
    if (units < FIFTEEN_DIGITS && up < FIFTEEN_DIGITS && up >= units && up - stepUnits < units) return up / power;
  }
  const size = fractionOf(step);
  const count = ceilingOf(dividedBy(fractionOf(value), size));
  return toNumber(times({ numerator: count, denominator: 1n }, size));
}
