import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeTrips, JOURNEY } from './common-trips.ts';
import { pushedTo, ROOT } from './trip.ts';

const trip = describeTrips({
  code: 'plain',
  creates: [
    ['one-box-de', 'Express', {}, { labels: 'PDF' }],
    ['three-boxes-de', 'Express', {}, { labels: 'PDF' }],
    ['one-box-de-us', 'Express', {}, { labels: 'PDF' }],
  ],
  unanswered: { given: ['three-boxes-de', 'Express'], done: ['reset'], held: ['wrong_echo', 'wrong_count'] },
});

it('is the minimal profile of the language: no operation, no mapping, no status of its own', () => {
  const lines = readFileSync(`${ROOT}/carriers/plain.yaml`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toHaveLength(7);
});

it.each(['one-box-de', 'three-boxes-de', 'one-box-de-us'])(
  'sends of %s nothing that the contract does not have',
  async (name) => {
    await trip.send(name, 'Express');
    expect(trip.simulator.requests[0]?.findings).toEqual([]);
  },
);

it('updates, and cancels', async () => {
  await trip.send('one-box-de', 'Express');
  const { inputs, packages } = await trip.send('three-boxes-de', 'Express');
  const acting = (typeOfAction: 'UPDATE' | 'CANCEL', change = {}) => ({
    ...inputs,
    consignment: { ...inputs.consignment, typeOfAction, ...change },
  });
  const updated = await trip.run('update', acting('UPDATE', { destinationContactNumber: '+49895550199' }));
  const result = { packages: packages.map(({ trackingNumber }) => ({ trackingNumber })) };
  expect(updated).toMatchObject({ kind: 'done', result });
  expect((await trip.run('cancel', acting('CANCEL'))).kind).toBe('done');
  expect(trip.simulator.shipments('plain').map(({ cancelled }) => cancelled)).toEqual([false, true]);
  await trip.send('three-boxes-de', 'Express');
  await trip.simulator.advance('plain', { reference: inputs.consignment.referenceId, status: 'PICKED_UP' });
  expect(await trip.run('cancel', acting('CANCEL'))).toMatchObject({
    kind: 'rejected',
    problem: { messages: ['the shipment is already picked up'] },
  });
});

it('pushes statuses that the table of the contract knows', async () => {
  trip.simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { plain: 'nobody-listens' } });
  await trip.send('one-box-de', 'Express');
  await trip.simulator.play('plain', { reference: 'REF-1001', journey: 'returned', intervalMs: 0 });
  const events = pushedTo(trip);
  expect(events.map(({ status }) => status)).toEqual([...JOURNEY, 'Delivery Failed', 'Returned to Origin']);
  expect(events.flatMap(({ warnings }) => warnings)).toEqual([]);
});
