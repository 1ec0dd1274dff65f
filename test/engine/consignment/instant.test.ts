import { expect, test } from 'vitest';
import { momentOf, momentsOf, startOfDay } from '../../../src/engine/consignment/instant.ts';
import { changed, leastOrder } from './orders.ts';

const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());

test.each([
  ['2026-05-01 09:00:00', 'Asia/Kolkata', '2026-05-01T03:30:00.000Z'],
  ['2026-05-01 09:00:00', 'Europe/Berlin', '2026-05-01T07:00:00.000Z'],
  ['2026-01-01 09:00:00', 'Europe/Berlin', '2026-01-01T08:00:00.000Z'],
])('%s in %s is %s', (local, zone, expected) => {
  const moment = momentOf(local, zone, 'earlier');
  expect(moment.ok && iso(moment.atMs)).toBe(expected);
});

test('a time that the clocks jump over is no moment', () => {
  expect(momentOf('2026-03-29 02:30:00', 'Europe/Berlin', 'earlier')).toEqual({ ok: false, why: 'skipped' });
});

const at = (twice: 'earlier' | 'later') => {
  const moment = momentOf('2026-10-25 02:30:00', 'Europe/Berlin', twice);
  return moment.ok ? iso(moment.atMs) : undefined;
};

test('a time that comes twice is the one asked for', () => {
  expect(at('earlier')).toBe('2026-10-25T00:30:00.000Z');
  expect(at('later')).toBe('2026-10-25T01:30:00.000Z');
});

test('a day begins after midnight where midnight is skipped', () => {
  expect(iso(startOfDay('2018-11-04', 'America/Sao_Paulo'))).toBe('2018-11-04T03:00:00.000Z');
});

test('the moments of an order are those whose zone is named', () => {
  const order = changed(leastOrder(), {
    'shipFrom.timezone': 'Asia/Kolkata',
    'shipFrom.pickupStartDateTime': '2026-05-01 09:00:00',
    'shipTo.deliveryEndDateTime': '2026-05-03 12:00:00',
  });
  const moments = momentsOf(order);
  expect(iso(moments.shipByMs)).toBe('2026-04-30T18:30:00.000Z');
  expect(iso(moments.pickupStartMs)).toBe('2026-05-01T03:30:00.000Z');
  expect(moments).toMatchObject({ pickupEndMs: undefined, deliveryStartMs: undefined, deliveryEndMs: undefined });
});
