import { expect, test } from 'vitest';
import { withTransit } from '../../../src/engine/rates/transit.ts';
import { carrierWith, consignmentOf } from './tariffs.ts';

const carrier = carrierWith('services: { Express: { typeOfService: EXPRESS } }\ntransit: acme\n', {
  'transit/acme.yaml': `transit: acme
timeZone: Europe/Berlin
cutOff: { mon-fri: '16:00', wed: '12:00' }
zones: { home: { countries: [DE] } }
services: { Express: { days: { home: 1, '*': 2-3 }, from: '08:00', by: '12:00' } }
`,
});

test.each([
  ['before the cut-off', { shippingDateTime: '2026-03-02 16:00:00' }, '2026-03-02 16:00', '2026-03-03', '2026-03-03'],
  ['after it', { shippingDateTime: '2026-03-02 16:00:01' }, '2026-03-03 16:00', '2026-03-04', '2026-03-04'],
  [
    'a day with a cut-off of its own',
    { shippingDateTime: '2026-03-04 12:30:00' },
    '2026-03-05 16:00',
    '2026-03-06',
    '2026-03-06',
  ],
  ['over a weekend', { shippingDateTime: '2026-03-06 09:00:00' }, '2026-03-06 16:00', '2026-03-09', '2026-03-09'],
  [
    'handed over in another time zone',
    { shippingDateTime: '2026-03-02 14:30:00', originTimezone: 'Europe/London' },
    '2026-03-02 15:00',
    '2026-03-03',
    '2026-03-03',
  ],
  [
    'before a holiday of one region',
    { shippingDateTime: '2026-06-03 09:00:00', destinationStateProvince: 'Bayern' },
    '2026-06-03 12:00',
    '2026-06-05',
    '2026-06-05',
  ],
  [
    'the same day in another region',
    { shippingDateTime: '2026-06-03 09:00:00', destinationStateProvince: 'DE-BE' },
    '2026-06-03 12:00',
    '2026-06-04',
    '2026-06-04',
  ],
  [
    'abroad, over Bastille Day',
    { shippingDateTime: '2026-07-13 09:00:00', destinationCountry: 'FR' },
    '2026-07-13 16:00',
    '2026-07-16',
    '2026-07-17',
  ],
])('%s', (_, change, cutOff, first, last) => {
  const { transit } = carrier;
  if (transit === undefined) throw new Error('there are no transit times');
  const offer = { service: 'Express', total: 1, currency: 'EUR' };
  const { originTimezone = 'Europe/Berlin' } = change as { originTimezone?: string };
  expect(withTransit(offer, transit, consignmentOf({ originTimezone, ...change }), 0)).toMatchObject({
    cutOff: `${cutOff}:00`,
    deliveryFrom: `${first} 08:00:00`,
    deliveryTo: `${last} 12:00:00`,
  });
  const told = { ...offer, deliveryTo: '2026-12-31 12:00:00' };
  expect(withTransit(told, transit, consignmentOf(change), 0)).toBe(told);
});

test.each([
  ['before the cut-off of its day', '2026-03-02T14:59:00Z', '2026-03-02 16:00:00'],
  ['after it', '2026-03-02T15:01:00Z', '2026-03-03 16:00:00'],
  ['on the day before', '2026-03-01T22:59:00Z', '2026-03-02 16:00:00'],
])('an order without a pickup time that is placed %s', (_, now, cutOff) => {
  const { transit } = carrier;
  if (transit === undefined) throw new Error('there are no transit times');
  const order = consignmentOf({ originTimezone: 'Europe/Berlin', shippingDateTime: '2026-03-02 00:00:00' });
  const offer = { service: 'Express', total: 1, currency: 'EUR' };
  expect(withTransit(offer, transit, order, Date.parse(now))).toMatchObject({ cutOff });
});
