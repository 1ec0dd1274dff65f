import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('purolator');

const contentOf = (fetched: unknown): string => {
  const [{ label }] = fetched as [{ label: { content: string } }];
  return Buffer.from(label.content, 'base64').toString('latin1');
};

it('has every scan that Purolator publishes, as the page about it says', () => {
  expect(writtenStatuses('purolator')).toEqual(publishedStatuses('purolator'));
});

describe('against the E-Ship services as they are published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('purolator', { account: '9999999999' });
  });
  afterEach(async () => {
    await trip.close();
  });
  it.each([
    ['one-box-ca', 'Express', 'PurolatorExpress', 'PDF'],
    ['three-boxes-ca', 'Ground', 'PurolatorGround', 'ZPL'],
    ['one-box-ca-us', 'Express 10:30', 'PurolatorExpressU.S.10:30AM', 'PDF'],
  ] as const)('creates %s by %s, and fetches its labels', async (name, service, code, labelFormat) => {
    const consignment = trip.consignment(name, { labelFormat });
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('purolator');
    expect(accepted.packages.map(({ trackingNumber }) => trackingNumber)).toEqual(
      shipment?.parcels.map(({ trackingNumber }) => trackingNumber),
    );
    expect(shipment?.data['service']).toBe(code);
    const fetched = await trip.run('label', { ...trip.inputsOf(consignment, service), shipment: shipmentOf(accepted) });
    expect(fetched.kind).toBe('done');
    const content = contentOf(fetched.kind === 'done' ? fetched.result : []);
    expect(content).toContain(labelFormat === 'ZPL' ? '^XA' : '%PDF');
  });

  it('waits for a document that is not drawn yet', async () => {
    trip.simulator.behave('purolator', { do: 'label_later', asks: 1 });
    const consignment = trip.consignment('one-box-ca');
    const inputs = trip.inputsOf(consignment, 'Express');
    const shipment = shipmentOf(await trip.create(consignment, 'Express'));
    expect(await trip.run('label', { ...inputs, shipment })).toMatchObject({ kind: 'done', result: [] });
    const again = await trip.run('label', { ...inputs, shipment });
    expect(contentOf(again.kind === 'done' ? again.result : [])).toContain('%PDF');
  });

  it('hears a refusal inside HTTP 200 and by a fault', async () => {
    const wrong = trip.consignment('one-box-ca', { destinationPostalCode: '12345' });
    expect(await trip.run('create', trip.inputsOf(wrong, 'Express'))).toMatchObject({
      kind: 'rejected',
      problem: { code: '1100664' },
    });
    const short = trip.consignment('one-box-ca', { destinationContactNumber: '12' });
    expect(await trip.run('create', trip.inputsOf(short, 'Express'))).toMatchObject({
      kind: 'rejected',
      problem: { code: 'validation_fault' },
    });
  });

  it.each(['reset', 'truncated', 'wrong_count'] as const)('never sends twice what a %s left open', async (problem) => {
    trip.simulator.behave('purolator', { do: problem, acted: true });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('three-boxes-ca'), 'Ground'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(trip.simulator.shipments('purolator')).toHaveLength(1);
  });

  it('voids, takes a repeat for done, and is refused once it is on its way', async () => {
    const consignment = trip.consignment('three-boxes-ca');
    const inputs = trip.inputsOf(consignment, 'Ground');
    const cancel = { ...inputs, shipment: shipmentOf(await trip.create(consignment, 'Ground')) };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    const moving = { ...inputs, shipment: shipmentOf(await trip.create(consignment, 'Ground')) };
    await trip.simulator.advance('purolator', { reference: consignment.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', moving)).toMatchObject({ kind: 'rejected', problem: { code: '1100531' } });
  });

  it('tracks all pieces in one call', async () => {
    const { packages: items } = shipmentOf(await trip.create(trip.consignment('three-boxes-ca'), 'Ground'));
    await trip.simulator.advance('purolator', { trackingNumber: items[1]?.trackingNumber ?? '', status: 'DELIVERED' });
    const tracked = await trip.run('track', { items });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const said = updates.map((update) => [update.value, normalise(trip.carrier, update, 0).status].join(': '));
    expect(said.toSorted((one, other) => one.localeCompare(other))).toEqual(
      [
        ...items.map(({ trackingNumber }) => `${trackingNumber}: Order Created`),
        `${items[1]?.trackingNumber}: Order Delivered`,
      ].toSorted((one, other) => one.localeCompare(other)),
    );
    expect(updates[0]?.statusReceivedAt).toBe('2026-05-01 050000');
  });

  it('is known by its key', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
});
