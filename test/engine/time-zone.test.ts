import * as fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, it } from 'vitest';
import { instantOf, isTimeZone, offsetAt } from '../../src/engine/time-zone.ts';

const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  '+05:45',
);
const times = fc.oneof(
  fc.integer({ min: Date.UTC(1980, 0), max: Date.UTC(2040, 0) }),
  // The weekends on which clocks change in Berlin.
  fc.integer({ min: Date.UTC(2026, 2, 28), max: Date.UTC(2026, 2, 30) }),
  fc.integer({ min: Date.UTC(2026, 9, 24), max: Date.UTC(2026, 9, 26) }),
);

it('the offset is that of the zone at the instant', () => {
  fc.assert(
    fc.property(times, zones, (ms, zone) => {
      const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
      expect(offsetAt(ms, zone)).toBe(offsetNanoseconds / 60e9);
    }),
  );
});

it('the offset is right around every change of the clocks', () => {
  for (const zone of [
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Africa/Casablanca',
  ]) {
    let at = Temporal.Instant.from('2005-01-01T00:00Z').toZonedDateTimeISO(zone);
    for (let changes = 0; changes < 30; changes += 1) {
      const next = at.getTimeZoneTransition('next');
      if (next === null || next === undefined) break;
      at = next;
      for (const away of [-86_400_000, -900_000, -1, 0, 1, 900_000, 86_400_000]) {
        const ms = at.epochMilliseconds + away;
        const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
        expect(offsetAt(ms, zone)).toBe(offsetNanoseconds / 60e9);
      }
    }
  }
});

it('a local time is the earlier of two instants, or none in a gap', () => {
  fc.assert(
    fc.property(times, zones, (ms, zone) => {
      const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDateTime();
      const zoned = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
      const expected = zoned.toPlainDateTime().equals(local) ? zoned.epochMilliseconds : undefined;
      expect(instantOf(ms, zone)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

it('a name of the time zone database is a time zone, an offset or an abbreviation is none', () => {
  const names = ['Asia/Kolkata', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC', 'Japan', 'Etc/GMT+3'];
  expect(names.filter((name) => !isTimeZone(name) || !isTimeZone(name))).toEqual([]);
  const others = ['+05:30', 'IST', 'utc', 'IST/Delhi', 'Europe/Berlinn', '', 'Z'.repeat(100), '5', 'Europe/', '../etc'];
  expect(others.filter(isTimeZone)).toEqual([]);
});
