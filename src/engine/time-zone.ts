import { Temporal } from 'temporal-polyfill';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The last that a Date holds. */
const INSTANT_MAX = 1e8 * DAY_MS;

// Intl also knows abbreviations such as IST, which name no zone of the database, or several.
const SHORT_ZONES = new Set(
  (
    'UTC GMT GMT0 GMT+0 GMT-0 UCT Zulu Universal Greenwich EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT WET CET MET EET ' +
    'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC ' +
    'Poland Portugal ROC ROK Singapore Turkey W-SU'
  ).split(' '),
);

/** What Intl knows of a zone. A formatter takes a hundred times as long to create as to use, and an offset the same again. */
interface Zone {
  /** A name of the database, and neither an offset nor an abbreviation. */
  readonly isNamed: boolean;
  readonly formatter: Intl.DateTimeFormat;
  /** Minutes by day of UTC since 1970; NaN for a day on which the clocks change. They never do so twice. */
  readonly days: Map<number, number>;
}

/** Both bounded, because names and times come from outside. */
const zones = new Map<string, Zone | undefined>();
const ZONES_MAX = 1_000;
const DAYS_MAX = 400;

/** Undefined for a zone that Intl does not know. Offsets such as `+05:30` are zones here. */
function zoneOf(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known !== undefined || zones.has(name)) return known;
  let zone: Zone | undefined;
  try {
    // Asked this way because Intl.supportedValuesOf('timeZone') lacks names in daily use, Asia/Kolkata among them.
    const formatter = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
    zone = { isNamed: isZoneName(name), formatter, days: new Map() };
  } catch {
    zone = undefined;
  }
  if (zones.size >= ZONES_MAX) zones.clear();
  zones.set(name, zone);
  return zone;
}

const isZoneName = (text: string): boolean =>
  /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(text) && (text.includes('/') || SHORT_ZONES.has(text));

/** A name of the IANA time zone database. Offsets such as `+05:30` are none. */
export const isTimeZone = (text: string): boolean =>
  zones.get(text)?.isNamed ?? (text.length <= 64 && isZoneName(text) && zoneOf(text) !== undefined);

/** Minutes by which the clocks of a zone (IANA, or an offset like `+02:00`) are ahead of UTC at an instant. */
export function offsetAt(instantMs: number, name: string): number {
  if (name === 'UTC') return 0;
  const zone = zoneOf(name);
  if (zone === undefined) throw new RangeError(`'${name}' is not a time zone`);
  const day = Math.floor(instantMs / DAY_MS);
  let minutes = zone.days.get(day);
  if (minutes === undefined) {
    const start = readOffset(zone, day * DAY_MS);
    minutes = start === readOffset(zone, Math.min((day + 1) * DAY_MS, INSTANT_MAX)) ? start : Number.NaN;
    if (zone.days.size >= DAYS_MAX) zone.days.clear();
    zone.days.set(day, minutes);
  }
  return Number.isNaN(minutes) ? readOffset(zone, instantMs) : minutes;
}

function readOffset({ formatter }: Zone, instantMs: number): number {
  // `5/2/2026, GMT-03:30`
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(formatter.format(instantMs)) ?? [];
  const total = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -total : total;
}

/**
 * The instant of a local time, given as if it were UTC; undefined for one that the clocks skip. Where they are set back
 * and it occurs twice, `twice` says which one counts.
 */
export function instantOf(localMs: number, zone: string, twice: 'earlier' | 'later' = 'earlier'): number | undefined {
  const offsets = [offsetAt(localMs - DAY_MS, zone), offsetAt(localMs + DAY_MS, zone)].toSorted((a, b) => a - b);
  // The greater offset gives the earlier instant.
  for (const offset of twice === 'earlier' ? offsets.toReversed() : offsets) {
    const instantMs = localMs - offset * MINUTE_MS;
    if (offsetAt(instantMs, zone) === offset) return instantMs;
  }
  return undefined;
}

/** `YYYY-MM-DD`. */
export const localDay = (instantMs: number, zone: string): string =>
  new Date(instantMs + offsetAt(instantMs, zone) * MINUTE_MS).toISOString().slice(0, 10);

export const zonedAt = (instantMs: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
