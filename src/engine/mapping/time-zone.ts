import { Temporal } from 'temporal-polyfill';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Asking Temporal takes tens of microseconds. What it said of a zone: by day of UTC, and of days with a change by minute. */
interface Known {
  /** Minutes; NaN for a day on which the clocks change. They never do so twice. */
  readonly days: Map<number, number>;
  /** Clocks change on full minutes: those of St. John’s once did a minute past midnight. */
  readonly minutes: Map<number, number>;
}

const zones = new Map<string, Known>();
let answers = 0;
const ANSWERS_MAX = 20_000;

/** Minutes by which the clocks of a zone (IANA, or an offset like `+02:00`) are ahead of UTC at an instant. */
export function offsetAt(instantMs: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const known = zones.get(zone) ?? newZone(zone);
  const day = Math.floor(instantMs / DAY_MS);
  const ofDay = known.days.get(day) ?? kept(known.days, day, offsetOfDay(day, zone));
  if (!Number.isNaN(ofDay)) return ofDay;
  const minute = Math.floor(instantMs / MINUTE_MS);
  return known.minutes.get(minute) ?? kept(known.minutes, minute, askedAt(minute * MINUTE_MS, zone));
}

function newZone(zone: string): Known {
  if (answers >= ANSWERS_MAX) {
    zones.clear();
    answers = 0;
  }
  const known: Known = { days: new Map(), minutes: new Map() };
  answers += 1;
  zones.set(zone, known);
  return known;
}

function kept(among: Map<number, number>, key: number, minutes: number): number {
  if (answers < ANSWERS_MAX) {
    answers += 1;
    among.set(key, minutes);
  } else {
    zones.clear();
    answers = 0;
  }
  return minutes;
}

function offsetOfDay(day: number, zone: string): number {
  const [first, last] = [askedAt(day * DAY_MS, zone), askedAt((day + 1) * DAY_MS - MINUTE_MS, zone)];
  return first === last ? first : Number.NaN;
}

const askedAt = (instantMs: number, zone: string): number =>
  Math.round(zonedAt(instantMs, zone).offsetNanoseconds / 60e9);

/**
 * The instant of a local time, given as if it were UTC. Of a time that comes twice the earlier; undefined for one that
 * the clocks jump over.
 */
export function instantOf(localMs: number, zone: string): number | undefined {
  const before = instantBy(localMs, offsetAt(localMs - DAY_MS, zone), zone);
  const after = instantBy(localMs, offsetAt(localMs + DAY_MS, zone), zone);
  return before === undefined || (after !== undefined && after < before) ? after : before;
}

/** The instant, if the offset is that of the zone then. */
function instantBy(localMs: number, offset: number, zone: string): number | undefined {
  const instantMs = localMs - offset * MINUTE_MS;
  return offsetAt(instantMs, zone) === offset ? instantMs : undefined;
}

export const zonedAt = (instantMs: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
