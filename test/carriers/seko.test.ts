import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { openReceiver } from '../simulator/call.ts';

const [TRACKED, EXPRESS] = [{ service: 'eCommerce Standard Tracked' }, { service: 'eCommerce Express Tracked' }];
const trip = describeTrips({
  code: 'seko',
  settings: { currency: 'AUD' },
  creates: [
    ['one-box-au', 'Standard', {}, { labels: 'PDF', data: TRACKED }],
    ['three-boxes-au', 'Domestic Express', {}, { labels: 'PDF', data: { service: 'Domestic Express' } }],
    ['one-box-au-us', 'Express', {}, { labels: 'PDF', data: EXPRESS }],
    ['one-box-de', 'Standard', {}, { labels: 'PDF', data: TRACKED }],
    ['three-boxes-au', 'Standard', { labelFormat: 'ZPL' }, { labels: 'ZPL' }],
    ['three-boxes-au', 'Standard', { labelFormat: 'PNG' }, { labels: 'PNG' }],
  ],
  rejects: [
    [
      ['one-box-au', 'Standard', { lastItem: { itemLength: 0 } }],
      { messages: ['Packages[0].Length: Length must be greater than 0'] },
      200,
    ],
  ],
  unanswered: { given: ['three-boxes-au', 'Standard'], held: ['reset', 'wrong_echo', 'wrong_count'] },
  withoutLabels: { given: ['one-box-au', 'Standard'] },
  cancels: {
    given: ['three-boxes-au', 'Standard'],
    problem: { messages: ['Cannot be deleted. Already in transit.'] },
  },
  probes: true,
});

it('tracks a consignment once for all its parts', async () => {
  const { packages: items } = await trip.send('three-boxes-au', 'Standard');
  await trip.simulator.advance('seko', { trackingNumber: items[1]?.trackingNumber ?? '', status: 'DELIVERED' });
  const events = await trip.track({ items });
  const parts = items.map(({ memo }) => memo['part']);
  expect(events.map(({ update, status, warnings }) => [update.type, update.value, status, warnings])).toEqual([
    ...parts.map((part) => ['part', part, 'Order Created', []]),
    ['part', parts[1], 'Order Delivered', []],
  ]);
  expect(JSON.parse(trip.simulator.requests.at(-1)?.body ?? '')).toHaveLength(1);
});

it('pushes the same event that track yields, proved by the headers that the profile asks for', async () => {
  await using platform = await openReceiver();
  trip.simulator.pushTo({ url: platform.url, secrets: { seko: 'example-user:example-password' } });
  const { packages: items } = await trip.send('one-box-au', 'Standard');
  await trip.simulator.advance('seko', { reference: 'REF-2001', status: 'OUT_FOR_DELIVERY' });
  const [push] = platform.received;
  const { webhook } = trip.carrier.statuses;
  const shown = webhook?.auth.map((auth) => push?.headers[auth.kind === 'apiKey' ? auth.field.toLowerCase() : '']);
  expect(shown).toEqual(['example-user', 'example-password']);
  const body = JSON.parse(String(push?.body)) as unknown;
  const roots = { request: { headers: push?.headers, body }, settings: { timezone: 'UTC' } };
  const context = { tables: {}, time: trip.carrier.time, nowMs: 0, drawn: () => '' };
  const last = (await trip.track({ items })).at(-1)?.update;
  expect([await webhook?.events.evaluate(roots, context)].flat()).toEqual([last]);
  expect(last).toMatchObject({ type: 'part', carrierStatusCode: 'OP-21' });
});
