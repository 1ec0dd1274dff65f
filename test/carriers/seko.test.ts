import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/engine/statuses/status-update.ts';
import { normalise } from '../../src/engine/statuses/normalise.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, shipmentOf, type Trip } from './trip.ts';

describe('against OmniParcel as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'seko',
      settings: { currency: 'AUD' },
      creates: [
        {
          consignment: 'one-box-au',
          service: 'Standard',
          labels: '%PDF',
          data: { service: 'eCommerce Standard Tracked' },
        },
        {
          consignment: 'three-boxes-au',
          service: 'Domestic Express',
          labels: '%PDF',
          data: { service: 'Domestic Express' },
        },
        {
          consignment: 'one-box-au-us',
          service: 'Express',
          labels: '%PDF',
          data: { service: 'eCommerce Express Tracked' },
        },
        {
          consignment: 'one-box-de',
          service: 'Standard',
          labels: '%PDF',
          data: { service: 'eCommerce Standard Tracked' },
        },
        { consignment: 'three-boxes-au', service: 'Standard', change: { labelFormat: 'ZPL' }, labels: '^XA' },
        { consignment: 'three-boxes-au', service: 'Standard', change: { labelFormat: 'PNG' }, labels: 'PNG' },
      ],
      rejects: [
        {
          consignment: 'one-box-au',
          service: 'Standard',
          change: ({ itemList }) => ({ itemList: itemList.map((item) => ({ ...item, itemLength: 0 })) }),
          inside: 200,
          problem: { messages: ['Packages[0].Length: Length must be greater than 0'] },
        },
      ],
      unanswered: (['reset', 'wrong_echo', 'wrong_count'] as const).map((how) => ({
        consignment: 'three-boxes-au',
        service: 'Standard',
        how: { do: how, acted: true },
        ends: 'held',
      })),
      cancels: {
        consignment: 'three-boxes-au',
        service: 'Standard',
        problem: { messages: ['Cannot be deleted. Already in transit.'] },
      },
      probes: true,
    },
    (opened) => (trip = opened),
  );

  it('takes a consignment whose labels are missing all the same', async () => {
    trip.simulator.behave('seko', { do: 'label_later' });
    expect(labelsOf(await trip.create(trip.consignment('one-box-au'), 'Standard'))).toEqual(['none']);
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
