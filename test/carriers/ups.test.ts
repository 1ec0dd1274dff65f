import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import type { FetchedLabel } from '../../src/engine/dispatch/result.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('ups');

it('has every status code that the page about it says, with that status', () => {
  expect(writtenStatuses('ups')).toEqual(publishedStatuses('ups'));
});

describe('against UPS as it is published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('ups', { account: 'A1B2C3' });
  });
  afterEach(async () => {
    await trip.close();
  });

  it.each([
    ['one-box-us', 'Ground', '03'],
    ['three-boxes-us', 'Next Day Air', '01'],
    ['three-boxes-de', 'Standard', '11'],
    ['one-box-de-us', 'Worldwide Saver', '65'],
    ['one-box-au-us', 'Worldwide Expedited', '08'],
  ])('creates %s by %s, its labels in the same answer', async (name, service, code) => {
    const change = { labelFormat: 'ZPL' as const };
    const consignment = trip.consignment(name, name === 'one-box-au-us' ? { ...change, skuList: [] } : change);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('ups');
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
    );
    expect(labelsOf(accepted)).toEqual(consignment.itemList.map(() => '^XA^'));
    expect(shipment?.data['service']).toBe(code);
    expect(shipment?.reference).toBe(consignment.referenceId);
  });

  it('fetches PDF from label recovery, once UPS has it', async () => {
    trip.simulator.behave('ups', { do: 'label_later', asks: 1 });
    const consignment = trip.consignment('three-boxes-us');
    const accepted = await trip.create(consignment, 'Ground');
    expect(labelsOf(accepted)).toEqual(['none', 'none', 'none']);
    const asked = { ...trip.inputsOf(consignment, 'Ground'), shipment: shipmentOf(accepted) };
    const attemptLog = trip.attemptLog();
    let outcome = await trip.run('label', asked, { attemptLog });
    for (let time = 0; outcome.kind === 'waiting' && time < 4; time += 1) {
      trip.wait(60_000);
      outcome = await trip.run('label', asked, { attemptLog });
    }
    const labels = outcome.kind === 'done' ? (outcome.result as FetchedLabel[]) : [];
    expect(labels.map(({ itemReferenceNumber }) => itemReferenceNumber)).toEqual(['PKG-1', 'PKG-2', 'PKG-3']);
    for (const { label } of labels)
      expect(Buffer.from(String(label.content), 'base64').subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('hears a refusal', async () => {
    const far = trip.consignment('one-box-us', { destinationPostalCode: '9000' });
    expect(await trip.run('create', trip.inputsOf(far, 'Ground'))).toMatchObject({
      kind: 'rejected',
      problem: { code: '120207', messages: ['Missing/Invalid ShipTo PostalCode (120207)'] },
    });
  });

  it('finds by its reference what was made though no answer came, and sends nothing again', async () => {
    trip.simulator.behave('ups', { do: 'reset', acted: true, path: '/ship' });
    const asked = trip.inputsOf(trip.consignment('three-boxes-us', { labelFormat: 'ZPL' }), 'Ground');
    const attemptLog = trip.attemptLog();
    expect(await trip.run('create', asked, { attemptLog })).toMatchObject({ kind: 'waiting' });
    trip.wait(60_000);
    expect(await trip.run('create', asked, { attemptLog })).toMatchObject({ kind: 'done' });
    expect(trip.simulator.shipments('ups')).toHaveLength(1);
  });

  it('renews a token that UPS no longer takes', async () => {
    await trip.create(trip.consignment('one-box-us'), 'Ground');
    trip.wait(13_500_000);
    await trip.create(trip.consignment('one-box-us', { referenceId: 'REF-9' }), 'Ground');
    const logins = trip.simulator.requests.filter(({ path }) => path.endsWith('/token'));
    expect(logins.map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each(['wrong_echo', 'wrong_count'] as const)('takes an answer with a %s for no success', async (mischief) => {
    trip.simulator.behave('ups', { do: mischief, path: '/ship' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('three-boxes-us'), 'Ground'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('voids, takes a repeat for done, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('one-box-us');
    const shipment = shipmentOf(await trip.create(consignment, 'Ground'));
    const cancel = { ...trip.inputsOf(consignment, 'Ground'), shipment };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    const other = trip.consignment('one-box-us', { referenceId: 'REF-9' });
    const moving = shipmentOf(await trip.create(other, 'Ground'));
    await trip.simulator.advance('ups', { reference: 'REF-9', status: 'PICKED_UP' });
    const late = await trip.run('cancel', { ...trip.inputsOf(other, 'Ground'), shipment: moving });
    expect(late).toMatchObject({ kind: 'rejected', problem: { code: '190101' } });
  });

  it('tracks each number through its journey', async () => {
    const { packages } = shipmentOf(await trip.create(trip.consignment('one-box-us'), 'Ground'));
    const [item] = packages;
    await trip.simulator.play('ups', { reference: 'REF-3001', journey: 'returned', intervalMs: 0 });
    const tracked = await trip.run('track', { item });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const said = updates.map((update) => normalise(trip.carrier, update, 0));
    expect(said.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(said.map(({ status }) => status).toReversed()).toEqual([
      'Order Created',
      'Order Picked Up',
      'In Transit',
      'At Facility',
      'At Facility',
      'Out for Delivery',
      'Delivery Failed',
      'Returned to Origin',
    ]);
  });
});
