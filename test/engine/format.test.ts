import { expect, test } from 'vitest';
import { FORMATS, isCountry, isDate, isLocalDateTime, isTimeZone } from '../../src/engine/format.ts';

test.each(['IN', 'DE', 'US', 'GB', 'TW', 'SX'])('%s is a country', (code) => {
  expect(isCountry(code)).toBe(true);
});
test.each(['UK', 'EU', 'ZZ', 'XK', 'de', 'DEU', '', 'D'])('"%s" is no country', (code) => {
  expect(isCountry(code)).toBe(false);
});

test.each(['Asia/Kolkata', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC', 'Japan', 'Etc/GMT+3'])(
  '%s is a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(true);
    expect(isTimeZone(name)).toBe(true);
  },
);
test.each(['+05:30', 'IST', 'utc', 'IST/Delhi', 'Europe/Berlinn', '', 'Z'.repeat(100), '5', 'Europe/', '../etc'])(
  '"%s" is no time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
  },
);

test.each(['2026-02-28', '2024-02-29', '2000-02-29', '2026-12-31'])('%s is a date', (text) => {
  expect(isDate(text)).toBe(true);
});
test.each(['2026-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-4-1', '01-04-2026', ''])(
  '"%s" is no date',
  (text) => {
    expect(isDate(text)).toBe(false);
  },
);

test('a local time is a date and a time of day with one space between', () => {
  expect(isLocalDateTime('2026-05-01 23:59:59')).toBe(true);
  for (const text of [
    '2026-05-01T09:00:00',
    '2026-05-01 24:00:00',
    '2026-05-01 09:60:00',
    '2026-05-01 09:00:00Z',
    '2026-05-32 09:00:00',
  ])
    expect(isLocalDateTime(text)).toBe(false);
});

test('a URL is one of the web', () => {
  const test = FORMATS['http-url']!.test;
  expect(test('https://example.com/a?b')).toBe(true);
  for (const text of ['ftp://example.com', 'javascript:alert(1)', 'example.com', 'https://', ''])
    expect(test(text)).toBe(false);
});
