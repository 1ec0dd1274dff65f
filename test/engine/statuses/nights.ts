import { normalise } from '../../../src/engine/statuses/normalise.ts';
import { exampleCarrier } from './carrier.ts';

interface Night {
  readonly zone: string;
  /** When the clocks change. */
  readonly at: string;
  /** By how many minutes; negative: they are set back. */
  readonly byMinutes: number;
}

/** Forward and back, by an hour and by half of one, in the middle of the night and at midnight. */
const NIGHTS: readonly Night[] = [
  { zone: 'Europe/Berlin', at: '2026-03-29T01:00:00Z', byMinutes: 60 },
  { zone: 'Europe/Berlin', at: '2026-10-25T01:00:00Z', byMinutes: -60 },
  { zone: 'America/New_York', at: '2026-03-08T07:00:00Z', byMinutes: 60 },
  { zone: 'America/New_York', at: '2026-11-01T06:00:00Z', byMinutes: -60 },
  { zone: 'Australia/Lord_Howe', at: '2026-04-04T15:00:00Z', byMinutes: -30 },
  { zone: 'Australia/Lord_Howe', at: '2026-10-03T15:30:00Z', byMinutes: 30 },
  { zone: 'America/Santiago', at: '2026-04-05T03:00:00Z', byMinutes: -60 },
  { zone: 'America/Santiago', at: '2026-09-06T04:00:00Z', byMinutes: 60 },
];
const AROUND_MS = 5 * 3_600_000;
const EVERY_MS = 7 * 60_000;

const localTime = (atMs: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(atMs);

/**
 * Has carriers write events in local time all through these nights. Each is read as the moment at which it happened,
 * but in the stretch that comes twice, where it may be the first of the two; never as one that nobody can read.
 */
export const checkNights = (): { readonly read: number; readonly wrong: readonly string[] } => {
  const wrong: string[] = [];
  let read = 0;
  for (const { zone, at, byMinutes } of NIGHTS) {
    const changeMs = Date.parse(at);
    const backMs = Math.max(0, -byMinutes) * 60_000;
    for (let atMs = changeMs - AROUND_MS; atMs < changeMs + AROUND_MS; atMs += EVERY_MS) {
      const statusReceivedAt = localTime(atMs, zone);
      const update = { value: 'T1', carrierStatusCode: 'IN_TRANSIT', statusReceivedAt, eventTimezone: zone };
      const { occurredAtMs, warnings } = normalise(exampleCarrier(), update, 0);
      const isSecond = atMs >= changeMs && atMs < changeMs + backMs;
      read += 1;
      if (occurredAtMs !== (isSecond ? atMs - backMs : atMs) || warnings.length > 0)
        wrong.push(
          `${statusReceivedAt} in ${zone} is read as ${new Date(occurredAtMs).toISOString()} ${warnings.join()}`,
        );
    }
  }
  return { read, wrong };
};
