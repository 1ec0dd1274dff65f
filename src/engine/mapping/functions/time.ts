import { parseDuration } from '../../duration.ts';
import { isCountry } from '../../validate.ts';
import type { EvaluationContext } from '../mapping.ts';
import { isoAt, parseTime, writeTime } from '../time-format.ts';
import { zonedAt } from '../../time-zone.ts';
import { define, misuse, optional, predicate, text, texts, wholeNumber } from './function.ts';

const time = define({
  name: 'time',
  doc: 'Parses a time in one of the carrier’s formats and returns it in ISO 8601 with an offset. `formats` and `zone` default to those of the profile; `iso` is always tried last. A format is a pattern of letters (`dd.MM.yyyy HH:mm`, see below), `iso`, `epoch` (seconds since 1970), `epochMs` or `net` (`/Date(…)/`). If a local time occurs twice, the earlier one is used.',
  refuses:
    'a text in none of the formats, invalid dates, local times skipped by a DST change, and years before 1980 or after 2199 (usually placeholders)',
  parameters: [text('text'), optional(texts('formats')), optional(text('zone'))],
  gives: 'text',
  examples: [
    { expression: "$time('8/17/2021 7:11:26 PM')", result: '2021-08-17T19:11:26+02:00' },
    {
      expression: "$time('02.05.26 14:30', 'dd.MM.yy HH:mm', 'Australia/Sydney')",
      result: '2026-05-02T14:30:00+10:00',
    },
    { expression: "$time(1767225600, ['epoch'], 'UTC')", result: '2026-01-01T00:00:00Z' },
    { expression: "$time('2026-05-02T05:48:00.000Z')", result: '2026-05-02T05:48:00Z' },
  ],
  call(written, formats, zone, context) {
    const parsed = parseTime(written, formats ?? context.time.formats, zone ?? context.time.zone);
    if (parsed.ok) return isoAt(parsed.instantMs, parsed.zone);
    throw misuse(`$time: ${parsed.reason}`, { argument: ['text', 'format', 'zone'].indexOf(parsed.about) });
  },
});

const formatTime = define({
  name: 'formatTime',
  doc: 'Formats a time (ISO 8601) for the carrier, local to `zone` (default: that of the profile). A format is a pattern of letters, `iso`, `epoch`, `epochMs` or `net`.',
  refuses: 'what is no time in ISO 8601',
  parameters: [text('time'), text('format'), optional(text('zone'))],
  gives: 'text',
  examples: [
    { expression: "$formatTime(now, 'yyyyMMdd')", given: { now: '2026-03-02T12:00:00Z' }, result: '20260302' },
    {
      expression: "$formatTime('2026-03-02T23:30:00Z', \"EEE d MMM yyyy 'at' h:mm a\")",
      result: 'Tue 3 Mar 2026 at 12:30 AM',
    },
    { expression: "$formatTime('2026-03-02T12:00:00Z', 'iso', 'Asia/Kolkata')", result: '2026-03-02T17:30:00+05:30' },
  ],
  call(given, format, zone, context) {
    const written = writeTime(momentOf('formatTime', given, context).instantMs, format, zone ?? context.time.zone);
    if (written.ok) return written.text;
    throw misuse(`$formatTime: ${written.reason}`, { argument: written.about === 'zone' ? 2 : 1 });
  },
});

const addTime = define({
  name: 'addTime',
  doc: 'Adds a duration (`500ms`, `30s`, `5m`, `2h`, `45d`, or negative: `-2h`) to a time and returns it in ISO 8601. Days are calendar days, also across DST changes.',
  refuses: 'what is no time in ISO 8601, or no duration',
  parameters: [text('time'), text('duration', 'a duration')],
  gives: 'text',
  examples: [
    { expression: "$addTime(now, '1d')", given: { now: '2026-03-02T12:00:00Z' }, result: '2026-03-03T12:00:00Z' },
    { expression: "$addTime('2026-03-02T12:00:00+01:00', '-2h')", result: '2026-03-02T10:00:00+01:00' },
  ],
  call(given, duration, context) {
    const earlier = duration.trim().startsWith('-');
    const size = parseDuration(duration.trim().replace(/^[+-]/, ''));
    if (size === undefined) throw misuse('$addTime needs a duration such as 30s, 5m, 2h or -1d', { argument: 1 });
    const { instantMs, zone } = momentOf('addTime', given, context);
    const sign = earlier ? -1 : 1;
    const later = duration.trim().endsWith('d')
      ? zonedAt(instantMs, zone).add({ days: (sign * size) / DAY_MS }).epochMilliseconds
      : instantMs + sign * size;
    return isoAt(later, zone);
  },
});

const DAY_MS = 86_400_000;
const WORKDAYS_MAX = 1_000;

const workday = define({
  name: 'workday',
  doc: 'The same time of day, *n* working days later; 0 means this day if it is a working day, otherwise the next. Days are counted in the time zone of the profile. `country` decides which days are the weekend (default: Saturday and Sunday). Public holidays count as working days.',
  refuses: 'what is no time in ISO 8601, and what is no country code',
  parameters: [text('time'), wholeNumber('n', -WORKDAYS_MAX, WORKDAYS_MAX), optional(text('country'))],
  gives: 'text',
  examples: [
    { expression: '$workday(now, 0)', given: { now: '2026-03-07T12:00:00Z' }, result: '2026-03-09T13:00:00+01:00' },
    { expression: "$workday('2026-03-05T09:00:00', 2)", result: '2026-03-09T09:00:00+01:00' },
    { expression: "$workday('2026-03-05T09:00:00', 1, 'SA')", result: '2026-03-08T09:00:00+01:00' },
  ],
  call(given, n, country, context) {
    const weekend = weekendOf(country);
    const step = { days: n < 0 ? -1 : 1 };
    let day = zonedAt(momentOf('workday', given, context).instantMs, context.time.zone);
    for (let left = Math.abs(n); left > 0;) {
      day = day.add(step);
      if (!weekend.has(day.dayOfWeek)) left -= 1;
    }
    while (weekend.has(day.dayOfWeek)) day = day.add(step);
    return isoAt(day.epochMilliseconds, context.time.zone);
  },
});

/** Days of the week, Monday 1; as the Unicode locale data has them. */
function weekendOf(country: string | undefined): ReadonlySet<number> {
  if (country === undefined) return new Set([6, 7]);
  if (!isCountry(country))
    throw misuse('$workday needs a country code of ISO 3166-1 alpha-2, such as DE', { argument: 2 });
  return new Set((new Intl.Locale(`und-${country}`) as unknown as WeekOfLocale).getWeekInfo().weekend);
}

/** Not in the types of ECMAScript yet. */
interface WeekOfLocale {
  getWeekInfo(): { readonly weekend: readonly number[] };
}

/** A time that is ours: `now`, a time of the consignment, what `$time` gave. Without an offset it is local to the profile's zone. */
function momentOf(
  name: string,
  given: string,
  { time: { zone } }: EvaluationContext,
): { instantMs: number; zone: string } {
  const parsed = parseTime(given, [], zone);
  if (parsed.ok) return parsed;
  throw misuse(`$${name} needs a time in ISO 8601, which $time makes of others: ${parsed.reason}`, {
    argument: parsed.about === 'text' ? 0 : undefined,
    said: parsed.reason,
  });
}

const isTime = predicate(
  {
    name: 'isTime',
    doc: 'Whether `$time` takes the text.',
    parameters: [text('text'), optional(texts('formats')), optional(text('zone'))],
    examples: [
      { expression: "$isTime('2026-05-02 14:30:00')", result: true },
      { expression: "$isTime('in the morning')", result: false },
    ],
  },
  time,
);

export const TIMES = [time, formatTime, addTime, workday, isTime];
