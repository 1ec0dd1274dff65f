import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchedLabel } from '../../src/engine/dispatch/result.ts';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('australia_post');

it('has all the words of events that the page about it says, with that status', () => {
  expect(writtenStatuses('australia_post')).toEqual(publishedStatuses('australia_post'));
});

describe('against eParcel as it is published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('australia_post', { account: '0001234567' });
  });
  afterEach(async () => {
    await trip.close();
  });

  const labelsFrom = async (shipment: ReturnType<typeof shipmentOf>): Promise<readonly FetchedLabel[]> => {
    const consignment = trip.consignment('three-boxes-au');
    const outcome = await trip.run('label', { ...trip.inputsOf(consignment, 'Parcel Post'), shipment });
    return outcome.kind === 'done' ? (outcome.result as FetchedLabel[]) : [];
  };

  it.each([
    ['one-box-au', 'Parcel Post', '3D55'],
    ['three-boxes-au', 'Express Post', '3J55'],
  ])('creates %s by %s, and asks for its labels', async (name, service, product) => {
    const consignment = trip.consignment(name);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('australia_post');
    expect(accepted.masterTrackingNumber).toBe(shipment?.trackingNumber);
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
    );
    expect(labelsOf(accepted)).toEqual(consignment.itemList.map(() => 'none'));
    expect(accepted.memo).toEqual({
      shipmentId: shipment?.data['id'],
      labelJob: expect.stringMatching(/^[0-9a-f-]+$/),
    });
    expect(shipment?.data['product']).toBe(product);
  });

  it('asks after the job of the labels until there is one document for all', async () => {
    trip.simulator.behave('australia_post', { do: 'label_later', path: '/labels', asks: 1 });
    const shipment = shipmentOf(await trip.create(trip.consignment('three-boxes-au'), 'Parcel Post'));
    expect(await labelsFrom(shipment)).toEqual([]);
    const [label, ...others] = await labelsFrom(shipment);
    expect(others).toEqual([]);
    expect(label?.itemReferenceNumber).toBeUndefined();
    const fetched = await fetch(String(label?.label.url));
    expect(
      Buffer.from(await fetched.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    expect(trip.simulator.requests.filter(({ path }) => path === '/shipping/v1/labels')).toHaveLength(1);
  });

  it('keeps a shipment whose label job is refused, and asks for another', async () => {
    trip.simulator.behave('australia_post', { do: 'status', status: 500, path: '/labels' });
    const accepted = await trip.create(trip.consignment('three-boxes-au'), 'Parcel Post');
    expect(accepted.memo['labelJob']).toBeUndefined();
    expect(await labelsFrom(shipmentOf(accepted))).toHaveLength(1);
  });

  it('hears a refusal', async () => {
    const { itemList } = trip.consignment('one-box-au');
    const heavy = itemList.map((item) => ({ ...item, itemWeight: 30 }));
    const asked = trip.inputsOf(trip.consignment('one-box-au', { itemList: heavy }), 'Parcel Post');
    expect(await trip.run('create', asked)).toMatchObject({
      kind: 'rejected',
      problem: { code: '44010', messages: ['The weight 30 exceeds the maximum weight of 22 kg.'] },
    });
  });

  it('never sends twice what nobody knows of', async () => {
    trip.simulator.behave('australia_post', { do: 'reset', acted: true, path: '/shipments' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('one-box-au'), 'Parcel Post'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(trip.simulator.shipments('australia_post')).toHaveLength(1);
  });

  it.each(['wrong_echo', 'wrong_count'] as const)('takes an answer with a %s for no success', async (mischief) => {
    trip.simulator.behave('australia_post', { do: mischief, path: '/shipments' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('three-boxes-au'), 'Parcel Post'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('deletes, takes a repeat for done, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('three-boxes-au');
    const shipment = shipmentOf(await trip.create(consignment, 'Parcel Post'));
    const cancel = { ...trip.inputsOf(consignment, 'Parcel Post'), shipment };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    const other = trip.consignment('one-box-au');
    const moving = shipmentOf(await trip.create(other, 'Parcel Post'));
    await trip.simulator.advance('australia_post', { reference: other.referenceId, status: 'PICKED_UP' });
    const late = await trip.run('cancel', { ...trip.inputsOf(other, 'Parcel Post'), shipment: moving });
    expect(late).toMatchObject({ kind: 'rejected', problem: { code: '44014' } });
  });

  it('tracks all packages at once through their journey', async () => {
    const { packages: items } = shipmentOf(await trip.create(trip.consignment('three-boxes-au'), 'Parcel Post'));
    await trip.simulator.play('australia_post', { reference: 'REF-2003', journey: 'returned', intervalMs: 0 });
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
        'Returned to Origin',
      ]);
    }
  });

  it('is known by its key and its account', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
});
