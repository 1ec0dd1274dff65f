/** A moment on the clocks of a zone. `local` says the time of day there by its UTC getters. */
export interface LocalTime {
  readonly instantMs: number;
  readonly local: Date;
  readonly offsetMinutes: number;
  readonly zone: string;
}

/** What reading finds; a part that the format lacks, or the text leaves open, is undefined. Monday is 1. */
export type TimeParts = {
  [part in NumberPart | 'year' | 'millisecond' | 'dayOfWeek' | 'offsetMinutes']?: number | undefined;
} & { zone?: string; pm?: boolean };
type NumberPart = 'month' | 'day' | 'hour' | 'minute' | 'second';

export interface TimePattern {
  /** Parts of a local time, or milliseconds since 1970. Undefined: the text does not have this form. */
  read(text: string): TimeParts | number | undefined;
  write(time: LocalTime): string;
  /** Why times cannot be read by it, if so: a part of the date is missing. */
  readonly unreadable?: string | undefined;
}

/** Monday is 1. */
export const dayOfWeekOf = (local: Date): number => local.getUTCDay() || 7;

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');
const PAIRS = Array.from({ length: 100 }, (_, value) => pad(value, 2));
/** Two digits of a number below 100: times are written all day. */
const pair = (value: number): string => PAIRS[value] ?? String(value);
const millisecondsOf = (fraction: string): number => Number(fraction.slice(0, 3).padEnd(3, '0'));

/** `Z`, `+2`, `+0200`, `+02:00` → minutes; NaN for what no place on earth has. */
function offsetOf(text: string): number {
  if (text === 'Z' || text === 'z') return 0;
  const found = /^[+-](\d{1,2}):?(\d{2})?$/.exec(text);
  const [hours, minutes] = [Number(found?.[1]), Number(found?.[2] ?? 0)];
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > 14 * 60) return Number.NaN;
  return text.startsWith('-') ? -total : total;
}

/** `+02:00`, with what stands between hours and minutes. */
export function offsetText(minutes: number, between: string): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pair(Math.floor(size / 60))}${between}${pair(size % 60)}`;
}

// Named formats ------------------------------------------------------------------------------------------------------

const ISO_FORM =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?(?:\[[\w/+-]{1,60}\])?)?$/i;

const isoYear = (year: number): string =>
  year >= 0 && year <= 9999 ? pad(year, 4) : `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}`;

export const ISO: TimePattern = {
  read(text) {
    const found = ISO_FORM.exec(text);
    if (found === null) return undefined;
    const fraction = found[8];
    const offset = found[9];
    return {
      year: Number(found[1]),
      month: Number(found[3]),
      day: Number(found[4]),
      hour: Number(found[5] ?? 0),
      minute: Number(found[6] ?? 0),
      second: Number(found[7] ?? 0),
      millisecond: fraction === undefined ? 0 : millisecondsOf(fraction),
      offsetMinutes: offset === undefined ? undefined : offsetOf(offset),
    };
  },
  write({ local, offsetMinutes }) {
    const day = `${isoYear(local.getUTCFullYear())}-${pair(local.getUTCMonth() + 1)}-${pair(local.getUTCDate())}`;
    const time = `${pair(local.getUTCHours())}:${pair(local.getUTCMinutes())}:${pair(local.getUTCSeconds())}`;
    const milliseconds = local.getUTCMilliseconds();
    const fraction = milliseconds === 0 ? '' : `.${pad(milliseconds, 3)}`;
    return `${day}T${time}${fraction}${offsetMinutes === 0 ? 'Z' : offsetText(offsetMinutes, ':')}`;
  },
};

/** Formats by name; those of letters join them as they are compiled. A string says why a format is none. */
const patterns = new Map<string, TimePattern | string>([
  ['iso', ISO],
  [
    'epoch',
    {
      read: (text) => (/^-?\d{1,11}(?:\.\d{1,9})?$/.test(text) ? Math.round(Number(text) * 1000) : undefined),
      write: ({ instantMs }) => String(Math.floor(instantMs / 1000)),
    },
  ],
  [
    'epochMs',
    {
      read: (text) => (/^-?\d{1,14}$/.test(text) ? Number(text) : undefined),
      write: ({ instantMs }) => String(instantMs),
    },
  ],
  [
    'net',
    {
      // The offset of `/Date(0+0200)/` says where it was written; the number is the instant.
      read(text) {
        const found = /^\\?\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/.exec(text);
        return found === null ? undefined : Number(found[1]);
      },
      write: ({ instantMs }) => `/Date(${instantMs})/`,
    },
  ],
]);

// Letters ------------------------------------------------------------------------------------------------------------

interface Field {
  /** Of a regular expression, without capturing groups. */
  readonly form: string;
  read(text: string, into: TimeParts): void;
  write(time: LocalTime): string;
}

const FIELDS = new Map<string, Field>();
const define = (tokens: string, field: Field): void => {
  for (const token of tokens.split(' ')) FIELDS.set(token, field);
};

const defineNumber = (letter: string, part: NumberPart, valueOf: (local: Date) => number): void => {
  for (const digits of [1, 2]) {
    define(letter.repeat(digits), {
      form: digits === 1 ? String.raw`\d{1,2}` : String.raw`\d{2}`,
      read: (text, into) => void (into[part] = Number(text)),
      write: ({ local }) => (digits === 1 ? String(valueOf(local)) : pair(valueOf(local))),
    });
  }
};
for (const letter of ['M', 'L']) defineNumber(letter, 'month', (local) => local.getUTCMonth() + 1);
defineNumber('d', 'day', (local) => local.getUTCDate());
defineNumber('H', 'hour', (local) => local.getUTCHours());
defineNumber('h', 'hour', (local) => ((local.getUTCHours() + 11) % 12) + 1);
defineNumber('m', 'minute', (local) => local.getUTCMinutes());
defineNumber('s', 'second', (local) => local.getUTCSeconds());

/** English. Whole names and their first three letters are both read, whichever is written. */
const defineName = (
  { short, long }: { readonly short: string; readonly long: string },
  part: 'month' | 'dayOfWeek',
  names: readonly string[],
  indexOf: (local: Date) => number,
): void => {
  const form = names.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`).join('|');
  const read: Field['read'] = (text, into) =>
    void (into[part] =
      names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase()) + 1);
  define(short, { form, read, write: ({ local }) => names[indexOf(local)]?.slice(0, 3) ?? '' });
  define(long, { form, read, write: ({ local }) => names[indexOf(local)] ?? '' });
};
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
defineName({ short: 'MMM LLL', long: 'MMMM LLLL' }, 'month', MONTHS, (local) => local.getUTCMonth());
defineName({ short: 'E EE EEE', long: 'EEEE' }, 'dayOfWeek', DAYS, (local) => dayOfWeekOf(local) - 1);
define('y yyy yyyy u uuu uuuu', {
  form: String.raw`\d{4}`,
  read: (text, into) => void (into.year = Number(text)),
  write: ({ local }) => pad(local.getUTCFullYear(), 4),
});
define('yy uu', {
  form: String.raw`\d{2}`,
  read: (text, into) => void (into.year = Number(text) + (Number(text) < 70 ? 2000 : 1900)),
  write: ({ local }) => pad(local.getUTCFullYear() % 100, 2),
});
define('a', {
  form: String.raw`[ap]\.?m\.?`,
  read: (text, into) => void (into.pm = /^p/i.test(text)),
  write: ({ local }) => (local.getUTCHours() < 12 ? 'AM' : 'PM'),
});
for (let digits = 1; digits <= 9; digits += 1) {
  define('S'.repeat(digits), {
    // Servers drop trailing zeros, or write more digits than their manual says.
    form: String.raw`\d{1,9}`,
    read: (text, into) => void (into.millisecond = millisecondsOf(text)),
    write: ({ local }) => pad(local.getUTCMilliseconds(), 3).padEnd(9, '0').slice(0, digits),
  });
}
define('VV', {
  form: String.raw`[A-Za-z][\w+-]*(?:\/[\w+-]+)*`,
  read: (text, into) => void (into.zone = text),
  write: ({ zone }) => zone,
});
define('z zz zzz', {
  form: String.raw`Z|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?`,
  read: (text, into) => void (into.offsetMinutes = offsetOf(text.replace(/^(?:UTC|GMT|Z)/i, '') || 'Z')),
  write: ({ offsetMinutes }) => (offsetMinutes === 0 ? 'UTC' : `GMT${offsetText(offsetMinutes, ':')}`),
});

const defineOffset = (tokens: string, textOf: (minutes: number) => string): void =>
  define(tokens, {
    form: String.raw`Z|[+-]\d{2}(?::?\d{2})?`,
    read: (text, into) => void (into.offsetMinutes = offsetOf(text)),
    write: ({ offsetMinutes }) => textOf(offsetMinutes),
  });
const hours = (minutes: number): string => offsetText(minutes, '').replace(/00$/, '');
defineOffset('x', hours);
defineOffset('X', (minutes) => (minutes === 0 ? 'Z' : hours(minutes)));
defineOffset('xx Z ZZ ZZZ', (minutes) => offsetText(minutes, ''));
defineOffset('XX', (minutes) => (minutes === 0 ? 'Z' : offsetText(minutes, '')));
defineOffset('xxx', (minutes) => offsetText(minutes, ':'));
defineOffset('XXX ZZZZZ', (minutes) => (minutes === 0 ? 'Z' : offsetText(minutes, ':')));

// Formats of letters -------------------------------------------------------------------------------------------------

const PATTERNS_MAX = 1_000;
const FORMAT_MAX = 100;

/**
 * A format by its name, or in the letters of carrier manuals (those of Unicode and Java): `dd.MM.yyyy HH:mm`. Quotes
 * hold literals, `T` is one unquoted. A string says why it is no format.
 */
export function timePatternOf(format: string): TimePattern | string {
  const known = patterns.get(format);
  if (known !== undefined) return known;
  const compiled = compile(format);
  if (patterns.size < PATTERNS_MAX) patterns.set(format, compiled);
  return compiled;
}

const TOKEN = /([A-Za-z])\1*|'((?:[^']|'')*)'|\s+|[^A-Za-z']/gy;

function compile(format: string): TimePattern | string {
  if (format.length > FORMAT_MAX) return `a time format has at most ${FORMAT_MAX} characters`;
  const parts: (string | Field)[] = [];
  const letters = new Set<string>();
  let twice: string | undefined;
  let end = 0;
  for (const { 0: token, 1: letter, 2: quoted, index } of format.matchAll(TOKEN)) {
    end = index + token.length;
    if (quoted !== undefined || letter === undefined || token === 'T') {
      const text = quoted === '' ? "'" : (quoted?.replaceAll("''", "'") ?? token);
      const last = parts.at(-1);
      // Side by side, two blanks that each stand for many could share them in many ways.
      if (typeof last === 'string') parts[parts.length - 1] = last + text;
      else parts.push(text);
    } else {
      const field = FIELDS.get(letter === 'a' ? 'a' : token);
      if (field === undefined) return `'${token}' means nothing in the time format '${format}'`;
      if (letters.has(letter)) twice ??= letter;
      letters.add(letter);
      parts.push(field);
    }
  }
  if (end !== format.length) return `a quote is not closed in the time format '${format}'`;
  if (letters.size === 0) return `the time format '${format}' has no letters that stand for a time`;
  const missing = ['y', 'M', 'd'].filter((letter) => !letters.has(letter));
  const lacks = missing.length > 0 ? `no ${missing.join(', no ')}` : undefined;
  const has =
    lacks ??
    (letters.has('h') && !letters.has('a') ? 'h without a' : undefined) ??
    (twice === undefined ? undefined : `${twice} twice`);
  return {
    unreadable: has === undefined ? undefined : `the time format '${format}' has ${has}`,
    read: readerOf(parts, letters.has('h')),
    write(time) {
      let text = '';
      for (const part of parts) text += typeof part === 'string' ? part : part.write(time);
      return text;
    },
  };
}

function readerOf(parts: readonly (string | Field)[], twelveHours: boolean): TimePattern['read'] {
  const fields = parts.filter((part) => typeof part !== 'string');
  const form = new RegExp(
    `^${parts.map((part) => (typeof part === 'string' ? literal(part) : `(${part.form})`)).join('')}$`,
    'iu',
  );
  return (text) => {
    const found = form.exec(text);
    if (found === null) return undefined;
    const read: TimeParts = {};
    for (let at = 0; at < fields.length; at += 1) fields[at]?.read(found[at + 1] ?? '', read);
    if (twelveHours && read.pm !== undefined && read.hour !== undefined) {
      // 0 and 13 do not exist there; NaN is refused later, as the 32nd of a month is.
      read.hour = read.hour < 1 || read.hour > 12 ? Number.NaN : (read.hour % 12) + (read.pm ? 12 : 0);
    }
    return read;
  };
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(/\s+/g, '\\s+');
