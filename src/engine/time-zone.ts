import { Temporal } from 'temporal-polyfill';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

// Intl also knows abbreviations such as IST, which name no zone of the database, or several.
const SHORT_ZONES = new Set(
  (
    'UTC GMT GMT0 GMT+0 GMT-0 UCT Zulu Universal Greenwich EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT WET CET MET EET ' +
    'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC ' +
    'Poland Portugal ROC ROK Singapore Turkey W-SU'
  ).split(' '),
);

/** Creating one takes a hundred times as long as using it. Bounded, because the names come from outside. */
const formatters = new Map<string, Intl.DateTimeFormat | undefined>();
const FORMATTERS_MAX = 1_000;

/** Undefined for a zone that Intl does not know. Offsets such as `+05:30` are zones here. */
function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formatters.get(zone);
  if (known !== undefined || formatters.has(zone)) return known;
  let formatter: Intl.DateTimeFormat | undefined;
  try {
    // Asked this way because Intl.supportedValuesOf('timeZone') lacks names in daily use, Asia/Kolkata among them.
    formatter = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    formatter = undefined;
  }
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

/** A name of the IANA time zone database. Offsets such as `+05:30` are none. */
export function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(text)) return false;
  return (text.includes('/') || SHORT_ZONES.has(text)) && formatterOf(text) !== undefined;
}

/** Minutes by which the clocks of a zone (IANA, or an offset like `+02:00`) are ahead of UTC at an instant. */
export function offsetAt(instantMs: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const formatter = formatterOf(zone);
  if (formatter === undefined) throw new RangeError(`'${zone}' is not a time zone`);
  // `5/2/2026, GMT-03:30`
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(formatter.format(instantMs)) ?? [];
  const total = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -total : total;
}

/**
 * The instant of a local time, given as if it were UTC. A time that occurs twice is the earlier one; undefined for one
 * that the clocks skip.
 */
export function instantOf(localMs: number, zone: string): number | undefined {
  const instants = [-DAY_MS, DAY_MS]
    .map((away) => localMs - offsetAt(localMs + away, zone) * MINUTE_MS)
    .filter((instantMs) => instantMs + offsetAt(instantMs, zone) * MINUTE_MS === localMs);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

export const zonedAt = (instantMs: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
