import { describe, expect, test } from 'vitest';
import { momentOf, startOfDay, windowRules } from '../../../src/engine/consignment/rules.ts';
import { changed, leastOrder } from './orders.ts';

/** shipByDate is 2026-05-01. */
const messages = (changes: Readonly<Record<string, unknown>>): string[] =>
  windowRules(changed(leastOrder(), changes)).map(({ message }) => message);

const pickup = (start: string | undefined, end?: string, timezone?: string) => ({
  'shipFrom.pickupStartDateTime': start,
  'shipFrom.pickupEndDateTime': end,
  'shipFrom.timezone': timezone,
});
const delivery = (start: string | undefined, end?: string, timezone?: string) => ({
  'shipTo.deliveryStartDateTime': start,
  'shipTo.deliveryEndDateTime': end,
  'shipTo.timezone': timezone,
});

describe('the windows of an order', () => {
  test.each([
    [{}, []],
    [pickup('2026-05-01 09:00:00', '2026-05-01 12:00:00'), []],
    [pickup('2026-05-01 09:00:00', '2026-05-01 09:00:00'), []],
    [
      pickup('2026-05-01 12:00:00', '2026-05-01 09:00:00'),
      ['shipFrom.pickupEndDateTime must not be before shipFrom.pickupStartDateTime'],
    ],
    [
      delivery('2026-05-03 12:00:00', '2026-05-03 09:00:00'),
      ['shipTo.deliveryEndDateTime must not be before shipTo.deliveryStartDateTime'],
    ],
    [
      { ...pickup('2026-05-04 09:00:00'), ...delivery('2026-05-03 09:00:00', '2026-05-03 12:00:00') },
      ['shipTo.deliveryEndDateTime must not be before shipFrom.pickupStartDateTime'],
    ],
    [
      pickup('2026-04-30 09:00:00', '2026-04-30 12:00:00'),
      ['shipFrom.pickupEndDateTime must not be before consignmentDetails.shipByDate'],
    ],
    [pickup('2026-04-30 22:00:00', '2026-05-01 02:00:00'), []],
    [
      delivery('2026-04-30 09:00:00'),
      ['shipTo.deliveryStartDateTime must not be before consignmentDetails.shipByDate'],
    ],
  ])('%j', (changes, expected) => {
    expect(messages(changes)).toEqual(expected);
  });

  test('are compared as moments where both places name their zone', () => {
    const from = pickup('2026-05-02 01:00:00', undefined, 'Pacific/Auckland');
    const window = ['2026-05-01 20:00:00', '2026-05-01 22:00:00'] as const;
    // 22:00 on May 1 in Honolulu is 20:00 on May 2 in Auckland.
    expect(messages({ ...from, ...delivery(...window, 'Pacific/Honolulu') })).toEqual([]);
    expect(messages({ ...from, ...delivery(...window) })).toEqual([
      'shipTo.deliveryEndDateTime must not be before shipFrom.pickupStartDateTime',
    ]);
  });

  test('name times that exist in their zone', () => {
    const changes = {
      'consignmentDetails.shipByDate': '2026-03-29',
      ...pickup('2026-03-29 02:30:00', undefined, 'Europe/Berlin'),
    };
    expect(messages(changes)).toEqual([
      'shipFrom.pickupStartDateTime 2026-03-29 02:30:00 does not exist in Europe/Berlin: the clocks jump over it',
    ]);
    expect(messages({ ...changes, 'shipFrom.timezone': 'Asia/Kolkata' })).toEqual([]);
  });

  test('may lie in the hour that comes twice', () => {
    const changes = {
      'consignmentDetails.shipByDate': '2026-10-25',
      ...pickup('2026-10-25 02:30:00', '2026-10-25 02:10:00', 'Europe/Berlin'),
    };
    // The start is the first 02:30, the end the second 02:10.
    expect(messages(changes)).toEqual([]);
  });
});

const iso = (moment: number | 'skipped'): string => (moment === 'skipped' ? moment : new Date(moment).toISOString());

test.each([
  ['2026-05-01 09:00:00', 'Asia/Kolkata', '2026-05-01T03:30:00.000Z'],
  ['2026-05-01 09:00:00', 'Europe/Berlin', '2026-05-01T07:00:00.000Z'],
  ['2026-01-01 09:00:00', 'Europe/Berlin', '2026-01-01T08:00:00.000Z'],
])('%s in %s is %s', (local, zone, expected) => {
  expect(iso(momentOf(local, zone, 'earlier'))).toBe(expected);
});

test('a time that the clocks jump over is no moment', () => {
  expect(momentOf('2026-03-29 02:30:00', 'Europe/Berlin', 'earlier')).toBe('skipped');
});

test('a time that comes twice is the one asked for', () => {
  expect(iso(momentOf('2026-10-25 02:30:00', 'Europe/Berlin', 'earlier'))).toBe('2026-10-25T00:30:00.000Z');
  expect(iso(momentOf('2026-10-25 02:30:00', 'Europe/Berlin', 'later'))).toBe('2026-10-25T01:30:00.000Z');
});

test('a day begins after midnight where midnight is skipped', () => {
  expect(iso(startOfDay('2018-11-04', 'America/Sao_Paulo'))).toBe('2018-11-04T03:00:00.000Z');
});
