import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { labelOfContent } from '../../src/engine/labels/download.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('usps');

it('has every event code that the page about it names, with the status it says', () => {
  expect(writtenStatuses('usps')).toEqual(publishedStatuses('usps'));
});

describe('against USPS as it is published', () => {
  let trip: Trip;
  const paths = (): readonly string[] => trip.simulator.requests.map(({ path }) => path);
  beforeEach(async () => {
    const settings = { crid: '12345678', mid: '900100200', manifestMid: '900100201', account: '1000200030' };
    trip = await openTrip('usps', settings);
  });
  afterEach(async () => {
    await trip.close();
  });

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

  it('never sends twice what nobody knows of', async () => {
    trip.simulator.behave('usps', { do: 'reset', acted: true, path: '/labels/v3/label' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('one-box-us'), 'Priority'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(trip.simulator.shipments('usps')).toHaveLength(1);
  });

  it('cancels, takes a repeat for done, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('three-boxes-us');
    const cancel = async (): Promise<Parameters<Trip['run']>[1]> => ({
      ...trip.inputsOf(consignment, 'Priority'),
      shipment: shipmentOf(await trip.create(consignment, 'Priority')),
    });
    const free = await cancel();
    expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
    const moving = await cancel();
    await trip.simulator.advance('usps', { reference: consignment.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', moving)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['A refund request for this order cannot be submitted'] },
    });
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
