import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, shipmentOf, type Trip } from './trip.ts';

describe('against the SOAP services as they are published', () => {
  let trip: Trip;
  const logins = (): number => trip.simulator.requests.filter(({ path }) => path.includes('LoginService')).length;
  describeTrips(
    {
      code: 'dpd',
      creates: [
        { consignment: 'one-box-be-nl', service: 'Standard', document: '%PDF', data: { product: 'CL' } },
        { consignment: 'three-boxes-be-nl', service: 'Home', document: '%PDF', data: { product: 'CL' } },
        { consignment: 'three-boxes-be-nl', service: 'Express', document: '%PDF', data: { product: 'E12' } },
        { consignment: 'one-box-de', service: 'Express 10:00', document: '%PDF', data: { product: 'E10' } },
        { consignment: 'one-box-be-nl', service: 'Standard', change: { labelFormat: 'ZPL' }, document: '^XA' },
      ],
      rejects: [
        {
          consignment: 'one-box-be-nl',
          service: 'Standard',
          change: { destinationPostalCode: '35110' },
          inside: 200,
          problem: { code: 'address_zip_code_invalid', messages: ['The zip code of the recipient is not valid.'] },
        },
      ],
      unanswered: (['reset', 'truncated', 'wrong_count'] as const).map((how) => ({
        consignment: 'three-boxes-be-nl',
        service: 'Standard',
        how: { do: how, acted: true, path: 'ShipmentService' },
        ends: 'held',
      })),
    },
    (opened) => (trip = opened),
  );

  it('logs in once for many calls, and again after the day of the token', async () => {
    await trip.create(trip.consignment('one-box-be-nl'), 'Standard');
    trip.wait(22 * 3_600_000);
    await trip.create(trip.consignment('one-box-be-nl'), 'Standard');
    expect(logins()).toBe(1);
    trip.wait(2.1 * 3_600_000);
    await trip.create(trip.consignment('one-box-be-nl'), 'Standard');
    expect(logins()).toBe(2);
    expect(trip.simulator.shipments('dpd')).toHaveLength(3);
  });

  it('takes an order whose labels are missing all the same', async () => {
    trip.simulator.behave('dpd', { do: 'label_later', path: 'ShipmentService' });
    expect(labelsOf(await trip.create(trip.consignment('one-box-be-nl'), 'Standard'))).toEqual(['none']);
  });

  it('cancels without a call, and tracks each parcel in the zone of Brussels', async () => {
    const consignment = trip.consignment('three-boxes-be-nl');
    const shipment = shipmentOf(await trip.create(consignment, 'Standard'));
    const [, second] = shipment.packages;
    await trip.simulator.advance('dpd', { trackingNumber: second?.trackingNumber ?? '', status: 'PICKED_UP' });
    const tracked = await trip.run('track', { item: second });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    expect(updates.map((update) => [update.value, normalise(trip.carrier, update, 0)])).toMatchObject([
      [second?.trackingNumber, { status: 'Order Picked Up', warnings: [] }],
    ]);
    expect(updates[0]?.statusReceivedAt).toBe('5/1/2026 11:00:01 AM');
    const asked = trip.simulator.requests.length;
    const cancelled = await trip.run('cancel', { ...trip.inputsOf(consignment, 'Standard'), shipment });
    expect([cancelled.kind, trip.simulator.requests.length]).toEqual(['done', asked]);
  });
});
