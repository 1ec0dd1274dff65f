import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('royal_mail');

it('has every event code that the page about it names, with the status it says', () => {
  expect(writtenStatuses('royal_mail')).toEqual(publishedStatuses('royal_mail'));
});

describe('against Click & Drop and the Tracking API as they are published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('royal_mail');
  });
  afterEach(async () => {
    await trip.close();
  });

  it.each([
    ['one-box-gb', 'Tracked 48', 'TPS48'],
    ['three-boxes-gb', 'Special Delivery', 'SD1'],
  ])('creates %s by %s as one order, with one file of labels', async (name, service, code) => {
    const consignment = trip.consignment(name);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('royal_mail');
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
    );
    expect(accepted.label).toMatchObject({ content: expect.stringMatching(/^JVBERi/) });
    expect(shipment?.data['service']).toBe(code);
  });

  it('fetches a label apart that did not come with the order', async () => {
    trip.simulator.behave('royal_mail', { do: 'label_later' });
    const consignment = trip.consignment('three-boxes-gb');
    const accepted = await trip.create(consignment, 'Tracked 24');
    expect([accepted.label, ...labelsOf(accepted)]).toEqual([undefined, 'none', 'none', 'none']);
    const label = { consignment, shipment: shipmentOf(accepted) };
    expect(await trip.run('label', label)).not.toMatchObject({ kind: 'done' });
    expect(await trip.run('label', label)).toMatchObject({ kind: 'done' });
    expect(trip.simulator.requests.at(-1)?.path).toMatch(/\/label\?documentType=postageLabel/);
  });

  it.each(['wrong_echo', 'wrong_count'] as const)('takes an answer with a %s for no success', async (mischief) => {
    trip.simulator.behave('royal_mail', { do: mischief });
    const attemptLog = trip.attemptLog();
    const inputs = trip.inputsOf(trip.consignment('three-boxes-gb'), 'Tracked 24');
    expect(await trip.run('create', inputs, { attemptLog })).not.toMatchObject({ kind: 'done' });
  });

  it('asks by reference after a reset, and makes no second order', async () => {
    trip.simulator.behave('royal_mail', { do: 'reset', acted: true });
    const attemptLog = trip.attemptLog();
    const inputs = trip.inputsOf(trip.consignment('three-boxes-gb'), 'Tracked 24');
    expect((await trip.run('create', inputs, { attemptLog })).kind).toBe('waiting');
    trip.wait(2_000);
    expect(await trip.run('create', inputs, { attemptLog })).toMatchObject({ kind: 'done' });
    expect(trip.simulator.shipments('royal_mail')).toHaveLength(1);
  });

  it('hears a refusal inside HTTP 200', async () => {
    const { itemList } = trip.consignment('one-box-gb');
    const heavy = itemList.map((item) => ({ ...item, itemWeight: 31 }));
    const inputs = trip.inputsOf(trip.consignment('one-box-gb', { itemList: heavy }), 'Tracked 48');
    expect(await trip.run('create', inputs)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['The weight must be from 1 to 30000 grams (Packages[0].WeightInGrams)'] },
    });
  });

  it('deletes, takes a repeat for done, and is refused once a parcel is on its way', async () => {
    const consignment = trip.consignment('one-box-gb');
    const cancel = async (): Promise<Parameters<Trip['run']>[1]> => ({
      ...trip.inputsOf(consignment, 'Tracked 48'),
      shipment: shipmentOf(await trip.create(consignment, 'Tracked 48')),
    });
    const free = await cancel();
    expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', free)).toMatchObject({ kind: 'done' });
    const moving = await cancel();
    await trip.simulator.advance('royal_mail', { reference: consignment.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', moving)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['The order is despatched'] },
    });
  });

  it('tracks each piece with the credentials of the other product', async () => {
    const { packages } = shipmentOf(await trip.create(trip.consignment('three-boxes-gb'), 'Tracked 24'));
    const [, item] = packages;
    await trip.simulator.advance('royal_mail', { trackingNumber: item?.trackingNumber ?? '', status: 'DELIVERED' });
    expect(await trip.run('track', { item })).toMatchObject({
      kind: 'done',
      result: [{ carrierStatusCode: 'EVAIE' }, { value: item?.trackingNumber, carrierStatusCode: 'EVKSP' }],
    });
    expect(trip.simulator.requests.at(-1)?.headers['authorization']).toBeUndefined();
  });

  it('is known by its key', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
});
