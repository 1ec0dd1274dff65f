import { isTimeZone, instantOf, offsetAt } from '../time-zone.ts';
import { offsetOf, offsetText, twoDigits } from './time-offset.ts';
import { patternOf, type ReadParts } from './time-pattern.ts';

interface Moment {
  readonly ok: true;
  readonly instantMs: number;
  /** The zone that was used: the one given, or what the text itself says (`UTC`, `+02:00`). */
  readonly zone: string;
}

type Refused = { readonly ok: false; readonly reason: string };
export type FoundTime = Moment | Refused;
/** `iso` is ISO 8601 with the offset of the text, else of the zone; `Z` for none; milliseconds where there are any. */
export type ParsedTime = (Moment & { readonly iso: string }) | Refused;

/** Formats that are not letters: ISO 8601, seconds and milliseconds since 1970, `/Date(…)/`. */
const NAMED_FORMATS = ['iso', 'epoch', 'epochMs', 'net'] as const;

const TEXT_MAX = 100;
/** Outside of these a time is a placeholder (0001-01-01, 1970-01-01, 9999-12-31) or read by the wrong format. */
const [YEAR_MIN, YEAR_MAX] = [1980, 2199];

/** Why a text is no time format, or undefined when it is one that times can be read by. */
export function unreadableFormat(format: string): string | undefined {
  if ((NAMED_FORMATS as readonly string[]).includes(format)) return undefined;
  const compiled = patternOf(format);
  return compiled.ok ? compiled.pattern.unreadable : compiled.reason;
}

/**
 * Reads a time by the first of the formats that fits and makes sense, `iso` always last. A time without an offset is
 * local to `zone` (IANA); one that the clocks jump over is refused, one that comes twice is the earlier.
 */
export function parseTime(text: string, formats: readonly string[], zone: string): ParsedTime {
  const found = findTime(text, formats, zone);
  return found.ok ? { ...found, iso: isoAt(found.instantMs, found.zone) } : found;
}

/** As `parseTime`, without writing the time anew. */
export function findTime(text: string, formats: readonly string[], zone: string): FoundTime {
  if (!isTimeZone(zone)) return { ok: false, reason: `'${zone.slice(0, 40)}' is not a time zone` };
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, reason: 'the text is empty' };
  if (trimmed.length > TEXT_MAX) return { ok: false, reason: `the text has more than ${TEXT_MAX} characters` };
  let nonsense: string | undefined;
  for (const format of formats) {
    if (format === 'iso') continue;
    const unreadable = unreadableFormat(format);
    if (unreadable !== undefined) return { ok: false, reason: unreadable };
    const moment = readAs(trimmed, format, zone);
    if (moment?.ok === true) return moment;
    nonsense ??= moment?.reason;
  }
  const moment = readAs(trimmed, 'iso', zone);
  if (moment?.ok === true) return moment;
  const tried = [...formats.filter((format) => format !== 'iso'), 'iso'].join(', ');
  return { ok: false, reason: nonsense ?? moment?.reason ?? `the text has none of the forms ${tried}` };
}

/** Undefined: the text does not have this form. */
function readAs(text: string, format: string, zone: string): FoundTime | undefined {
  const parts = read(text, format);
  if (parts === undefined) return undefined;
  return typeof parts === 'number' ? instant(parts, zone) : momentOf(parts, zone);
}

/** Parts of a local time, or milliseconds since 1970. */
function read(text: string, format: string): ReadParts | number | undefined {
  switch (format) {
    case 'iso':
      return readPlainIso(text) ?? readIso(text);
    case 'epoch':
      return /^-?\d{1,11}(?:\.\d{1,9})?$/.test(text) ? Math.round(Number(text) * 1000) : undefined;
    case 'epochMs':
      return /^-?\d{1,14}$/.test(text) ? Number(text) : undefined;
    case 'net':
      return readNet(text);
    default: {
      const compiled = patternOf(format);
      return compiled.ok ? compiled.pattern.read(text) : undefined;
    }
  }
}

/** `2026-05-02T05:48:00Z`, `2026-05-02 05:48:00.000+02:00`: as almost all are written. Undefined for any other. */
function readPlainIso(text: string): ReadParts | undefined {
  const { length } = text;
  if (length < 19 || length > 29) return undefined;
  const between = text.charCodeAt(10);
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || (between !== LETTER_T && between !== BLANK)) {
    return undefined;
  }
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined;
  const hasFraction = text.charCodeAt(19) === POINT;
  const end = hasFraction ? 23 : 19;
  const offsetMinutes = length === end ? undefined : plainOffset(text, end);
  const read: ReadParts = {
    year: digitsAt(text, 0) * 100 + digitsAt(text, 2),
    month: digitsAt(text, 5),
    day: digitsAt(text, 8),
    hour: digitsAt(text, 11),
    minute: digitsAt(text, 14),
    second: digitsAt(text, 17),
    millisecond: hasFraction ? digitsAt(text, 20) * 10 + digitAt(text, 22) : 0,
    offsetMinutes,
  };
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0 } = read;
  const all = year + month + day + hour + minute + second + millisecond + (offsetMinutes ?? 0);
  return Number.isNaN(all) ? undefined : read;
}

const [DASH, COLON, BLANK, LETTER_T, LETTER_Z, PLUS, POINT] = [45, 58, 32, 84, 90, 43, 46] as const;

/** NaN where there is none. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : Number.NaN;
}

const digitsAt = (text: string, at: number): number => digitAt(text, at) * 10 + digitAt(text, at + 1);

/** What stands behind the seconds: `Z`, `+02:00`; NaN for anything else. */
function plainOffset(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  if (text.length === at + 1) return sign === LETTER_Z ? 0 : Number.NaN;
  if (text.length !== at + 6 || text.charCodeAt(at + 3) !== COLON || (sign !== PLUS && sign !== DASH))
    return Number.NaN;
  const [hours, minutes] = [digitsAt(text, at + 1), digitsAt(text, at + 4)];
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return Number.NaN;
  return sign === DASH ? -(hours * 60 + minutes) : hours * 60 + minutes;
}

const ISO =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?(?:\[[\w/+-]{1,60}\])?)?$/i;

function readIso(text: string): ReadParts | undefined {
  const found = ISO.exec(text);
  if (found === null) return undefined;
  const [, year, , month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = found;
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
    offsetMinutes: offset === undefined ? undefined : offsetOf(offset),
  };
}

/** The offset of `/Date(0+0200)/` says where it was written; the number is the instant. */
function readNet(text: string): number | undefined {
  const found = /^\\?\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/.exec(text);
  return found === null ? undefined : Number(found[1]);
}

function momentOf(parts: ReadParts, zone: string): FoundTime {
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0 } = parts;
  const { dayOfWeek, offsetMinutes } = parts;
  if (parts.zone !== undefined && !isTimeZone(parts.zone)) return nonsense('the text names no known time zone');
  if (Number.isNaN(offsetMinutes)) return nonsense('there is no such offset');
  // Before Date.UTC, which takes years below 100 for those of the last century.
  if (year < YEAR_MIN || year > YEAR_MAX) return OTHER_YEAR;
  if (!(hour < 24 && minute < 60 && second < 60)) return nonsense('there is no such time of day');
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  const local = new Date(localMs);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return nonsense('there is no such day');
  if (dayOfWeek !== undefined && dayOfWeekOf(local) !== dayOfWeek) {
    return nonsense('the day of the week is not that of the date');
  }
  if (offsetMinutes !== undefined) {
    return instant(localMs - offsetMinutes * 60_000, offsetMinutes === 0 ? 'UTC' : offsetText(offsetMinutes, ':'));
  }
  const used = parts.zone ?? zone;
  const instantMs = instantOf(localMs, used);
  if (instantMs === undefined) return nonsense(`the clocks of ${used} jumped over this time of day`);
  return instant(instantMs, used);
}

/** Monday is 1. */
const dayOfWeekOf = (utc: Date): number => utc.getUTCDay() || 7;

const nonsense = (reason: string): Refused => ({ ok: false, reason });

const OTHER_YEAR = nonsense(`the year is not between ${YEAR_MIN} and ${YEAR_MAX}`);

function instant(instantMs: number, zone: string): FoundTime {
  const year = new Date(instantMs).getUTCFullYear();
  if (!(year >= YEAR_MIN && year <= YEAR_MAX)) return OTHER_YEAR;
  return { ok: true, instantMs, zone };
}

/** ISO 8601 with the offset of the zone (IANA, or an offset like `+02:00`), `Z` for none; milliseconds where there are any. */
export function isoAt(instantMs: number, zone: string): string {
  const offsetMinutes = offsetAt(instantMs, zone);
  const local = new Date(instantMs + offsetMinutes * 60_000);
  return localText(local) + (offsetMinutes === 0 ? 'Z' : offsetText(offsetMinutes, ':'));
}

/** As `toISOString`, without `Z`, and without milliseconds where there are none. */
function localText(local: Date): string {
  const year = local.getUTCFullYear();
  // With a sign and six digits, or no time at all.
  if (!(year >= 1000 && year <= 9999))
    return local
      .toISOString()
      .slice(0, -1)
      .replace(/\.000$/, '');
  const date = `${year}-${twoDigits(local.getUTCMonth() + 1)}-${twoDigits(local.getUTCDate())}`;
  const time = `${twoDigits(local.getUTCHours())}:${twoDigits(local.getUTCMinutes())}:${twoDigits(local.getUTCSeconds())}`;
  const ms = local.getUTCMilliseconds();
  return ms === 0 ? `${date}T${time}` : `${date}T${time}.${String(ms).padStart(3, '0')}`;
}

export type WrittenTime =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Writes an instant as it is local to `zone`, by letters or a named format. */
export function writeTime(instantMs: number, format: string, zone: string): WrittenTime {
  if (!isTimeZone(zone)) return { ok: false, reason: `'${zone.slice(0, 40)}' is not a time zone` };
  switch (format) {
    case 'iso':
      return { ok: true, text: isoAt(instantMs, zone) };
    case 'epoch':
      return { ok: true, text: String(Math.floor(instantMs / 1000)) };
    case 'epochMs':
      return { ok: true, text: String(instantMs) };
    case 'net':
      return { ok: true, text: `/Date(${instantMs})/` };
    default: {
      const compiled = patternOf(format);
      if (!compiled.ok) return compiled;
      const offsetMinutes = offsetAt(instantMs, zone);
      const local = new Date(instantMs + offsetMinutes * 60_000);
      const text = compiled.pattern.write({
        year: local.getUTCFullYear(),
        month: local.getUTCMonth() + 1,
        day: local.getUTCDate(),
        hour: local.getUTCHours(),
        minute: local.getUTCMinutes(),
        second: local.getUTCSeconds(),
        millisecond: local.getUTCMilliseconds(),
        dayOfWeek: dayOfWeekOf(local),
        offsetMinutes,
        zone,
      });
      return { ok: true, text };
    }
  }
}
