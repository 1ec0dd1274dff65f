import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';

const trip = describeTrips({
  code: 'landmark',
  creates: [
    ['one-box-us-ca', 'Standard', {}, { labels: 'PDF', data: { service: 'LGINTSTD' } }],
    ['three-boxes-us-ca', 'Economy', {}, { labels: 'PDF', data: { service: 'LGINTBPIP' } }],
    ['one-box-au-us', 'Express', {}, { labels: 'PDF', data: { service: 'LGINTUPSS' } }],
    ['one-box-de-us', 'Standard DDU', {}, { labels: 'PDF', data: { service: 'LGINTSTDU' } }],
    ['one-box-us-ca', 'Standard', { labelFormat: 'ZPL' }, { labels: 'ZPL' }],
  ],
  rejects: [
    [
      ['one-box-us-ca', 'Standard', { destinationPostalCode: '' }],
      { messages: ['Required element PostalCode not found'] },
    ],
  ],
  cancels: { given: ['three-boxes-us-ca', 'Standard'], problem: { messages: ['Already manifested'] } },
  probes: true,
});

it.each([
  ['reset', 'done', ['/v2/Ship.php', '/v2/Track.php']],
  ['truncated', 'done', ['/v2/Ship.php', '/v2/Track.php']],
  ['wrong_count', 'held', ['/v2/Ship.php']],
] as const)('asks by the reference what a %s left open: %s', async (misbehaviour, ends, calls) => {
  trip.simulator.behave('landmark', { do: misbehaviour, acted: true, path: 'Ship' });
  const { last } = await trip.finish('create', trip.inputsOf('three-boxes-us-ca', 'Standard'));
  expect([last.kind, trip.simulator.shipments('landmark').length]).toEqual([ends, 1]);
  expect(trip.simulator.requests.map(({ path }) => path)).toEqual(calls);
});

it('tracks a package by its number, in the time of Chicago', async () => {
  const { packages } = await trip.send('three-boxes-us-ca', 'Standard');
  const [, item] = packages;
  const value = item?.trackingNumber ?? '';
  await trip.simulator.advance('landmark', { trackingNumber: value, status: 'DELIVERED' });
  expect(await trip.track({ item })).toMatchObject([
    { update: { value, statusReceivedAt: '2026-05-01 04:00:00' }, status: 'Label Generated', warnings: [] },
    { update: { value }, status: 'Order Delivered', warnings: [] },
  ]);
});
