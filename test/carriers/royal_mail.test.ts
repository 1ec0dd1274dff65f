import { describe, expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { labelsOf, shipmentOf, type Trip } from './trip.ts';

describe('against Click & Drop and the Tracking API as they are published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'royal_mail',
      creates: [
        { consignment: 'one-box-gb', service: 'Tracked 48', document: '%PDF', data: { service: 'TPS48' } },
        { consignment: 'three-boxes-gb', service: 'Special Delivery', document: '%PDF', data: { service: 'SD1' } },
      ],
      rejects: [
        {
          consignment: 'one-box-gb',
          service: 'Tracked 48',
          change: ({ itemList }) => ({ itemList: itemList.map((item) => ({ ...item, itemWeight: 31 })) }),
          problem: { messages: ['The weight must be from 1 to 30000 grams (Packages[0].WeightInGrams)'] },
        },
      ],
      unanswered: [
        { consignment: 'three-boxes-gb', service: 'Tracked 24', how: { do: 'reset', acted: true }, ends: 'done' },
      ],
      cancels: { consignment: 'one-box-gb', service: 'Tracked 48', problem: { messages: ['The order is despatched'] } },
      probes: true,
    },
    (opened) => (trip = opened),
  );

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
});
