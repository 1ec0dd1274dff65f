import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeCases, publishedStatuses, writtenStatuses } from './cases.ts';
import { labelsOf, openTrip, shipmentOf, type Trip } from './trip.ts';

describeCases('seko');

it('has every event code that SEKO publishes, with the status that the page about it says', () => {
  expect(writtenStatuses('seko')).toEqual(publishedStatuses('seko'));
});

describe('against OmniParcel as it is published', () => {
  let trip: Trip;
  beforeEach(async () => {
    trip = await openTrip('seko', { currency: 'AUD' });
  });
  afterEach(async () => {
    await trip.close();
  });

  it.each([
    ['one-box-au', 'Standard', 'eCommerce Standard Tracked'],
    ['three-boxes-au', 'Domestic Express', 'Domestic Express'],
    ['one-box-au-us', 'Express', 'eCommerce Express Tracked'],
    ['one-box-de', 'Standard', 'eCommerce Standard Tracked'],
  ])('creates %s by %s, with a label for each part', async (name, service, code) => {
    const consignment = trip.consignment(name);
    const accepted = await trip.create(consignment, service);
    const [shipment] = trip.simulator.shipments('seko');
    expect(accepted.masterTrackingNumber).toBe(shipment?.trackingNumber);
    expect(
      accepted.packages.map(({ itemReferenceNumber, trackingNumber }) => [itemReferenceNumber, trackingNumber]),
    ).toEqual(shipment?.parcels.map(({ reference, trackingNumber }) => [reference, trackingNumber]));
    expect(labelsOf(accepted)).toEqual(consignment.itemList.map(() => '%PDF'));
    expect(shipment?.data['service']).toBe(code);
  });

  it.each([
    ['ZPL', '^XA'],
    ['PNG', 'PNG'],
  ] as const)('asks for %s in SEKO’s word for it', async (labelFormat, start) => {
    const accepted = await trip.create(trip.consignment('three-boxes-au', { labelFormat }), 'Standard');
    expect(labelsOf(accepted)).toEqual([start, start, start].map((text) => expect.stringContaining(text)));
  });

  it('hears every refusal inside HTTP 200', async () => {
    const { itemList } = trip.consignment('one-box-au');
    const flat = itemList.map((item) => ({ ...item, itemLength: 0 }));
    const outcome = await trip.run(
      'create',
      trip.inputsOf(trip.consignment('one-box-au', { itemList: flat }), 'Standard'),
    );
    expect(outcome).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['Packages[0].Length: Length must be greater than 0'] },
    });
    expect(trip.simulator.requests.at(-1)?.status).toBe(200);
  });

  it('never sends twice what nobody knows of', async () => {
    trip.simulator.behave('seko', { do: 'reset', acted: true });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('one-box-au'), 'Standard'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(trip.simulator.shipments('seko')).toHaveLength(1);
  });

  it.each(['wrong_echo', 'wrong_count'] as const)('takes an answer with a %s for no success', async (mischief) => {
    trip.simulator.behave('seko', { do: mischief });
    const outcome = await trip.run('create', trip.inputsOf(trip.consignment('three-boxes-au'), 'Standard'));
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('takes a consignment whose labels are missing all the same', async () => {
    trip.simulator.behave('seko', { do: 'label_later' });
    expect(labelsOf(await trip.create(trip.consignment('one-box-au'), 'Standard'))).toEqual(['none']);
  });

  it('deletes, takes a repeat for done, and is refused once the parcel is on its way', async () => {
    const consignment = trip.consignment('three-boxes-au');
    const shipment = shipmentOf(await trip.create(consignment, 'Standard'));
    const cancel = { ...trip.inputsOf(consignment, 'Standard'), shipment };
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });
    expect(await trip.run('cancel', cancel)).toMatchObject({ kind: 'done' });

    const other = trip.consignment('one-box-au');
    const moving = shipmentOf(await trip.create(other, 'Standard'));
    await trip.simulator.advance('seko', { reference: other.referenceId, status: 'PICKED_UP' });
    expect(await trip.run('cancel', { ...trip.inputsOf(other, 'Standard'), shipment: moving })).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['Cannot be deleted. Already in transit.'] },
    });
  });

  it('tracks a consignment once for all its parts', async () => {
    const consignment = trip.consignment('three-boxes-au');
    const { packages: items } = shipmentOf(await trip.create(consignment, 'Standard'));
    const [, second] = items;
    await trip.simulator.advance('seko', { trackingNumber: second?.trackingNumber ?? '', status: 'DELIVERED' });
    const tracked = await trip.run('track', { items });
    const updates = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]) : [];
    const said = updates.map((update) => {
      const { status, warnings } = normalise(trip.carrier, update, 0);
      return [update.type, update.value, status, warnings];
    });
    const parts = items.map(({ memo }) => memo['part']);
    expect(said).toEqual([
      ...parts.map((part) => ['part', part, 'Order Created', []]),
      ['part', parts[1], 'Order Delivered', []],
    ]);
    expect(JSON.parse(trip.simulator.requests.at(-1)?.body ?? '')).toHaveLength(1);
  });

  it('pushes the same event that track yields, proved by the headers that the profile asks for', async () => {
    const platform = await openReceiver();
    trip.simulator.pushTo({ url: platform.url, secrets: { seko: 'example-user:example-password' } });
    const { packages: items } = shipmentOf(await trip.create(trip.consignment('one-box-au'), 'Standard'));
    await trip.simulator.advance('seko', { reference: 'REF-2001', status: 'OUT_FOR_DELIVERY' });
    await platform.close();
    const [push] = platform.received;
    const { webhook } = trip.carrier.statuses;
    const proof = webhook?.auth.map((auth) => push?.headers[auth.kind === 'apiKey' ? auth.field.toLowerCase() : '']);
    expect(proof).toEqual(['example-user', 'example-password']);
    const roots = { request: { headers: push?.headers, body: push?.body }, settings: { timezone: 'UTC' } };
    const context = { tables: {}, time: trip.carrier.time, nowMs: 0, drawn: () => '' };
    const pushed = await webhook?.events.evaluate(roots, context);
    const tracked = await trip.run('track', { items });
    const last = tracked.kind === 'done' ? (tracked.result as StatusUpdate[]).at(-1) : undefined;
    expect([pushed].flat()).toEqual([last]);
    expect(last).toMatchObject({ type: 'part', carrierStatusCode: 'OP-21' });
  });

  it('is known by its key', async () => {
    expect(await trip.run('probe', {})).toMatchObject({ kind: 'done' });
  });
});

/** The platform's side of a push: keeps what comes and answers 200. */
const openReceiver = async () => {
  const received: { headers: IncomingHttpHeaders; body: unknown }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body: JSON.parse(body) as unknown });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, received, close };
};
