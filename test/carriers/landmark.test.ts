import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('landmark');

it('has every status that Landmark publishes, as the page about it says', () => {
  expect(writtenStatuses('landmark')).toEqual(publishedStatuses('landmark'));
});

describe('against the Mercury API as it is published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('landmark');
  });
  afterEach(async () => {
    await trip.close();
  });

  it.each([
    ['one-box-us-ca', 'Standard', 'LGINTSTD'],
    ['three-boxes-us-ca', 'Economy', 'LGINTBPIP'],
    ['one-box-au-us', 'Express', 'LGINTUPSS'],
    ['one-box-de-us', 'Standard DDU', 'LGINTSTDU'],
  ])('creates %s by %s, with a label for each package', async (name, service, code) => {
    const consignment = trip.consignment(name);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('landmark');
    expect(
      accepted.packages.map(({ itemReferenceNumber, trackingNumber }) => [itemReferenceNumber, trackingNumber]),
    ).toEqual(shipment?.parcels.map(({ reference, trackingNumber }) => [reference, trackingNumber]));
    expect(labelsOf(accepted)).toEqual(consignment.itemList.map(() => '%PDF'));
    expect(shipment?.data['service']).toBe(code);
  });

  it('asks for ZPL without naming an encoding', async () => {
    const accepted = await trip.create(trip.consignment('one-box-us-ca', { labelFormat: 'ZPL' }), 'Standard');
    expect(labelsOf(accepted)).toEqual([expect.stringContaining('^XA')]);
  });

  it('hears a refusal inside HTTP 200', async () => {
    const consignment = trip.consignment('one-box-us-ca', { destinationPostalCode: '' });
    expect(await trip.run('create', trip.inputsOf(consignment, 'Standard'))).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['Required element PostalCode not found'] },
    });
  });

  it.each(['reset', 'truncated', 'wrong_count'] as const)(
    'asks by the reference what a %s left open',
    async (problem) => {
      trip.simulator.behave('landmark', { do: problem, acted: true, path: 'Ship' });
      const inputs = trip.inputsOf(trip.consignment('three-boxes-us-ca'), 'Standard');
      const attemptLog = trip.attemptLog();
      let outcome = await trip.run('create', inputs, { attemptLog });
      for (let tries = 0; outcome.kind === 'waiting' && tries < 3; tries += 1) {
        trip.wait(60_000);
        outcome = await trip.run('create', inputs, { attemptLog });
      }
      const calls = trip.simulator.requests.map(({ path }) => path);
      expect([outcome.kind, trip.simulator.shipments('landmark').length, calls]).toEqual(
        problem === 'wrong_count' ? ['held', 1, ['/v2/Ship.php']] : ['done', 1, ['/v2/Ship.php', '/v2/Track.php']],
      );
    },
  );

  it('voids, takes a repeat for done, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('three-boxes-us-ca');
    const shipment = shipmentOf(await trip.create(consignment, 'Standard'));
    const cancel = { ...trip.inputsOf(consignment, 'Standard'), shipment };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    await trip.create(consignment, 'Standard');
    await trip.simulator.advance('landmark', { reference: consignment.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', cancel)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['Already manifested'] },
    });
  });

  it('tracks a package by its number, in the time of Chicago', async () => {
    const { packages } = shipmentOf(await trip.create(trip.consignment('three-boxes-us-ca'), 'Standard'));
    const [, second] = packages;
    await trip.simulator.advance('landmark', { trackingNumber: second?.trackingNumber ?? '', status: 'DELIVERED' });
    const tracked = await trip.run('track', { item: second });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    expect(updates.map((update) => [update.value, normalise(trip.carrier, update, 0)])).toMatchObject([
      [second?.trackingNumber, { status: 'Label Generated', warnings: [] }],
      [second?.trackingNumber, { status: 'Order Delivered', warnings: [] }],
    ]);
    expect(updates[0]?.statusReceivedAt).toBe('2026-05-01 04:00:00');
  });

  it('is known by its user', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
});
