import { describe, expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { labelsOf, shipmentOf, type Trip } from './trip.ts';

describe('against Sendle as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'sendle',
      unanswered: [{ consignment: 'one-box-au', service: 'Standard', how: { do: 'reset', acted: true }, ends: 'done' }],
      probes: true,
    },
    (opened) => (trip = opened),
  );

  it('makes an order of each package, tracks each, and cancels what is not under way', async () => {
    const consignment = trip.consignment('three-boxes-au');
    const accepted = await trip.create(consignment, 'Express');
    const shipment = shipmentOf(accepted);
    expect(shipment.packages.map(({ trackingNumber }) => trackingNumber)).toHaveLength(3);
    expect(new Set(shipment.packages.map(({ memo }) => memo['orderId'])).size).toBe(3);
    for (const url of labelsOf(accepted)) expect(url).toMatch(/\/labels\/cropped\.pdf$/);

    const [item] = shipment.packages;
    await trip.simulator.advance('sendle', { trackingNumber: item?.trackingNumber ?? '', status: 'PICKED_UP' });
    const tracked = await trip.run('track', { item });
    expect(tracked).toMatchObject({
      kind: 'done',
      result: [
        { value: item?.trackingNumber, carrierStatusCode: 'Info' },
        { value: item?.trackingNumber, carrierStatusCode: 'Pickup' },
      ],
    });
    const cancel = { ...trip.inputsOf(consignment, 'Express'), shipment };
    expect(await trip.run('cancel', cancel)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['Order can not be cancelled.'] },
    });
  });

  it('cancels all orders, and takes a repeat for done', async () => {
    const consignment = trip.consignment('three-boxes-au');
    const shipment = shipmentOf(await trip.create(consignment, 'Standard'));
    const cancel = { ...trip.inputsOf(consignment, 'Standard'), shipment };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(trip.simulator.shipments('sendle').map(({ cancelled }) => cancelled)).toEqual([true, true, true]);
  });

  it('takes back the orders of the others when one package is refused', async () => {
    const { itemList } = trip.consignment('three-boxes-au');
    const heavy = itemList.map((item, index) => (index === 2 ? { ...item, itemHeight: 0 } : item));
    const inputs = trip.inputsOf(trip.consignment('three-boxes-au', { itemList: heavy }), 'Standard');
    expect(await trip.run('create', inputs)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['dimensions.height: must be greater than 0'] },
    });
    expect(trip.simulator.shipments('sendle').every(({ cancelled }) => cancelled)).toBe(true);
  });
});
