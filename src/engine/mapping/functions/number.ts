import { Decimal } from 'decimal.js';
import { minorDigits, roundAmount } from '../../rates/offer.ts';
import { isCurrency } from '../../validate.ts';
import { anything, define, misuse, number, oneOf, optional, predicate, text, wholeNumber } from './function.ts';

/** Exact by definition, in whole numbers of a unit of their own: nanograms, tenths of a millimetre and 0.001 mm³. */
const UNITS = {
  weight: { KG: 1e12, G: 1e9, LB: 453_592_370_000, OZ: 28_349_523_125 },
  length: { CM: 100, IN: 254, MM: 10, M: 10_000, FT: 3048 },
  volume: { CBM: 1e12, CFT: 28_316_846_592, CM3: 1e6, IN3: 16_387_064, MM3: 1000, L: 1e9 },
} as const;

/** What to multiply by and divide by, without a common divisor. */
type Factor = readonly [times: number, per: number];

const factorOf = (from: number, to: number): Factor => {
  let [divisor, rest] = [from, to];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return [from / divisor, to / divisor];
};

/** Of each unit its kind, and the factors by the other unit. */
const BY_NAME = new Map(
  Object.entries(UNITS).flatMap(([kind, units]) =>
    Object.entries<number>(units).map(([name, size]) => {
      const factors = Object.entries<number>(units).map(([to, other]) => [to, factorOf(size, other)] as const);
      return [name, { kind, factors: new Map(factors) }] as const;
    }),
  ),
);

/** Decimal numbers, precise enough that no quotient of two doubles is rounded the wrong way. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

/** Never minus zero. Without `digits`, 15 significant ones, which every double can tell apart. */
const rounded = (value: Decimal, digits?: number): number =>
  (digits === undefined ? value.toSignificantDigits(15) : value.toDecimalPlaces(digits)).toNumber() + 0;

/**
 * Everyday numbers as whole millionths, which doubles add, multiply and divide exactly as long as they stay below 2^53:
 * fifty times as fast as decimals. Up to 1e15 each of them is the decimal that some double is written as, and no other.
 */
const MILLION = 1e6;
const MILLIONTHS_MAX = 1e15;

/** Undefined for a number that has more than 15 digits, or more than 6 behind the point. */
const millionthsOf = (n: number): number | undefined => {
  const millionths = Math.round(n * MILLION);
  return Math.abs(millionths) < MILLIONTHS_MAX && millionths / MILLION === n ? millionths : undefined;
};

/** A whole number of millionths below their bound; never minus zero. */
const ofMillionths = (millionths: number): number | undefined =>
  Math.abs(millionths) < MILLIONTHS_MAX ? millionths / MILLION + 0 : undefined;

const convertedQuickly = (n: number, [times, per]: Factor, digits: number | undefined): number | undefined => {
  if (digits === undefined) {
    const product = (millionthsOf(n) ?? Number.NaN) * times;
    return Math.abs(product) <= Number.MAX_SAFE_INTEGER && product % per === 0
      ? ofMillionths(product / per)
      : undefined;
  }
  // Wrong by less than a thousandth of the last digit asked for, so that only what lies as near to a half is left open.
  const power = 10 ** digits;
  const scaled = ((n * times) / per) * power;
  if (!(Math.abs(scaled) < 1e12) || Math.abs(Math.abs(scaled % 1) - 0.5) < 1e-3) return undefined;
  return Math.round(scaled) / power + 0;
};

const roundedUpQuickly = (n: number, step: number): number | undefined => {
  const [units, size] = [millionthsOf(n), millionthsOf(step)];
  if (units === undefined || size === undefined) return undefined;
  const over = units % size;
  return ofMillionths(over > 0 ? units - over + size : units - over);
};

const unit = (name: string) => oneOf(name, [...BY_NAME.keys()]);

const convert = define({
  name: 'convert',
  doc: 'A weight (KG G LB OZ), length (CM IN MM M FT) or volume (CBM CFT CM3 IN3 MM3 L) converted to another unit, exactly, and rounded to `digits` decimal places, halves away from zero; what is more than 0 stays so: the least is 1 in the last place. Default: 15 significant digits.',
  refuses: 'what is no number, and a unit that is not listed or of another kind',
  parameters: [number('n'), unit('from'), unit('to'), optional(wholeNumber('digits', 0, 12))],
  gives: 'number',
  examples: [
    { expression: "$convert(2, 'LB', 'KG', 3)", result: 0.907 },
    { expression: "$convert(1.005, 'KG', 'KG', 2)", result: 1.01 },
    { expression: "$convert(12, 'in', 'cm')", result: 30.48 },
    { expression: "$convert(1, 'CBM', 'CFT', 3)", result: 35.315 },
    { expression: "$convert(0.0001, 'KG', 'G', 0)", result: 1 },
  ],
  call(n, from, to, digits) {
    const factor = BY_NAME.get(from)?.factors.get(to);
    if (factor !== undefined) {
      const value =
        convertedQuickly(n, factor, digits) ?? rounded(new Exact(n).times(factor[0]).div(factor[1]), digits);
      return value === 0 && n > 0 && digits !== undefined ? 10 ** -digits : value;
    }
    const kinds = `${to}, a ${BY_NAME.get(to)?.kind}, of ${from}, a ${BY_NAME.get(from)?.kind}`;
    throw misuse(`$convert cannot make ${kinds}`, { argument: 1 });
  },
});

const roundUp = define({
  name: 'roundUp',
  doc: 'Rounds the number up to the next multiple of `step`.',
  refuses: 'what is no number, and a step that is not above zero',
  parameters: [number('n'), number('step')],
  gives: 'number',
  examples: [
    { expression: '$roundUp(1.21, 0.5)', result: 1.5 },
    { expression: '$roundUp(0.3, 0.1)', result: 0.3 },
    { expression: '$roundUp(7, 5)', result: 10 },
  ],
  call(n, step) {
    if (step <= 0) throw misuse('$roundUp needs a step above zero', { argument: 1 });
    return roundedUpQuickly(n, step) ?? rounded(new Exact(n).toNearest(step, Decimal.ROUND_CEIL));
  },
});

const minor = define({
  name: 'minor',
  doc: 'An amount in the minor units of its currency, a whole number: cents of EUR, yen of JPY. Halves are rounded away from zero.',
  refuses: 'what is no number, and no currency code of ISO 4217',
  parameters: [number('amount'), text('currency', 'a currency code of ISO 4217')],
  gives: 'number',
  examples: [
    { expression: "$minor(12.5, 'EUR')", result: 1250 },
    { expression: "$minor(1.005, 'EUR')", result: 101 },
    { expression: "$minor(1980, 'JPY')", result: 1980 },
  ],
  call(amount, currency) {
    if (!isCurrency(currency)) throw misuse('$minor: this is not a currency code of ISO 4217', { argument: 1 });
    return rounded(new Exact(roundAmount(amount, currency)).times(10 ** minorDigits(currency)));
  },
});

const isUnit = predicate(
  {
    name: 'isUnit',
    doc: 'Whether `$convert` takes the unit `from` to make `to` of it.',
    parameters: [text('from'), unit('to')],
    examples: [
      { expression: "$isUnit('LB', 'KG')", result: true },
      { expression: "$isUnit('STONE', 'KG')", result: false },
    ],
  },
  convert,
  (from, to) => [1, from, to],
  1,
);

/** As JSONata reads them. */
const NUMBER = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?|0(?:x[\da-f]+|o[0-7]+|b[01]+))$/i;

const isNumber = define({
  name: 'isNumber',
  doc: 'Whether it is a number, or a text of which `$number` makes one.',
  parameters: [optional(anything('x'))],
  evenIfMissing: true,
  gives: 'boolean',
  examples: [
    { expression: "$isNumber('1.5')", result: true },
    { expression: "$isNumber('1,5')", result: false },
  ],
  call: (x) => typeof x === 'number' || (typeof x === 'string' && NUMBER.test(x) && Number.isFinite(Number(x))),
});

export const NUMBERS = [convert, roundUp, minor, isUnit, isNumber];
