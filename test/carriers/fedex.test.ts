import { describe, expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { shipmentOf, type Trip } from './trip.ts';

describe('against FedEx as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'fedex',
      settings: { account: '700001234' },
      creates: [
        { consignment: 'one-box-us', service: 'Ground', change: { labelFormat: 'PDF' }, labels: '%PDF' },
        {
          consignment: 'three-boxes-us',
          service: 'Priority Overnight',
          change: { labelFormat: 'ZPL' },
          labels: '^XA^',
        },
        { consignment: 'three-boxes-de', service: 'Ground', change: { labelFormat: 'PNG' }, labels: 'PNG' },
        {
          consignment: 'one-box-de-us',
          service: 'International Priority',
          change: { labelFormat: 'PDF' },
          labels: '%PDF',
        },
        {
          consignment: 'one-box-au-us',
          service: 'International Economy',
          change: { labelFormat: 'PDF' },
          labels: '%PDF',
        },
      ],
      rejects: [
        {
          consignment: 'one-box-us',
          service: 'Ground',
          change: { destinationPostalCode: '9000' },
          problem: { code: 'RECIPIENT.POSTALCODE.INVALID' },
        },
      ],
      unanswered: (['reset', 'wrong_echo', 'wrong_count'] as const).map((how) => ({
        consignment: 'three-boxes-us',
        service: 'Ground',
        how: { do: how, acted: true, path: '/shipments' },
        ends: 'held',
      })),
      cancels: {
        consignment: 'three-boxes-us',
        service: 'Ground',
        problem: { messages: [expect.stringContaining('in transit')] },
      },
      tracks: {
        consignment: 'three-boxes-us',
        service: 'Ground',
        reference: 'REF-3003',
        call: 'items',
        ends: 'Return Initiated',
      },
    },
    (opened) => (trip = opened),
  );

  it('tracks by the credentials of the project for tracking', async () => {
    const { packages: items } = shipmentOf(await trip.create(trip.consignment('one-box-us'), 'Ground'));
    await trip.run('track', { items });
    const logins = trip.simulator.requests.filter(({ path }) => path === '/oauth/token').map(({ body }) => body);
    expect(logins.map((form) => new URLSearchParams(form).get('client_id'))).toEqual([
      'simulated-key',
      'simulated-track-key',
    ]);
  });
});
