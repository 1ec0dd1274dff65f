import { describe, expect, it } from 'vitest';
import { readContractPush } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, NOW, shipmentOf, type Trip } from './trip.ts';

describe('against a big-and-bulky carrier on the contract', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'example_bulky',
      rejects: [
        {
          consignment: 'three-appliances-de',
          service: 'White Glove',
          change: { vas: [] },
          problem: { messages: ['goods above 50 kg need TWO_MAN_DELIVERY'] },
        },
      ],
      unanswered: [{ consignment: 'one-sofa-de', service: 'Two-Man', how: { do: 'reset', acted: true }, ends: 'done' }],
    },
    (opened) => (trip = opened),
  );

  it.each([
    ['one-sofa-de', 'Two-Man', 'TWO_MAN'],
    ['three-appliances-de', 'White Glove', 'WHITE_GLOVE'],
  ])('creates %s by %s, value-added services and SKUs included', async (name, service, code) => {
    const consignment = trip.consignment(name);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('example_bulky');
    expect(accepted.packages).toHaveLength(consignment.itemList.length);
    for (const label of labelsOf(accepted)) expect(label).toMatch(/^http:.*\.pdf$/);
    expect(shipment?.data['consignment']).toMatchObject({
      vas: consignment.vas,
      skuList: consignment.skuList,
      info: { serviceCode: code },
    });
    expect(trip.simulator.requests[0]?.findings).toEqual([]);
  });

  it('takes a return, and an exchange', async () => {
    const back = trip.consignment('one-sofa-de', { typeOfOrder: 'REVERSE' });
    expect((await trip.create(back, 'Two-Man')).packages).toHaveLength(1);
    const exchange = trip.consignment('one-sofa-de', { referenceId: 'REF-9', exchangeOrderNumber: 'ORD-3990' });
    expect((await trip.create(exchange, 'Two-Man')).packages).toHaveLength(1);
  });

  it('changes the services of a visit, cancels, and is refused once the goods are loaded', async () => {
    const consignment = trip.consignment('one-sofa-de');
    const shipment = shipmentOf(await trip.create(consignment, 'Two-Man'));
    const vas = [{ vasCode: 'ROOM_OF_CHOICE', level: 'CONSIGNMENT' as const, targetIds: ['PKG-1'] }];
    const changed = { ...consignment, typeOfAction: 'UPDATE' as const, vas };
    expect(await trip.run('update', { ...trip.inputsOf(changed, 'Two-Man'), shipment })).toMatchObject({
      kind: 'done',
    });
    expect(trip.simulator.shipments('example_bulky')[0]?.data['consignment']).toMatchObject({ vas });
    const cancel = trip.inputsOf({ ...consignment, typeOfAction: 'CANCEL' }, 'Two-Man');
    await trip.simulator.advance('example_bulky', { reference: consignment.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'rejected' });
  });

  it('pushes what its crews do, and what became of each installation', async () => {
    trip.simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { example_bulky: 'nobody-listens' } });
    await trip.create(trip.consignment('three-appliances-de'), 'White Glove');
    await trip.simulator.play('example_bulky', { reference: 'REF-4003', package: 'PKG-1', intervalMs: 0 });
    const said = trip.simulator.pushes.flatMap(({ body }) =>
      readContractPush(Buffer.from(body)).updates.map((update) => ({
        ...normalise(trip.carrier, update, Date.parse(NOW)),
        installationItems: update.installationItems,
      })),
    );
    expect(said.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(said.map(({ status }) => status)).toEqual([
      'Order Created',
      'Order Picked Up',
      'In Transit',
      'At Facility',
      'At Facility',
      'Out for Delivery',
      'Order Delivered',
    ]);
    expect(said.at(-1)?.installationItems).toMatchObject([
      { itemReferenceNumber: 'PKG-1', targetIds: ['1'], vasCode: 'INSTALLATION', statusCode: 'COMPLETED' },
    ]);
  });
});
