import { Temporal } from 'temporal-polyfill';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Clocks change on quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;

/** Zone and quarter of an hour → minutes: asking the zone takes tens of microseconds, and most times are of today. */
const offsets = new Map<string, number>();
const OFFSETS_MAX = 5_000;

/** Minutes by which the clocks of a zone (IANA, or an offset like `+02:00`) are ahead of UTC at an instant. */
export function offsetAt(instantMs: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const quarter = Math.floor(instantMs / QUARTER_MS);
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const minutes = Math.round(zonedAt(quarter * QUARTER_MS, zone).offsetNanoseconds / 60e9);
  if (offsets.size >= OFFSETS_MAX) offsets.clear();
  offsets.set(key, minutes);
  return minutes;
}

/**
 * The instant of a local time, given as if it were UTC. Of a time that comes twice the earlier; undefined for one that
 * the clocks jump over.
 */
export function instantOf(localMs: number, zone: string): number | undefined {
  const around = [offsetAt(localMs - DAY_MS, zone), offsetAt(localMs + DAY_MS, zone)];
  const instants = around
    .filter((offset) => offsetAt(localMs - offset * MINUTE_MS, zone) === offset)
    .map((offset) => localMs - offset * MINUTE_MS);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

export const zonedAt = (instantMs: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
