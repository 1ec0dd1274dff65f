import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { shipmentOf, type Trip } from './trip.ts';

const contentOf = (fetched: unknown): string => {
  const [{ label }] = fetched as [{ label: { content: string } }];
  return Buffer.from(label.content, 'base64').toString('latin1');
};

describe('against the E-Ship services as they are published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'purolator',
      settings: { account: '9999999999' },
      rejects: [
        {
          consignment: 'one-box-ca',
          service: 'Express',
          change: { destinationPostalCode: '12345' },
          problem: { code: '1100664' },
        },
        {
          consignment: 'one-box-ca',
          service: 'Express',
          change: { destinationContactNumber: '12' },
          problem: { code: 'validation_fault' },
        },
      ],
      unanswered: (['reset', 'truncated', 'wrong_count'] as const).map((how) => ({
        consignment: 'three-boxes-ca',
        service: 'Ground',
        how: { do: how, acted: true },
        ends: 'held',
      })),
      cancels: { consignment: 'three-boxes-ca', service: 'Ground', problem: { code: '1100531' } },
      probes: true,
    },
    (opened) => (trip = opened),
  );
  it.each([
    ['one-box-ca', 'Express', 'PurolatorExpress', 'PDF'],
    ['three-boxes-ca', 'Ground', 'PurolatorGround', 'ZPL'],
    ['one-box-ca-us', 'Express 10:30', 'PurolatorExpressU.S.10:30AM', 'PDF'],
  ] as const)('creates %s by %s, and fetches its labels', async (name, service, code, labelFormat) => {
    const consignment = trip.consignment(name, { labelFormat });
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('purolator');
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
    );
    expect(shipment?.data['service']).toBe(code);
    const fetched = await trip.run('label', { ...trip.inputsOf(consignment, service), shipment: shipmentOf(accepted) });
    expect(fetched.kind).toBe('done');
    const content = contentOf(fetched.kind === 'done' ? fetched.result : []);
    expect(content).toContain(labelFormat === 'ZPL' ? '^XA' : '%PDF');
  });

  it('waits for a document that is not drawn yet', async () => {
    trip.simulator.behave('purolator', { do: 'label_later', asks: 1 });
    const consignment = trip.consignment('one-box-ca');
    const inputs = trip.inputsOf(consignment, 'Express');
    const shipment = shipmentOf(await trip.create(consignment, 'Express'));
    expect(await trip.run('label', { ...inputs, shipment })).toMatchObject({ kind: 'done', result: [] });
    const again = await trip.run('label', { ...inputs, shipment });
    expect(contentOf(again.kind === 'done' ? again.result : [])).toContain('%PDF');
  });

  it('tracks all pieces in one call', async () => {
    const { packages: items } = shipmentOf(await trip.create(trip.consignment('three-boxes-ca'), 'Ground'));
    await trip.simulator.advance('purolator', { trackingNumber: items[1]?.trackingNumber ?? '', status: 'DELIVERED' });
    const tracked = await trip.run('track', { items });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const said = updates.map((update) => [update.value, normalise(trip.carrier, update, 0).status].join(': '));
    expect(said.toSorted((one, other) => one.localeCompare(other))).toEqual(
      [
        ...items.map(({ trackingNumber }) => `${trackingNumber}: Order Created`),
        `${items[1]?.trackingNumber}: Order Delivered`,
      ].toSorted((one, other) => one.localeCompare(other)),
    );
    expect(updates[0]?.statusReceivedAt).toBe('2026-05-01 050000');
  });
});
