import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { readLabel } from './trip.ts';

const trip = describeTrips({
  code: 'aramex',
  rejects: [
    [
      ['one-box-ae', 'Express', { lastItem: { itemWeight: 0 } }],
      { code: 'ERR20', messages: ['Details - ActualWeight is not valid'] },
      200,
    ],
  ],
  unanswered: { given: ['three-boxes-ae', 'Express'], held: ['reset', 'truncated'] },
  withoutLabels: { given: ['one-box-ae', 'Express'] },
  cancelsWithoutCall: ['three-boxes-ae', 'Express'],
  probes: true,
});

it.each([
  ['one-box-ae', 'Express', 'OND'],
  ['three-boxes-ae', 'Economy', 'CDS'],
  ['one-box-ae-sa', 'Express', 'PPX'],
  ['one-box-de-us', 'Standard', 'EPX'],
])('creates %s by %s: one waybill, one file with a label for each package', async (name, service, product) => {
  const { accepted, packages, inputs } = await trip.send(name, service);
  const [shipment] = trip.simulator.shipments('aramex');
  const numbers = inputs.consignment.itemList.map(() => shipment?.trackingNumber);
  expect(packages.map(({ trackingNumber }) => trackingNumber)).toEqual(numbers);
  expect(shipment?.data['product']).toBe(product);
  expect(await readLabel(accepted.label)).toBe(['PDF', ...numbers].join(' '));
});

it('has the driver collect what is to be paid', async () => {
  const cash = { paymentMode: 'COD' as const, amountToBeCollected: 250.5, currencyCode: 'AED' };
  await trip.send('three-boxes-ae', 'Standard', cash);
  expect(trip.simulator.shipments('aramex')[0]?.data['cash']).toBe('250.5');
});

it('asks for a waybill of three packages once', async () => {
  const { inputs, packages: items } = await trip.send('three-boxes-ae', 'Express');
  await trip.simulator.advance('aramex', { reference: inputs.consignment.referenceId, status: 'DELIVERED' });
  const events = await trip.track({ items });
  const { trackingNumber } = inputs.shipment;
  expect(events.map(({ update, status }) => [update.value, status])).toEqual([
    [trackingNumber, 'Order Delivered'],
    [trackingNumber, 'Order Created'],
  ]);
  expect(events.at(-1)?.update.statusReceivedAt).toBe('2026-05-01T13:00:00');
});
