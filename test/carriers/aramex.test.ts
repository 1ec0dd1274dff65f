import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { shipmentOf, type Trip } from './trip.ts';

describe('against the services as they are published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'aramex',
      rejects: [
        {
          consignment: 'one-box-ae',
          service: 'Express',
          change: ({ itemList }) => ({ itemList: itemList.map((item) => ({ ...item, itemWeight: 0 })) }),
          inside: 200,
          problem: { code: 'ERR20', messages: ['Details - ActualWeight is not valid'] },
        },
      ],
      unanswered: (['reset', 'truncated'] as const).map((how) => ({
        consignment: 'three-boxes-ae',
        service: 'Express',
        how: { do: how, acted: true },
        ends: 'held',
      })),
      probes: true,
    },
    (opened) => (trip = opened),
  );

  it.each([
    ['one-box-ae', 'Express', 'OND'],
    ['three-boxes-ae', 'Economy', 'CDS'],
    ['one-box-ae-sa', 'Express', 'PPX'],
    ['one-box-de-us', 'Standard', 'EPX'],
  ])('creates %s by %s: one waybill, one label', async (name, service, product) => {
    const consignment = trip.consignment(name);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('aramex');
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      consignment.itemList.map(() => shipment?.trackingNumber),
    );
    expect(shipment?.data['product']).toBe(product);
    const label = await fetch(String(accepted.label?.url));
    expect((await label.text()).slice(0, 5)).toBe('%PDF-');
  });

  it('has the driver collect what is to be paid', async () => {
    const cash = { paymentMode: 'COD' as const, amountToBeCollected: 250.5, currencyCode: 'AED' };
    await trip.create(trip.consignment('three-boxes-ae', cash), 'Standard');
    expect(trip.simulator.shipments('aramex')[0]?.data['cash']).toBe('250.5');
  });

  it('takes a waybill without a label all the same', async () => {
    trip.simulator.behave('aramex', { do: 'label_later' });
    expect((await trip.create(trip.consignment('one-box-ae'), 'Express')).label).toBeUndefined();
  });

  it('cancels without a call, and asks for a waybill of three packages once', async () => {
    const consignment = trip.consignment('three-boxes-ae');
    const shipment = shipmentOf(await trip.create(consignment, 'Express'));
    await trip.simulator.advance('aramex', { reference: consignment.referenceId, status: 'DELIVERED' });
    const tracked = await trip.run('track', { items: shipment.packages });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    expect(updates.map((update) => [update.value, normalise(trip.carrier, update, 0).status])).toEqual([
      [shipment.trackingNumber, 'Order Delivered'],
      [shipment.trackingNumber, 'Order Created'],
    ]);
    expect(updates.at(-1)?.statusReceivedAt).toBe('2026-05-01T13:00:00');
    const asked = trip.simulator.requests.length;
    const cancelled = await trip.run('cancel', { ...trip.inputsOf(consignment, 'Express'), shipment });
    expect([cancelled.kind, trip.simulator.requests.length]).toEqual(['done', asked]);
  });
});
