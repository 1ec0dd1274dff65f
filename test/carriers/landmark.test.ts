import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { shipmentOf, type Trip } from './trip.ts';

describe('against the Mercury API as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'landmark',
      creates: [
        { consignment: 'one-box-us-ca', service: 'Standard', labels: '%PDF', data: { service: 'LGINTSTD' } },
        { consignment: 'three-boxes-us-ca', service: 'Economy', labels: '%PDF', data: { service: 'LGINTBPIP' } },
        { consignment: 'one-box-au-us', service: 'Express', labels: '%PDF', data: { service: 'LGINTUPSS' } },
        { consignment: 'one-box-de-us', service: 'Standard DDU', labels: '%PDF', data: { service: 'LGINTSTDU' } },
        { consignment: 'one-box-us-ca', service: 'Standard', change: { labelFormat: 'ZPL' }, labels: '^XA' },
      ],
      rejects: [
        {
          consignment: 'one-box-us-ca',
          service: 'Standard',
          change: { destinationPostalCode: '' },
          problem: { messages: ['Required element PostalCode not found'] },
        },
      ],
      cancels: { consignment: 'three-boxes-us-ca', service: 'Standard', problem: { messages: ['Already manifested'] } },
      probes: true,
    },
    (opened) => (trip = opened),
  );

  it.each(['reset', 'truncated', 'wrong_count'] as const)(
    'asks by the reference what a %s left open',
    async (problem) => {
      trip.simulator.behave('landmark', { do: problem, acted: true, path: 'Ship' });
      const inputs = trip.inputsOf(trip.consignment('three-boxes-us-ca'), 'Standard');
      const attemptLog = trip.attemptLog();
      let outcome = await trip.run('create', inputs, { attemptLog });
      for (let tries = 0; outcome.kind === 'waiting' && tries < 3; tries += 1) {
        trip.wait(60_000);
        outcome = await trip.run('create', inputs, { attemptLog });
      }
      const calls = trip.simulator.requests.map(({ path }) => path);
      expect([outcome.kind, trip.simulator.shipments('landmark').length, calls]).toEqual(
        problem === 'wrong_count' ? ['held', 1, ['/v2/Ship.php']] : ['done', 1, ['/v2/Ship.php', '/v2/Track.php']],
      );
    },
  );

  it('tracks a package by its number, in the time of Chicago', async () => {
    const { packages } = shipmentOf(await trip.create(trip.consignment('three-boxes-us-ca'), 'Standard'));
    const [, second] = packages;
    await trip.simulator.advance('landmark', { trackingNumber: second?.trackingNumber ?? '', status: 'DELIVERED' });
    const tracked = await trip.run('track', { item: second });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    expect(updates.map((update) => [update.value, normalise(trip.carrier, update, 0)])).toMatchObject([
      [second?.trackingNumber, { status: 'Label Generated', warnings: [] }],
      [second?.trackingNumber, { status: 'Order Delivered', warnings: [] }],
    ]);
    expect(updates[0]?.statusReceivedAt).toBe('2026-05-01 04:00:00');
  });
});
