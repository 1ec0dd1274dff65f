import { expect, it } from 'vitest';
import { describeTrips, JOURNEY } from './common-trips.ts';
import { labelsOf, pushedTo } from './trip.ts';

const trip = describeTrips({
  code: 'example_bulky',
  rejects: [
    [['three-appliances-de', 'White Glove', { vas: [] }], { messages: ['goods above 50 kg need TWO_MAN_DELIVERY'] }],
  ],
  unanswered: { given: ['one-sofa-de', 'Two-Man'], done: ['reset'] },
});
const sent = (): unknown => trip.simulator.shipments('example_bulky')[0]?.data['consignment'];

it.each([
  ['one-sofa-de', 'Two-Man', 'TWO_MAN'],
  ['three-appliances-de', 'White Glove', 'WHITE_GLOVE'],
])('creates %s by %s, value-added services and SKUs included', async (name, service, serviceCode) => {
  const { accepted, packages, inputs } = await trip.send(name, service);
  expect(packages).toHaveLength(inputs.consignment.itemList.length);
  expect(await labelsOf(accepted)).toEqual(packages.map(({ trackingNumber }) => `PDF ${trackingNumber}`));
  const { vas, skuList } = inputs.consignment;
  expect(sent()).toMatchObject({ vas, skuList, info: { serviceCode } });
  expect(trip.simulator.requests[0]?.findings).toEqual([]);
});

it.each([
  ['a return', { typeOfOrder: 'REVERSE' }],
  ['an exchange', { referenceId: 'REF-9', exchangeOrderNumber: 'ORD-3990' }],
] as const)('takes %s', async (_, change) => {
  expect((await trip.send('one-sofa-de', 'Two-Man', change)).packages).toHaveLength(1);
});

it('changes the services of a visit, and is refused a cancel once the goods are loaded', async () => {
  const { inputs } = await trip.send('one-sofa-de', 'Two-Man');
  const vas = [{ vasCode: 'ROOM_OF_CHOICE', level: 'CONSIGNMENT' as const, targetIds: ['PKG-1'] }];
  const update = { ...inputs.consignment, typeOfAction: 'UPDATE' as const, vas };
  expect(await trip.run('update', { ...inputs, consignment: update })).toMatchObject({ kind: 'done' });
  expect(sent()).toMatchObject({ vas });
  await trip.simulator.advance('example_bulky', { reference: update.referenceId, status: 'PICKED_UP' });
  const cancel = { ...inputs, consignment: { ...inputs.consignment, typeOfAction: 'CANCEL' as const } };
  expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'rejected' });
});

it('pushes what its crews do, and what became of each installation', async () => {
  trip.simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { example_bulky: 'nobody-listens' } });
  await trip.send('three-appliances-de', 'White Glove');
  await trip.simulator.play('example_bulky', { reference: 'REF-4003', package: 'PKG-1', intervalMs: 0 });
  const events = pushedTo(trip);
  expect(events.flatMap(({ warnings }) => warnings)).toEqual([]);
  expect(events.map(({ status }) => status)).toEqual([...JOURNEY, 'Order Delivered']);
  expect(events.at(-1)?.update.installationItems).toMatchObject([
    { itemReferenceNumber: 'PKG-1', targetIds: ['1'], vasCode: 'INSTALLATION', statusCode: 'COMPLETED' },
  ]);
});
