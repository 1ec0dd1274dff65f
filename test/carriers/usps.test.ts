import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { labelsOf } from './trip.ts';

const trip = describeTrips({
  code: 'usps',
  settings: { crid: '12345678', mid: '900100200', manifestMid: '900100201', account: '1000200030' },
  unanswered: { given: ['one-box-us', 'Priority'], path: '/labels/v3/label', held: ['reset'] },
  takesBack: [
    ['three-boxes-us', 'Priority', { lastItem: { itemWeight: 71, itemWeightUom: 'LB' } }],
    { messages: ['The weight must not exceed 70 pounds'] },
  ],
  cancels: {
    given: ['three-boxes-us', 'Priority'],
    problem: { messages: ['A refund request for this order cannot be submitted'] },
    statuses: [200, 200, 200, 400, 400, 400],
  },
});

it.each([
  ['one-box-us', 'Ground Advantage', 'PDF'],
  ['three-boxes-us', 'Priority', 'ZPL'],
  ['three-boxes-us', 'Priority Express', 'PNG'],
] as const)('creates %s by %s with labels in %s, by two logins', async (name, service, labelFormat) => {
  const { accepted, packages } = await trip.send(name, service, { labelFormat });
  expect(await labelsOf(accepted)).toEqual(packages.map(({ trackingNumber }) => `${labelFormat} ${trackingNumber}`));
  expect(trip.simulator.requests.map(({ path }) => path)).toEqual([
    '/oauth2/v3/token',
    '/payments/v3/payment-authorization',
    ...packages.map(() => '/labels/v3/label'),
  ]);
});

it('tracks without paying', async () => {
  const { packages } = await trip.send('one-box-us', 'Ground Advantage');
  await trip.simulator.advance('usps', { reference: 'REF-3001', status: 'DELIVERED' });
  const events = await trip.track({ item: packages[0] });
  expect(events.map(({ update }) => update.carrierStatusCode)).toEqual(['01', 'GX']);
  expect(trip.simulator.requests.at(-1)?.headers['x-payment-authorization-token']).toBeUndefined();
});
