import { expect, test } from 'vitest';
import { Offer, roundAmount } from '../../../src/engine/rates/offer.ts';
import { validator } from '../../../src/engine/validate.ts';

test.each([
  [1.005, 'EUR', 1.01],
  [0.1 + 0.2, 'EUR', 0.3],
  [2.675, 'USD', 2.68],
  [-1.005, 'EUR', -1.01],
  [-0.001, 'EUR', 0],
  [1234.5, 'JPY', 1235],
  [0.0005, 'KWD', 0.001],
  [1.15 * 3, 'EUR', 3.45],
  [1e21, 'EUR', 1e21],
] as const)('%d %s is rounded to its minor units, %d', (value, currency, rounded) => {
  expect(roundAmount(value, currency)).toBe(rounded);
});

const check = validator(Offer, 'the offer');
const offer = { service: 'Express', total: 12.5, currency: 'EUR' };

test('an offer names its service, total and currency; all else may be missing', () => {
  expect(check(offer).ok).toBe(true);
  const whole = {
    ...offer,
    tax: 2,
    surcharges: [{ code: 'FUEL', name: 'Fuel', amount: 1.5 }],
    deliveryFrom: '2026-03-03 00:00:00',
    deliveryTo: '2026-03-04 18:00:00',
    transitDays: 2,
    cutOff: '2026-03-02 16:00:00',
    emissionsKg: 0.4,
    rateId: 'Q-1',
  };
  expect(check(whole).ok).toBe(true);
});

test.each([
  [{ total: undefined }, 'total is required'],
  [{ total: '12.50' }, 'total must be a number'],
  [{ total: -1 }, 'total must be >= 0'],
  [{ currency: 'EURO' }, 'currency must be a currency code of ISO 4217, such as EUR'],
  [{ deliveryTo: '2026-02-30 12:00:00' }, 'deliveryTo must be a date and time written YYYY-MM-DD HH:MM:SS'],
  [{ price: 3 }, 'price is not a known field'],
])('an offer with %o says what is wrong', (change, message) => {
  const given = JSON.parse(JSON.stringify({ ...offer, ...change })) as unknown;
  const checked = check(given);
  expect(checked.ok ? [] : checked.issues.map((issue) => issue.message)).toEqual([message]);
});
