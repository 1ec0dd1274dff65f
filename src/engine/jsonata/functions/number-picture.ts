import { ExpressionFailure } from '../failure.ts';
import type { Run } from '../run.ts';
import { isObject } from '../value.ts';
import { builtin, type Builtin } from './builtin.ts';
import { roundHalfEven } from './numbers.ts';

/** The characters that mean something in a number picture, by the names of XPath's decimal format. */
interface Symbols {
  readonly decimal: string;
  readonly grouping: string;
  readonly exponent: string;
  readonly minus: string;
  readonly percent: string;
  readonly perMille: string;
  readonly zero: string;
  readonly optional: string;
  readonly separator: string;
  readonly digits: readonly string[];
}

interface Parts {
  readonly picture: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly active: string;
  readonly mantissa: string;
  readonly integer: string;
  readonly fraction: string;
  readonly exponent: string | undefined;
}

interface Layout {
  readonly parts: Parts;
  readonly prefix: string;
  readonly integerGroups: readonly number[];
  readonly regularGroup: number;
  readonly fractionGroups: readonly number[];
  readonly minInteger: number;
  readonly scale: number;
  readonly minFraction: number;
  readonly maxFraction: number;
  readonly minExponent: number;
}

const symbolsFrom = (options: unknown): Symbols => {
  const given = isObject(options) ? options : {};
  const pick = (name: string, standard: string): string =>
    Object.hasOwn(given, name) ? String(given[name]) : standard;
  const zero = pick('zero-digit', '0');
  return {
    decimal: pick('decimal-separator', '.'),
    grouping: pick('grouping-separator', ','),
    exponent: pick('exponent-separator', 'e'),
    minus: pick('minus-sign', '-'),
    percent: pick('percent', '%'),
    perMille: pick('per-mille', '\u2030'),
    zero,
    optional: pick('digit', '#'),
    separator: pick('pattern-separator', ';'),
    digits: Array.from({ length: 10 }, (_, digit) => String.fromCharCode(zero.charCodeAt(0) + digit)),
  };
};

const count = (text: string, test: (character: string) => boolean): number => text.split('').filter(test).length;

const splitPicture = (picture: string, symbols: Symbols): Parts => {
  const frame = new Set([...symbols.digits, symbols.decimal, symbols.grouping, symbols.optional, symbols.separator]);
  frame.delete(symbols.exponent);
  const characters = picture.split('');
  const first = characters.findIndex((character) => frame.has(character));
  const last = characters.findLastIndex((character) => frame.has(character));
  const prefix = first === -1 ? '' : picture.slice(0, first);
  const suffix = last === -1 ? '' : picture.slice(last + 1);
  const active = picture.slice(prefix.length, picture.length - suffix.length);
  const exponentAt = picture.indexOf(symbols.exponent, prefix.length);
  const hasExponent = exponentAt !== -1 && exponentAt <= picture.length - suffix.length;
  const mantissa = hasExponent ? active.slice(0, exponentAt) : active;
  const decimalAt = mantissa.indexOf(symbols.decimal);
  return {
    picture,
    prefix,
    suffix,
    active,
    mantissa,
    integer: decimalAt === -1 ? mantissa : mantissa.slice(0, decimalAt),
    fraction: decimalAt === -1 ? suffix : mantissa.slice(decimalAt + 1),
    exponent: hasExponent ? active.slice(exponentAt + 1) : undefined,
  };
};

const repeats = (text: string, part: string): boolean => text.indexOf(part) !== text.lastIndexOf(part);

/** The rule that a picture breaks; of several the last, in the order XPath lists them. */
const brokenRule = (parts: Parts, symbols: Symbols): string | undefined => {
  const { picture, integer, fraction, exponent } = parts;
  const isDigit = (character: string): boolean => symbols.digits.includes(character);
  const active = [
    ...symbols.digits,
    symbols.decimal,
    symbols.exponent,
    symbols.grouping,
    symbols.optional,
    symbols.separator,
  ];
  const decimalAt = picture.indexOf(symbols.decimal);
  const percent = picture.includes(symbols.percent);
  const perMille = picture.includes(symbols.perMille);
  const optionalAt = integer.indexOf(symbols.optional);
  const lastOptionalAt = fraction.lastIndexOf(symbols.optional);
  const besideDecimal =
    decimalAt !== -1 &&
    (picture.charAt(decimalAt - 1) === symbols.grouping || picture.charAt(decimalAt + 1) === symbols.grouping);
  const rules: readonly (readonly [string, boolean])[] = [
    ['D3081', repeats(picture, symbols.decimal)],
    ['D3082', repeats(picture, symbols.percent)],
    ['D3083', repeats(picture, symbols.perMille)],
    ['D3084', percent && perMille],
    ['D3085', count(parts.mantissa, (character) => isDigit(character) || character === symbols.optional) === 0],
    ['D3086', count(parts.active, (character) => !active.includes(character)) > 0],
    ['D3087', besideDecimal],
    ['D3088', decimalAt === -1 && integer.endsWith(symbols.grouping)],
    ['D3089', picture.includes(symbols.grouping + symbols.grouping)],
    ['D3090', optionalAt !== -1 && count(integer.slice(0, optionalAt), isDigit) > 0],
    ['D3091', lastOptionalAt !== -1 && count(fraction.slice(lastOptionalAt), isDigit) > 0],
    ['D3092', exponent !== undefined && exponent !== '' && (percent || perMille)],
    ['D3093', exponent !== undefined && (exponent === '' || count(exponent, isDigit) < exponent.length)],
  ];
  return rules.findLast(([, broken]) => broken)?.[0];
};

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** The distance at which separators repeat, 0 if they do not. Also for the pictures of integers. */
export const regularDistance = (positions: readonly number[]): number => {
  if (positions.length === 0) return 0;
  const distance = positions.reduce(greatestDivisor);
  return positions.every((_, index) => positions.includes((index + 1) * distance)) ? distance : 0;
};

const layOut = (parts: Parts, symbols: Symbols): Layout => {
  const isDigit = (character: string): boolean => symbols.digits.includes(character);
  const isPlace = (character: string): boolean => isDigit(character) || character === symbols.optional;
  const groups = (part: string, fromLeft: boolean): number[] => {
    const positions: number[] = [];
    let at = part.indexOf(symbols.grouping);
    while (at !== -1) {
      positions.push(count(fromLeft ? part.slice(0, at) : part.slice(at), isPlace));
      at = parts.integer.indexOf(symbols.grouping, at + 1);
    }
    return positions;
  };
  const integerGroups = groups(parts.integer, false);
  const scale = count(parts.integer, isDigit);
  const hasExponent = parts.exponent !== undefined;
  let minInteger = scale;
  let minFraction = count(parts.fraction, isDigit);
  let maxFraction = count(parts.fraction, isPlace);
  if (minInteger === 0 && maxFraction === 0) {
    if (hasExponent) {
      minFraction = 1;
      maxFraction = 1;
    } else {
      minInteger = 1;
    }
  }
  if (hasExponent && minInteger === 0 && parts.integer.includes(symbols.optional)) minInteger = 1;
  if (minInteger === 0 && minFraction === 0) minFraction = 1;
  return {
    parts,
    prefix: parts.prefix,
    integerGroups,
    regularGroup: regularDistance(integerGroups),
    fractionGroups: groups(parts.fraction, true),
    minInteger,
    scale,
    minFraction,
    maxFraction,
    minExponent: count(parts.exponent ?? '', isDigit),
  };
};

/** Mantissa and exponent such that the mantissa has as many integer digits as the picture. */
const normalise = (value: number, layout: Layout): { mantissa: number; exponent: number | undefined } => {
  if (layout.minExponent === 0) return { mantissa: value, exponent: undefined };
  let mantissa = value;
  let exponent = 0;
  while (mantissa !== 0 && Math.abs(mantissa) < 10 ** (layout.scale - 1)) {
    mantissa *= 10;
    exponent -= 1;
  }
  while (Number.isFinite(mantissa) && Math.abs(mantissa) > 10 ** layout.scale) {
    mantissa /= 10;
    exponent += 1;
  }
  return { mantissa, exponent };
};

const digitsOf = (value: number, places: number, symbols: Symbols): string => {
  const text = Math.abs(value).toFixed(Math.min(100, places));
  if (symbols.zero === '0') return text;
  return text.replace(/[0-9]/g, (digit) => symbols.digits[Number(digit)] ?? digit);
};

const insert = (text: string, at: number, part: string): string => text.slice(0, at) + part + text.slice(at);

const trimZeros = (text: string, zero: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === zero) start += 1;
  while (end > start && text[end - 1] === zero) end -= 1;
  return text.slice(start, end);
};

const writeMantissa = (mantissa: number, layout: Layout, symbols: Symbols): string => {
  const rounded = digitsOf(roundHalfEven(mantissa, layout.maxFraction), layout.maxFraction, symbols);
  const pointed = rounded.includes('.') ? rounded.replace('.', () => symbols.decimal) : rounded + symbols.decimal;
  let text = trimZeros(pointed, symbols.zero);
  const point = text.indexOf(symbols.decimal);
  const missingRight = layout.minFraction - (text.length - point - 1);
  text = symbols.zero.repeat(Math.max(0, layout.minInteger - point)) + text;
  text += symbols.zero.repeat(Math.max(0, missingRight));
  let decimalAt = text.indexOf(symbols.decimal);
  if (layout.regularGroup > 0) {
    const groups = Math.floor((decimalAt - 1) / layout.regularGroup);
    for (let group = 1; group <= groups; group += 1) {
      text = insert(text, decimalAt - group * layout.regularGroup, symbols.grouping);
    }
  } else {
    for (const position of layout.integerGroups) {
      text = insert(text, decimalAt - position, symbols.grouping);
      decimalAt += 1;
    }
  }
  decimalAt = text.indexOf(symbols.decimal);
  for (const position of layout.fractionGroups) text = insert(text, position + decimalAt + 1, symbols.grouping);
  decimalAt = text.indexOf(symbols.decimal);
  const needsPoint = layout.parts.picture.includes(symbols.decimal) && decimalAt !== text.length - 1;
  return needsPoint ? text : text.slice(0, -1);
};

/** `$formatNumber`, after XPath Functions and Operators 4.7. Errors: `D3080` to `D3093`. */
const formatNumber = (
  run: Run,
  value: number | undefined,
  picture: string | undefined,
  options?: unknown,
): string | undefined => {
  if (value === undefined) return undefined;
  const symbols = symbolsFrom(options);
  const pictures = String(picture).split(symbols.separator);
  run.work(String(picture).length * 10);
  if (pictures.length > 2) throw new ExpressionFailure('D3080', { value: picture });
  const layouts = pictures.map((sub) => {
    const parts = splitPicture(sub, symbols);
    const broken = brokenRule(parts, symbols);
    if (broken !== undefined) throw new ExpressionFailure(broken, { value: sub });
    return layOut(parts, symbols);
  });
  const positive = layouts[0] as Layout;
  const negative = layouts[1] ?? { ...positive, prefix: symbols.minus + positive.prefix };
  const layout = value >= 0 ? positive : negative;
  const sub = layout.parts.picture;
  const factor = sub.includes(symbols.percent) ? 100 : sub.includes(symbols.perMille) ? 1000 : 1;
  const { mantissa, exponent } = normalise(factor === 1 ? value : value * factor, layout);
  let text = writeMantissa(mantissa, layout, symbols);
  if (exponent !== undefined) {
    const digits = digitsOf(exponent, 0, symbols);
    const padded = symbols.zero.repeat(Math.max(0, layout.minExponent - digits.length)) + digits;
    text += symbols.exponent + (exponent < 0 ? symbols.minus : '') + padded;
  }
  return layout.prefix + text + layout.parts.suffix;
};

/** `$formatNumber`. */
export const numberPictureFunctions: readonly Builtin[] = [builtin('formatNumber', '<n-so?:s>', 3, formatNumber)];
