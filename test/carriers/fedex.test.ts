import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('fedex');

it('has every event type that the page about it says, with that status', () => {
  expect(writtenStatuses('fedex')).toEqual(publishedStatuses('fedex'));
});

describe('against FedEx as it is published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('fedex', { account: '700001234' });
  });
  afterEach(async () => {
    await trip.close();
  });

  it.each([
    ['one-box-us', 'Ground', 'PDF', '%PDF'],
    ['three-boxes-us', 'Priority Overnight', 'ZPL', '^XA^'],
    ['three-boxes-de', 'Ground', 'PNG', '\uFFFDPNG'],
    ['one-box-de-us', 'International Priority', 'PDF', '%PDF'],
    ['one-box-au-us', 'International Economy', 'PDF', '%PDF'],
  ] as const)('creates %s by %s, with a label for each package in %s', async (name, service, labelFormat, start) => {
    const consignment = trip.consignment(name, { labelFormat });
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('fedex');
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
    );
    expect(labelsOf(accepted)).toEqual(consignment.itemList.map(() => start));
    expect(shipment?.reference).toBe(consignment.referenceId);
  });

  it('hears a refusal', async () => {
    const far = trip.consignment('one-box-us', { destinationPostalCode: '9000' });
    expect(await trip.run('create', trip.inputsOf(far, 'Ground'))).toMatchObject({
      kind: 'rejected',
      problem: { code: 'RECIPIENT.POSTALCODE.INVALID' },
    });
  });

  it('never sends twice what nobody knows of', async () => {
    trip.simulator.behave('fedex', { do: 'reset', acted: true, path: '/shipments' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('one-box-us'), 'Ground'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(trip.simulator.shipments('fedex')).toHaveLength(1);
  });

  it.each(['wrong_echo', 'wrong_count'] as const)('takes an answer with a %s for no success', async (mischief) => {
    trip.simulator.behave('fedex', { do: mischief, path: '/shipments' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('three-boxes-us'), 'Ground'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('cancels, takes a repeat for done, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('three-boxes-us');
    const cancel = {
      ...trip.inputsOf(consignment, 'Ground'),
      shipment: shipmentOf(await trip.create(consignment, 'Ground')),
    };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    const other = trip.consignment('one-box-us');
    const moving = shipmentOf(await trip.create(other, 'Ground'));
    await trip.simulator.advance('fedex', { reference: other.referenceId, status: 'PICKED_UP' });
    const late = await trip.run('cancel', { ...trip.inputsOf(other, 'Ground'), shipment: moving });
    expect(late).toMatchObject({ kind: 'rejected', problem: { messages: [expect.stringContaining('in transit')] } });
  });

  it('tracks all packages at once, by the token of the project for tracking', async () => {
    const { packages: items } = shipmentOf(await trip.create(trip.consignment('three-boxes-us'), 'Ground'));
    await trip.simulator.play('fedex', { reference: 'REF-3003', journey: 'returned', intervalMs: 0 });
    const tracked = await trip.run('track', { items });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const said = updates.map((update) => ({ ...normalise(trip.carrier, update, 0), value: update.value }));
    expect(said.flatMap(({ warnings }) => warnings)).toEqual([]);
    for (const { trackingNumber } of items) {
      const own = said.filter(({ value }) => value === trackingNumber).map(({ status }) => status);
      expect(own.toReversed()).toEqual([
        'Order Created',
        'Order Picked Up',
        'In Transit',
        'At Facility',
        'At Facility',
        'Out for Delivery',
        'Delivery Failed',
        'Return Initiated',
      ]);
    }
    const logins = trip.simulator.requests.filter(({ path }) => path === '/oauth/token').map(({ body }) => body);
    expect(logins.map((form) => new URLSearchParams(form).get('client_id'))).toEqual([
      'simulated-key',
      'simulated-track-key',
    ]);
  });
});
