import { offsetOf, offsetText, twoDigits as pair } from './time-offset.ts';

/**
 * Date patterns in the letters of carrier manuals (those of Unicode and Java): `dd.MM.yyyy HH:mm`. Quotes hold
 * literals, `T` is one unquoted. Names of months and days are English.
 */
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

/** A local time in parts, as a pattern reads and writes them. */
interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Monday is 1. */
  readonly dayOfWeek: number;
  readonly offsetMinutes: number;
  readonly zone: string;
}

/** What reading finds; a part that the pattern lacks, or the text leaves open, is undefined. */
export type ReadParts = { -readonly [K in keyof TimeParts]?: TimeParts[K] | undefined };

interface Pattern {
  /** Undefined: the text does not have this form. */
  read(text: string): ReadParts | undefined;
  write(parts: TimeParts): string;
  /** Why it cannot be read by, if so: a part of the date is missing. */
  readonly unreadable: string | undefined;
}

interface Field {
  /** Reads so many digits and nothing else. */
  readonly digits?: 2 | 4;
  /** Of a regular expression, without groups that count. */
  readonly form: string;
  read(text: string, into: ReadParts & { pm?: boolean | undefined }): void;
  write(parts: TimeParts): string;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly reason: string };

const compiled = new Map<string, CompiledPattern>();
const COMPILED_MAX = 1_000;
const FORMAT_MAX = 100;

/** Compiles a pattern, once for all that use it. */
export function patternOf(format: string): CompiledPattern {
  const known = compiled.get(format);
  if (known !== undefined) return known;
  const fresh = compile(format);
  if (compiled.size < COMPILED_MAX) compiled.set(format, fresh);
  return fresh;
}

const TOKEN = /([A-Za-z])\1*|'((?:[^']|'')*)'|\s+|[^A-Za-z']/gy;

function compile(format: string): CompiledPattern {
  if (format.length > FORMAT_MAX) return { ok: false, reason: `a time format has at most ${FORMAT_MAX} characters` };
  const parts: (string | Field)[] = [];
  let letters = '';
  let end = 0;
  for (const match of format.matchAll(TOKEN)) {
    end = match.index + match[0].length;
    const [token, letter, quoted] = match;
    if (quoted !== undefined) parts.push(quoted === '' ? "'" : quoted.replaceAll("''", "'"));
    else if (letter === undefined || token === 'T') parts.push(token);
    else {
      const field = fieldOf(letter, token.length);
      if (field === undefined) return { ok: false, reason: `'${token}' means nothing in the time format '${format}'` };
      letters += letter;
      parts.push(field);
    }
  }
  if (end !== format.length) return { ok: false, reason: `a quote is not closed in the time format '${format}'` };
  if (letters === '') return { ok: false, reason: `the time format '${format}' has no letters that stand for a time` };
  return { ok: true, pattern: patternFrom(format, parts, letters) };
}

function patternFrom(format: string, parts: readonly (string | Field)[], letters: string): Pattern {
  const fields = parts.filter((part) => typeof part !== 'string');
  const form = new RegExp(
    `^${parts.map((part) => (typeof part === 'string' ? literal(part) : `(${part.form})`)).join('')}$`,
    'iu',
  );
  const readExactly = exactReader(parts);
  const missing = ['y', 'M', 'd'].filter((letter) => !letters.includes(letter));
  return {
    unreadable:
      missing.length > 0
        ? `the time format '${format}' has no ${missing.join(', no ')}`
        : letters.includes('h') && !letters.includes('a')
          ? `the time format '${format}' has h without a`
          : undefined,
    read(text) {
      const exact = readExactly?.(text);
      if (exact !== undefined) return exact;
      const found = form.exec(text);
      if (found === null) return undefined;
      const into: ReadParts & { pm?: boolean | undefined } = {};
      for (const [at, field] of fields.entries()) field.read(found[at + 1] ?? '', into);
      const { pm, ...read } = into;
      // Of a 12-hour clock; an hour of 24 stands by itself.
      if (pm !== undefined && letters.includes('h') && read.hour !== undefined) {
        // 0 and 13 do not exist there; NaN is refused later, as the 32nd of a month is.
        read.hour = read.hour < 1 || read.hour > 12 ? Number.NaN : (read.hour % 12) + (pm ? 12 : 0);
      }
      return read;
    },
    write(time) {
      let text = '';
      for (const part of parts) text += typeof part === 'string' ? part : part.write(time);
      return text;
    },
  };
}

/**
 * For patterns of nothing but full numbers: reads a text that has every character in its place, without a regular
 * expression. Undefined for any other text, which may still be of the form.
 */
function exactReader(parts: readonly (string | Field)[]): ((text: string) => ReadParts | undefined) | undefined {
  if (parts.some((part) => typeof part !== 'string' && part.digits === undefined)) return undefined;
  const length = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : (part.digits ?? 0)), 0);
  return (text) => {
    if (text.length !== length) return undefined;
    const into: ReadParts = {};
    let at = 0;
    for (const part of parts) {
      if (typeof part === 'string') {
        if (!text.startsWith(part, at)) return undefined;
        at += part.length;
      } else {
        const end = at + (part.digits ?? 0);
        for (let digit = at; digit < end; digit += 1) if (!isDigit(text.charCodeAt(digit))) return undefined;
        part.read(text.slice(at, end), into);
        at = end;
      }
    }
    return into;
  };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(/\s+/g, '\\s+');

type NumberPart = 'month' | 'day' | 'hour' | 'minute' | 'second';

const pad = (value: number, digits: number): string =>
  digits === 2 && value >= 0 ? pair(value) : String(value).padStart(digits, '0');

const twoDigits = (part: NumberPart, count: number): Field | undefined =>
  count > 2
    ? undefined
    : {
        ...(count === 2 && { digits: 2 }),
        form: count === 1 ? String.raw`\d{1,2}` : String.raw`\d{2}`,
        read: (text, into) => void (into[part] = Number(text)),
        write: (parts) => pad(parts[part], count),
      };

/** Whole names and their first three letters are both read. */
const nameField = (names: readonly string[], part: 'month' | 'dayOfWeek', long: boolean): Field => ({
  form: names.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`).join('|'),
  read: (text, into) =>
    void (into[part] =
      names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase()) + 1),
  write: (parts) => {
    const name = names[parts[part] - 1] ?? '';
    return long ? name : name.slice(0, 3);
  },
});

const CENTURY_TURN = 70;

function fieldOf(letter: string, count: number): Field | undefined {
  switch (letter) {
    case 'y':
    case 'u':
      return yearField(count);
    case 'M':
    case 'L':
      return count < 3 ? twoDigits('month', count) : count < 5 ? nameField(MONTHS, 'month', count === 4) : undefined;
    case 'd':
      return twoDigits('day', count);
    case 'E':
      return count < 5 ? nameField(DAYS, 'dayOfWeek', count === 4) : undefined;
    case 'H':
      return twoDigits('hour', count);
    case 'h': {
      const field = twoDigits('hour', count);
      return field && { ...field, write: ({ hour }) => pad(((hour + 11) % 12) + 1, count) };
    }
    case 'm':
      return twoDigits('minute', count);
    case 's':
      return twoDigits('second', count);
    case 'S':
      return fractionField(count);
    case 'a':
      return {
        form: String.raw`[ap]\.?m\.?`,
        read: (text, into) => void (into.pm = /^p/i.test(text)),
        write: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
      };
    default:
      return zoneField(letter, count);
  }
}

function yearField(count: number): Field | undefined {
  if (count === 2) {
    return {
      digits: 2,
      form: String.raw`\d{2}`,
      read: (text, into) => void (into.year = Number(text) + (Number(text) < CENTURY_TURN ? 2000 : 1900)),
      write: ({ year }) => pad(year % 100, 2),
    };
  }
  if (count > 4) return undefined;
  return {
    digits: 4,
    form: String.raw`\d{4}`,
    read: (text, into) => void (into.year = Number(text)),
    write: ({ year }) => pad(year, 4),
  };
}

function fractionField(count: number): Field | undefined {
  if (count > 9) return undefined;
  return {
    // Servers drop trailing zeros, or write more digits than their manual says.
    form: String.raw`\d{1,9}`,
    read: (text, into) => void (into.millisecond = Number(text.slice(0, 3).padEnd(3, '0'))),
    write: ({ millisecond }) => pad(millisecond, 3).padEnd(9, '0').slice(0, count),
  };
}

function zoneField(letter: string, count: number): Field | undefined {
  if (letter === 'V' && count === 2) {
    return {
      form: String.raw`[A-Za-z][\w+-]*(?:\/[\w+-]+)*`,
      read: (text, into) => void (into.zone = text),
      write: ({ zone }) => zone,
    };
  }
  if (letter === 'z' && count < 4) {
    return {
      form: String.raw`Z|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?`,
      read: (text, into) => void (into.offsetMinutes = offsetOf(text.replace(/^(?:UTC|GMT|Z)/i, '') || 'Z')),
      write: ({ offsetMinutes }) => (offsetMinutes === 0 ? 'UTC' : `GMT${offsetText(offsetMinutes, ':')}`),
    };
  }
  const colon = (letter === 'Z' && count === 5) || (letter.toUpperCase() === 'X' && count === 3);
  if (!(letter === 'Z' && (count < 4 || count === 5)) && !(letter.toUpperCase() === 'X' && count < 4)) return undefined;
  const hoursAlone = letter.toUpperCase() === 'X' && count === 1;
  return {
    form: String.raw`Z|[+-]\d{2}(?::?\d{2})?`,
    read: (text, into) => void (into.offsetMinutes = offsetOf(text)),
    write({ offsetMinutes }) {
      if (offsetMinutes === 0 && (letter === 'X' || count === 5)) return 'Z';
      const text = offsetText(offsetMinutes, colon ? ':' : '');
      return hoursAlone && text.endsWith('00') ? text.slice(0, 3) : text;
    },
  };
}
