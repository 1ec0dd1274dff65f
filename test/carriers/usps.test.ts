import { describe, expect, it } from 'vitest';
import { labelOfContent } from '../../src/engine/labels/download.ts';
import { describeTrips } from './common-trips.ts';
import { shipmentOf, type Trip } from './trip.ts';

describe('against USPS as it is published', () => {
  let trip: Trip;
  const paths = (): readonly string[] => trip.simulator.requests.map(({ path }) => path);
  describeTrips(
    {
      code: 'usps',
      settings: { crid: '12345678', mid: '900100200', manifestMid: '900100201', account: '1000200030' },
      unanswered: [
        {
          consignment: 'one-box-us',
          service: 'Priority',
          how: { do: 'reset', acted: true, path: '/labels/v3/label' },
          ends: 'held',
        },
      ],
      cancels: {
        consignment: 'three-boxes-us',
        service: 'Priority',
        problem: { messages: ['A refund request for this order cannot be submitted'] },
      },
    },
    (opened) => (trip = opened),
  );

  it.each([
    ['one-box-us', 'Ground Advantage', 'PDF'],
    ['three-boxes-us', 'Priority', 'ZPL'],
    ['three-boxes-us', 'Priority Express', 'PNG'],
  ] as const)('creates %s by %s with labels in %s, by two logins', async (name, service, labelFormat) => {
    const consignment = trip.consignment(name, { labelFormat });
    const accepted = await trip.create(consignment, service);
    // A part that is base64 of the bytes stays so until the label is stored.
    const stored = accepted.packages.map(({ label }) => labelOfContent(Buffer.from(String(label?.content), 'base64')));
    expect(stored).toMatchObject(consignment.itemList.map(() => ({ kind: 'stored', format: labelFormat })));
    expect(paths()).toEqual([
      '/oauth2/v3/token',
      '/payments/v3/payment-authorization',
      ...consignment.itemList.map(() => '/labels/v3/label'),
    ]);
  });

  it('cancels the labels of the others when one package is refused', async () => {
    const { itemList } = trip.consignment('three-boxes-us');
    const heavy = itemList.map((item, index) =>
      index === 1 ? { ...item, itemWeight: 71, itemWeightUom: 'LB' as const } : item,
    );
    const inputs = trip.inputsOf(trip.consignment('three-boxes-us', { itemList: heavy }), 'Priority');
    expect(await trip.run('create', inputs)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['The weight must not exceed 70 pounds'] },
    });
    expect(trip.simulator.shipments('usps').every(({ cancelled }) => cancelled)).toBe(true);
  });

  it('tracks without paying', async () => {
    const { packages } = shipmentOf(await trip.create(trip.consignment('one-box-us'), 'Ground Advantage'));
    await trip.simulator.advance('usps', { reference: 'REF-3001', status: 'DELIVERED' });
    expect(await trip.run('track', { item: packages[0] })).toMatchObject({
      kind: 'done',
      result: [{ carrierStatusCode: '01' }, { carrierStatusCode: 'GX' }],
    });
    expect(trip.simulator.requests.at(-1)?.headers['x-payment-authorization-token']).toBeUndefined();
  });
});
