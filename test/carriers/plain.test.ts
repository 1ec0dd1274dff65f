import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { readContractPush } from '../../src/engine/statuses/status-update.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, NOW, ROOT, shipmentOf, type Trip } from './trip.ts';

it('is the minimal profile of the language: no operation, no mapping, no status of its own', () => {
  const lines = readFileSync(`${ROOT}/carriers/plain.yaml`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toHaveLength(7);
});

describe('against a carrier that implements the contract', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'plain',
      unanswered: [
        { consignment: 'one-box-de', service: 'Express', how: { do: 'reset', acted: true }, ends: 'done' },
        ...(['wrong_echo', 'wrong_count'] as const).map((how) => ({
          consignment: 'three-boxes-de',
          service: 'Express',
          how: { do: how },
          ends: 'held' as const,
        })),
      ],
    },
    (opened) => (trip = opened),
  );

  it.each([
    ['one-box-de', 1],
    ['three-boxes-de', 3],
    ['one-box-de-us', 1],
  ])('creates %s, and leaves nothing that the contract does not have', async (name, count) => {
    const accepted = await trip.create(trip.consignment(name), 'Express');
    expect(accepted.packages).toHaveLength(count);
    expect(new Set(accepted.packages.map(({ trackingNumber }) => trackingNumber)).size).toBe(count);
    for (const label of labelsOf(accepted)) expect(label).toMatch(/^http:.*\/labels\/.*\.pdf$/);
    expect(trip.simulator.requests[0]?.findings).toEqual([]);
  });

  it('updates, cancels, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('three-boxes-de');
    const shipment = shipmentOf(await trip.create(consignment, 'Express'));
    const changed = { ...consignment, typeOfAction: 'UPDATE' as const, destinationContactNumber: '+49895550199' };
    const updated = await trip.run('update', { ...trip.inputsOf(changed, 'Express'), shipment });
    expect(updated).toMatchObject({
      kind: 'done',
      result: { packages: shipment.packages.map(({ trackingNumber }) => ({ trackingNumber })) },
    });
    const cancel = { ...trip.inputsOf({ ...consignment, typeOfAction: 'CANCEL' }, 'Express'), shipment };
    await trip.simulator.advance('plain', { reference: consignment.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', cancel)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['the shipment is already picked up'] },
    });

    const other = trip.consignment('one-box-de');
    await trip.create(other, 'Express');
    const done = await trip.run('cancel', trip.inputsOf({ ...other, typeOfAction: 'CANCEL' }, 'Express'));
    expect(done.kind).toBe('done');
    expect(trip.simulator.shipments('plain').map(({ cancelled }) => cancelled)).toEqual([false, true]);
  });

  it('pushes statuses that the table of the contract knows', async () => {
    trip.simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { plain: 'nobody-listens' } });
    await trip.create(trip.consignment('one-box-de'), 'Express');
    await trip.simulator.play('plain', { reference: 'REF-1001', journey: 'returned', intervalMs: 0 });
    const said = trip.simulator.pushes.map(({ body }) => {
      const { updates } = readContractPush(Buffer.from(body));
      return updates.map((update) => normalise(trip.carrier, update, Date.parse(NOW)));
    });
    expect(said.flat().map(({ status }) => status)).toEqual([
      'Order Created',
      'Order Picked Up',
      'In Transit',
      'At Facility',
      'At Facility',
      'Out for Delivery',
      'Delivery Failed',
      'Returned to Origin',
    ]);
    expect(said.flat().flatMap(({ warnings }) => warnings)).toEqual([]);
  });
});
