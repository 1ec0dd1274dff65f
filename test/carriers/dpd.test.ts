import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('dpd');

it('has every status that DPD publishes, as the page about it says', () => {
  expect(writtenStatuses('dpd')).toEqual(publishedStatuses('dpd'));
});

describe('against the SOAP services as they are published', () => {
  let trip: Trip;
  const logins = (): number => trip.simulator.requests.filter(({ path }) => path.includes('LoginService')).length;
  beforeEach(async () => {
    trip = await openTrip('dpd');
  });
  afterEach(async () => {
    await trip.close();
  });

  it.each([
    ['one-box-be-nl', 'Standard', 'CL'],
    ['three-boxes-be-nl', 'Home', 'CL'],
    ['three-boxes-be-nl', 'Express', 'E12'],
    ['one-box-de', 'Express 10:00', 'E10'],
  ])('creates %s by %s, with one document for all', async (name, service, product) => {
    const accepted = await trip.create(trip.consignment(name), service);
    const [shipment] = trip.simulator.shipments('dpd');
    expect(accepted.masterTrackingNumber).toBe(shipment?.trackingNumber);
    expect(
      accepted.packages.map(({ itemReferenceNumber, trackingNumber }) => [itemReferenceNumber, trackingNumber]),
    ).toEqual(shipment?.parcels.map(({ reference, trackingNumber }) => [reference, trackingNumber]));
    expect(shipment?.data['product']).toBe(product);
    expect(Buffer.from(String(accepted.label?.content), 'base64').subarray(0, 4).toString()).toBe('%PDF');
  });

  it('asks for ZPL in DPD’s word for it', async () => {
    const { label } = await trip.create(trip.consignment('one-box-be-nl', { labelFormat: 'ZPL' }), 'Standard');
    expect(Buffer.from(String(label?.content), 'base64').toString()).toContain('^XA');
  });

  it('logs in once for many calls, and again after the day of the token', async () => {
    await trip.create(trip.consignment('one-box-be-nl'), 'Standard');
    trip.wait(22 * 3_600_000);
    await trip.create(trip.consignment('one-box-be-nl'), 'Standard');
    expect(logins()).toBe(1);
    trip.wait(2.1 * 3_600_000);
    await trip.create(trip.consignment('one-box-be-nl'), 'Standard');
    expect(logins()).toBe(2);
    expect(trip.simulator.shipments('dpd')).toHaveLength(3);
  });

  it('hears a refusal inside HTTP 200', async () => {
    const wrong = trip.consignment('one-box-be-nl', { destinationPostalCode: '35110' });
    expect(await trip.run('create', trip.inputsOf(wrong, 'Standard'))).toMatchObject({
      kind: 'rejected',
      problem: { code: 'address_zip_code_invalid', messages: ['The zip code of the recipient is not valid.'] },
    });
    expect(trip.simulator.requests.at(-1)?.status).toBe(200);
  });

  it.each(['reset', 'truncated', 'wrong_count'] as const)('never sends twice what a %s left open', async (problem) => {
    trip.simulator.behave('dpd', { do: problem, acted: true, path: 'ShipmentService' });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('three-boxes-be-nl'), 'Standard'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(trip.simulator.shipments('dpd')).toHaveLength(1);
  });

  it('takes an order whose labels are missing all the same', async () => {
    trip.simulator.behave('dpd', { do: 'label_later', path: 'ShipmentService' });
    expect(labelsOf(await trip.create(trip.consignment('one-box-be-nl'), 'Standard'))).toEqual(['none']);
  });

  it('cancels without a call, and tracks each parcel in the zone of Brussels', async () => {
    const consignment = trip.consignment('three-boxes-be-nl');
    const shipment = shipmentOf(await trip.create(consignment, 'Standard'));
    const [, second] = shipment.packages;
    await trip.simulator.advance('dpd', { trackingNumber: second?.trackingNumber ?? '', status: 'PICKED_UP' });
    const tracked = await trip.run('track', { item: second });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    expect(updates.map((update) => [update.value, normalise(trip.carrier, update, 0)])).toMatchObject([
      [second?.trackingNumber, { status: 'Order Picked Up', warnings: [] }],
    ]);
    expect(updates[0]?.statusReceivedAt).toBe('5/1/2026 11:00:01 AM');
    const asked = trip.simulator.requests.length;
    const cancelled = await trip.run('cancel', { ...trip.inputsOf(consignment, 'Standard'), shipment });
    expect([cancelled.kind, trip.simulator.requests.length]).toEqual(['done', asked]);
  });
});
