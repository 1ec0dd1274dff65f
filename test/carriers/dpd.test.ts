import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';

const trip = describeTrips({
  code: 'dpd',
  creates: [
    ['one-box-be-nl', 'Standard', {}, { document: 'PDF', data: { product: 'CL' } }],
    ['three-boxes-be-nl', 'Home', {}, { document: 'PDF', data: { product: 'CL' } }],
    ['three-boxes-be-nl', 'Express', {}, { document: 'PDF', data: { product: 'E12' } }],
    ['one-box-de', 'Express 10:00', {}, { document: 'PDF', data: { product: 'E10' } }],
    ['one-box-be-nl', 'Standard', { labelFormat: 'ZPL' }, { document: 'ZPL' }],
  ],
  rejects: [
    [
      ['one-box-be-nl', 'Standard', { destinationPostalCode: '35110' }],
      { code: 'address_zip_code_invalid', messages: ['The zip code of the recipient is not valid.'] },
      200,
    ],
  ],
  unanswered: {
    given: ['three-boxes-be-nl', 'Standard'],
    path: 'ShipmentService',
    held: ['reset', 'truncated', 'wrong_count'],
  },
  withoutLabels: { given: ['one-box-be-nl', 'Standard'], path: 'ShipmentService' },
  cancelsWithoutCall: ['three-boxes-be-nl', 'Standard'],
});

it('logs in once for many calls, and again after the day of the token', async () => {
  for (const waitHours of [0, 22, 2.1]) {
    trip.wait(waitHours * 3_600_000);
    await trip.send('one-box-be-nl', 'Standard');
    expect(trip.requestsTo('LoginService')).toHaveLength(waitHours === 2.1 ? 2 : 1);
  }
});

it('tracks each parcel in the zone of Brussels', async () => {
  const { packages } = await trip.send('three-boxes-be-nl', 'Standard');
  const [, item] = packages;
  const trackingNumber = item?.trackingNumber ?? '';
  await trip.simulator.advance('dpd', { trackingNumber, status: 'PICKED_UP' });
  expect(await trip.track({ item })).toMatchObject([
    {
      update: { value: trackingNumber, statusReceivedAt: '5/1/2026 11:00:01 AM' },
      status: 'Order Picked Up',
      warnings: [],
    },
  ]);
});
