import { ExpressionFailure } from '../failure.ts';
import type { Run } from '../run.ts';
import { builtin, type Builtin } from './builtin.ts';
import {
  fromLetters,
  fromRoman,
  numberToWords,
  numberWords,
  toLetters,
  toRoman,
  wordsToNumber,
} from './integer-words.ts';
import { regularDistance } from './number-picture.ts';

interface Separator {
  /** Digits to its right. */
  readonly position: number;
  readonly character: string;
}

/** A picture for whole numbers, after XPath's `format-integer`. */
export interface IntegerPicture {
  readonly kind: 'decimal' | 'letters' | 'roman' | 'words' | 'sequence';
  readonly letterCase: 'upper' | 'lower' | 'title';
  readonly ordinal: boolean;
  readonly token: string;
  /** Code point of the zero of the digits used. */
  readonly zero: number;
  mandatoryDigits: number;
  readonly optionalDigits: number;
  /** Every so many digits, if that is regular, else where they stand. */
  readonly every: Separator | undefined;
  readonly separators: readonly Separator[];
  /** When reading dates: the exact number of digits, because another number follows directly. */
  width: number | undefined;
}

// Zeros of the decimal digits of the scripts in the basic plane.
const zeros = (
  '0030 0660 06F0 07C0 0966 09E6 0A66 0AE6 0B66 0BE6 0C66 0CE6 0D66 0DE6 0E50 0ED0 0F20 1040 1090 17E0 1810 1946 ' +
  '19D0 1A80 1A90 1B50 1BB0 1C40 1C50 A620 A8D0 A900 A9D0 A9F0 AA50 ABF0 FF10'
)
  .split(' ')
  .map((code) => Number.parseInt(code, 16));

const styles: Readonly<Record<string, Pick<IntegerPicture, 'kind' | 'letterCase'>>> = {
  A: { kind: 'letters', letterCase: 'upper' },
  a: { kind: 'letters', letterCase: 'lower' },
  I: { kind: 'roman', letterCase: 'upper' },
  i: { kind: 'roman', letterCase: 'lower' },
  W: { kind: 'words', letterCase: 'upper' },
  w: { kind: 'words', letterCase: 'lower' },
  Ww: { kind: 'words', letterCase: 'title' },
};

const plain = {
  zero: 0x30,
  mandatoryDigits: 0,
  optionalDigits: 0,
  every: undefined,
  separators: [],
  width: undefined,
} as const;

const readDigits = (token: string, ordinal: boolean): IntegerPicture => {
  let zero: number | undefined;
  let mandatoryDigits = 0;
  let optionalDigits = 0;
  const separators: Separator[] = [];
  for (const character of Array.from(token).toReversed()) {
    const code = character.codePointAt(0) ?? 0;
    const family = zeros.find((candidate) => code >= candidate && code <= candidate + 9);
    if (family !== undefined) {
      mandatoryDigits += 1;
      zero ??= family;
      if (family !== zero) throw new ExpressionFailure('D3131', { value: token });
    } else if (character === '#') {
      optionalDigits += 1;
    } else {
      separators.push({ position: mandatoryDigits + optionalDigits, character });
    }
  }
  const base = { letterCase: 'lower', ordinal, token, width: undefined } as const;
  if (mandatoryDigits === 0 || zero === undefined) return { ...plain, ...base, kind: 'sequence' };
  const alike = separators.every(({ character }) => character === separators[0]?.character);
  const distance = alike ? regularDistance(separators.map(({ position }) => position)) : 0;
  const every = distance > 0 ? { position: distance, character: separators[0]?.character ?? '' } : undefined;
  return { ...base, kind: 'decimal', zero, mandatoryDigits, optionalDigits, every, separators };
};

/** Reads a picture. Error: `D3131`. */
export const readIntegerPicture = (picture: string): IntegerPicture => {
  const semicolon = picture.lastIndexOf(';');
  const token = semicolon === -1 ? picture : picture.slice(0, semicolon);
  const ordinal = semicolon !== -1 && picture[semicolon + 1] === 'o';
  const style = Object.hasOwn(styles, token) ? styles[token] : undefined;
  return style === undefined ? readDigits(token, ordinal) : { ...plain, ...style, ordinal, token };
};

const ordinalEnding = (digits: string): string => {
  const ending = { '1': 'st', '2': 'nd', '3': 'rd' }[digits.at(-1) ?? ''];
  return ending === undefined || digits.at(-2) === '1' ? 'th' : ending;
};

const writeDigits = (run: Run, value: number, picture: IntegerPicture): string => {
  run.chargeText(picture.mandatoryDigits);
  let digits = String(value).padStart(picture.mandatoryDigits, '0');
  if (picture.zero !== 0x30) {
    digits = Array.from(digits)
      .map((digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0x30) + picture.zero - 0x30))
      .join('');
  }
  const { every } = picture;
  if (every === undefined) {
    // From the left, so that the places of the others still hold.
    for (const { position, character } of picture.separators.toReversed()) {
      const at = digits.length - position;
      digits = digits.slice(0, Math.max(0, at)) + character + digits.slice(Math.max(0, at));
    }
  } else {
    for (let group = Math.floor((digits.length - 1) / every.position); group > 0; group -= 1) {
      const at = digits.length - group * every.position;
      digits = digits.slice(0, at) + every.character + digits.slice(at);
    }
  }
  return picture.ordinal ? digits + ordinalEnding(digits) : digits;
};

const writeUnsigned = (run: Run, value: number, picture: IntegerPicture): string => {
  switch (picture.kind) {
    case 'letters':
      return toLetters(value, picture.letterCase === 'upper' ? 'A' : 'a');
    case 'roman': {
      run.chargeText(value / 1000 + 20);
      const numerals = toRoman(value);
      return picture.letterCase === 'upper' ? numerals.toUpperCase() : numerals;
    }
    case 'words': {
      const words = numberToWords(value, picture.ordinal);
      if (picture.letterCase === 'title') return words;
      return picture.letterCase === 'upper' ? words.toUpperCase() : words.toLowerCase();
    }
    case 'decimal':
      return writeDigits(run, value, picture);
    default:
      throw new ExpressionFailure('D3130', { value: picture.token });
  }
};

/** Writes a whole number by a picture. Error: `D3130`. */
export const writeInteger = (run: Run, value: number, picture: IntegerPicture): string => {
  const text = writeUnsigned(run, Math.abs(value), picture);
  return value < 0 ? `-${text}` : text;
};

/** How text is read by a picture: what it may look like, and its value. */
export interface IntegerReader {
  readonly pattern: string;
  readonly parse: (text: string) => number;
}

const readDigitText = (text: string, picture: IntegerPicture): number => {
  let digits = picture.ordinal ? text.slice(0, -2) : text;
  const marks = picture.every === undefined ? picture.separators.map(({ character }) => character) : [','];
  for (const mark of marks) digits = digits.split(mark).join('');
  if (picture.zero !== 0x30) {
    digits = digits
      .split('')
      .map((digit) => String.fromCodePoint(Math.max(0, (digit.codePointAt(0) ?? 0) - picture.zero + 0x30)))
      .join('');
  }
  return Number.parseInt(digits, 10);
};

export const integerReader = (picture: IntegerPicture): IntegerReader => {
  const upper = picture.letterCase === 'upper';
  switch (picture.kind) {
    case 'letters':
      return { pattern: upper ? '[A-Z]+' : '[a-z]+', parse: (text) => fromLetters(text, upper ? 'A' : 'a') };
    case 'roman':
      return { pattern: upper ? '[MDCLXVI]+' : '[mdclxvi]+', parse: fromRoman };
    case 'words':
      return {
        pattern: `(?:${numberWords.join('|')}|and|[\\-, ])+`,
        parse: (text) => wordsToNumber(text.toLowerCase()),
      };
    case 'decimal': {
      const digits = picture.width === undefined ? '[0-9]+' : `[0-9]{${picture.width}}`;
      return {
        pattern: picture.ordinal ? `${digits}(?:th|st|nd|rd)` : digits,
        parse: (text) => readDigitText(text, picture),
      };
    }
    default:
      throw new ExpressionFailure('D3130', { value: picture.token });
  }
};

const formatInteger = (run: Run, value: number | undefined, picture: string | undefined): string | undefined =>
  value === undefined ? undefined : writeInteger(run, Math.floor(value), readIntegerPicture(String(picture)));

const parseInteger = (run: Run, text: string | undefined, picture: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  run.work(text.length * 4);
  return integerReader(readIntegerPicture(String(picture))).parse(text);
};

/** `$formatInteger` and `$parseInteger`. */
export const integerPictureFunctions: readonly Builtin[] = [
  builtin('formatInteger', '<n-s:s>', 2, formatInteger),
  builtin('parseInteger', '<s-s:n>', 2, parseInteger),
];
