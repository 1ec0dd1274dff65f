import { instantOf, isTimeZone, offsetAt } from '../time-zone.ts';
import { dayOfWeekOf, ISO, type LocalTime, offsetText, timePatternOf, type TimeParts } from './time-pattern.ts';

interface Moment {
  readonly ok: true;
  readonly instantMs: number;
  /** The zone that was used: the one given, or what the text itself says (`UTC`, `+02:00`). */
  readonly zone: string;
}

/** `about`: which of what was given cannot be taken. */
type Refused = { readonly ok: false; readonly reason: string; readonly about: 'text' | 'format' | 'zone' };

const TEXT_MAX = 100;
const ISO_ALONE = ['iso'];
/** Outside of these a time is a placeholder (0001-01-01, 1970-01-01, 9999-12-31) or read by the wrong format. */
const [YEAR_MIN, YEAR_MAX] = [1980, 2199];
const [INSTANT_MIN, INSTANT_END] = [Date.UTC(YEAR_MIN), Date.UTC(YEAR_MAX + 1)];

/** Why a text is no time format, or undefined when it is one that times can be read by. */
export function unreadableFormat(format: string): string | undefined {
  const pattern = timePatternOf(format);
  return typeof pattern === 'string' ? pattern : pattern.unreadable;
}

/**
 * Reads a time by the first of the formats that fits and makes sense, `iso` always last. A time without an offset is
 * local to `zone` (IANA); one that the clocks jump over is refused, one that comes twice is the earlier.
 */
export function parseTime(text: string, formats: readonly string[], zone: string): Moment | Refused {
  if (!isTimeZone(zone)) return noZone(zone);
  const trimmed = text.trim();
  if (trimmed === '') return refused('the text is empty');
  if (trimmed.length > TEXT_MAX) return refused(`the text has more than ${TEXT_MAX} characters`);
  const tried = formats.length === 0 ? ISO_ALONE : [...formats.filter((format) => format !== 'iso'), 'iso'];
  let nonsense: Refused | undefined;
  for (const format of tried) {
    const pattern = timePatternOf(format);
    if (typeof pattern === 'string') return refused(pattern, 'format');
    if (pattern.unreadable !== undefined) return refused(pattern.unreadable, 'format');
    const read = pattern.read(trimmed);
    if (read === undefined) continue;
    const moment = typeof read === 'number' ? inRange(read, zone) : momentOf(read, zone);
    if (moment.ok) return moment;
    nonsense ??= moment;
  }
  return nonsense ?? refused(`the text has none of the forms ${tried.join(', ')}`);
}

function momentOf(parts: TimeParts, zone: string): Moment | Refused {
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0 } = parts;
  const { dayOfWeek, offsetMinutes } = parts;
  if (parts.zone !== undefined && !isTimeZone(parts.zone)) return refused('the text names no known time zone');
  if (Number.isNaN(offsetMinutes)) return refused('there is no such offset');
  // Before Date.UTC, which takes years below 100 for those of the last century.
  if (year < YEAR_MIN || year > YEAR_MAX) return OTHER_YEAR;
  if (!(hour < 24 && minute < 60 && second < 60)) return refused('there is no such time of day');
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  const local = new Date(localMs);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return refused('there is no such day');
  if (dayOfWeek !== undefined && dayOfWeekOf(local) !== dayOfWeek) {
    return refused('the day of the week is not that of the date');
  }
  if (offsetMinutes !== undefined) {
    return inRange(localMs - offsetMinutes * 60_000, offsetMinutes === 0 ? 'UTC' : offsetText(offsetMinutes, ':'));
  }
  const used = parts.zone ?? zone;
  const instantMs = instantOf(localMs, used);
  return instantMs === undefined
    ? refused(`the clocks of ${used} jumped over this time of day`)
    : inRange(instantMs, used);
}

const refused = (reason: string, about: Refused['about'] = 'text'): Refused => ({ ok: false, reason, about });
const noZone = (zone: string): Refused => refused(`'${zone.slice(0, 40)}' is not a time zone`, 'zone');
const OTHER_YEAR = refused(`the year is not between ${YEAR_MIN} and ${YEAR_MAX}`);

function inRange(instantMs: number, zone: string): Moment | Refused {
  return instantMs >= INSTANT_MIN && instantMs < INSTANT_END ? { ok: true, instantMs, zone } : OTHER_YEAR;
}

/** Writes an instant as it is local to `zone`, by letters or a named format. */
export function writeTime(
  instantMs: number,
  format: string,
  zone: string,
): { readonly ok: true; readonly text: string } | Refused {
  if (!isTimeZone(zone)) return noZone(zone);
  const pattern = timePatternOf(format);
  return typeof pattern === 'string'
    ? refused(pattern, 'format')
    : { ok: true, text: pattern.write(localTime(instantMs, zone)) };
}

/** ISO 8601 with the offset of the zone (IANA, or an offset like `+02:00`), `Z` for none; milliseconds where there are any. */
export const isoAt = (instantMs: number, zone: string): string => ISO.write(localTime(instantMs, zone));

function localTime(instantMs: number, zone: string): LocalTime {
  const offsetMinutes = offsetAt(instantMs, zone);
  return { instantMs, local: new Date(instantMs + offsetMinutes * 60_000), offsetMinutes, zone };
}
