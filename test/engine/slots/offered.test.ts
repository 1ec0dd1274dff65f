import { describe, expect, it } from 'vitest';
import { withSlot } from '../../../src/engine/slots/of-order.ts';
import { slotsFor } from '../../../src/engine/slots/offered.ts';
import { compileAcme, HEAD } from '../profile/profiles.ts';

const carrier = compileAcme(`${HEAD}operations: { create: { post: /orders, result: response.body } }
time: { zone: Europe/Berlin }
slots:
  zones: { all: {}, none: { countries: [AT] } }
  windows:
    night: { from: '02:30', to: '06:00', capacity: 1 }
    day: { from: '10:00', to: '12:00', zones: [all], capacity: 1 }
  ahead: 2d
  notice: 1h
`);
const at = (now: string, zones = ['all']) =>
  slotsFor(carrier, { zones }, Date.parse(now)).map(({ day, from }) => `${day} ${from}`);

describe('slots', () => {
  it('begin at their local time, on days as long as they are', () => {
    expect(at('2026-05-01T09:00:00Z')).toEqual([
      '2026-05-02 02:30',
      '2026-05-02 10:00',
      '2026-05-03 02:30',
      '2026-05-03 10:00',
    ]);
    const [first] = slotsFor(carrier, { zones: ['all'] }, Date.parse('2026-01-01T09:00:00Z'));
    expect(new Date(first?.startsAtMs ?? 0).toISOString()).toBe('2026-01-02T01:30:00.000Z');
  });

  it('are not there on a day whose clocks jump over their beginning', () => {
    expect(at('2026-03-28T09:00:00Z')).toEqual(['2026-03-29 10:00', '2026-03-30 02:30', '2026-03-30 10:00']);
  });

  it('close so long before they begin', () => {
    expect(at('2026-05-02T06:59:00Z')[0]).toBe('2026-05-02 10:00');
    expect(at('2026-05-02T07:01:00Z')[0]).toBe('2026-05-03 02:30');
  });

  it('are those of the zones, where a window names some', () => {
    expect(at('2026-05-01T09:00:00Z', ['none'])).toEqual(['2026-05-02 02:30', '2026-05-03 02:30']);
    expect(at('2026-05-01T09:00:00Z', [])).toEqual([]);
  });
});

describe('an order with a slot', () => {
  const slot = {
    token: 'slot_1',
    carrierCode: 'acme',
    zone: 'all',
    window: 'day',
    startsAtMs: Date.parse('2026-05-02T08:00:00Z'),
    endsAtMs: Date.parse('2026-05-02T10:00:00Z'),
    timeZone: 'Europe/Berlin',
    state: 'reserved',
    referenceNumber: undefined,
  } as const;
  const [start, end] = ['2026-05-02 10:00:00', '2026-05-02 12:00:00'];

  it.each([
    [
      'is delivered in its window',
      { shipTo: {} },
      { shipTo: { timezone: 'Europe/Berlin', deliveryStartDateTime: start, deliveryEndDateTime: end } },
    ],
    [
      'is picked up in its window where it is a return',
      { consignmentDetails: { consignmentType: 'REVERSE' }, shipFrom: {}, shipTo: {} },
      {
        consignmentDetails: { consignmentType: 'REVERSE' },
        shipFrom: { timezone: 'Europe/Berlin', pickupStartDateTime: start, pickupEndDateTime: end },
        shipTo: {},
      },
    ],
    ['keeps a window of its own', { shipTo: { deliveryEndDateTime: end } }, { shipTo: { deliveryEndDateTime: end } }],
    ['keeps another time zone', { shipTo: { timezone: 'Asia/Tokyo' } }, { shipTo: { timezone: 'Asia/Tokyo' } }],
    ['that is none stays as it is', [], []],
  ])('%s', (_, body, filled) => {
    expect(withSlot<unknown>(body, slot)).toEqual(filled);
  });
});
