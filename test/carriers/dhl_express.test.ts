import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';

const trip = describeTrips({
  code: 'dhl_express',
  settings: { account: '999000111', bookPickup: true },
  creates: [
    ['one-box-de', 'Express', {}, { labels: 'PDF', data: { product: 'N' } }],
    ['three-boxes-de', 'Express 12:00', {}, { labels: 'PDF', data: { product: '1' } }],
    ['one-box-de', 'Economy', {}, { labels: 'PDF', data: { product: 'G' } }],
    ['one-box-de-us', 'Express', {}, { labels: 'PDF', data: { product: 'P' } }],
    ['one-box-de-us', 'Express 9:00', {}, { labels: 'PDF', data: { product: 'E' } }],
    ['three-boxes-de', 'Express', { labelFormat: 'ZPL' }, { labels: 'ZPL' }],
  ],
  rejects: [[['one-box-de', 'Express', { shippingDateTime: '2026-06-04 10:00:00' }], { code: '998' }]],
  unanswered: { given: ['three-boxes-de', 'Express'], held: ['wrong_echo', 'wrong_count'] },
  withoutLabels: { given: ['one-box-de', 'Express'] },
  probes: true,
});

it('hears every breach of DHL’s schema', async () => {
  const wrong = { originPostalCode: '1234567890123', destinationContactNumber: '1'.repeat(80) };
  const outcome = await trip.run('create', trip.inputsOf('one-box-de', 'Express', wrong));
  expect(outcome).toMatchObject({ kind: 'rejected', problem: { code: 'http_422' } });
  expect(outcome.kind === 'rejected' && outcome.problem.messages).toHaveLength(2);
});

it('finds by its reference what was created without an answer', async () => {
  trip.simulator.behave('dhl_express', { do: 'reset', acted: true, method: 'POST' });
  const { first, last } = await trip.finish('create', trip.inputsOf('three-boxes-de', 'Express'));
  expect(first).toMatchObject({ kind: 'waiting' });
  const [shipment, another] = trip.simulator.shipments('dhl_express');
  expect(another).toBeUndefined();
  const packages = shipment?.parcels.map(({ trackingNumber, reference }) => ({
    trackingNumber,
    itemReferenceNumber: reference,
  }));
  const { trackingNumber: masterTrackingNumber } = shipment ?? {};
  expect(last).toMatchObject({ kind: 'done', result: { masterTrackingNumber, packages } });
});

it('creates again what DHL does not know', async () => {
  trip.simulator.behave('dhl_express', { do: 'status', status: 500, method: 'POST' });
  const { first, last } = await trip.finish('create', trip.inputsOf('one-box-de', 'Express'));
  expect([first.kind, last.kind]).toEqual(['waiting', 'done']);
  expect(trip.simulator.shipments('dhl_express')).toHaveLength(1);
});

it('sends the courier away, and takes a repeat for done', async () => {
  const { inputs } = await trip.send('one-box-de', 'Express');
  const cancel = async () => (await trip.run('cancel', { ...inputs, remark: 'changed my mind' })).kind;
  expect([await cancel(), await cancel()]).toEqual(['done', 'done']);
  expect(trip.requestsTo('/pickups').map(({ status }) => status)).toEqual([200, 400]);
});

it('tracks the pieces, each by its own events, in the offset DHL writes', async () => {
  const { packages: items } = await trip.send('three-boxes-de', 'Express');
  const [first, second] = items.map(({ trackingNumber }) => trackingNumber);
  expect(await trip.track({ items })).toEqual([]);
  for (const [trackingNumber = '', status, time] of [
    [first, 'PICKED_UP', '2026-05-01T10:00:00.000Z'],
    [first, 'DELIVERED', '2026-05-02T06:00:00.000Z'],
    [second, 'PICKED_UP', '2026-05-01T10:00:00.000Z'],
  ] as const)
    await trip.simulator.advance('dhl_express', { trackingNumber, status, at: new Date(time) });
  const events = await trip.track({ items });
  const told = events.map(({ update, status, occurredAtMs, warnings }) => [
    update.value,
    status,
    new Date(occurredAtMs).toISOString(),
    warnings,
  ]);
  expect(told).toEqual([
    [first, 'Order Picked Up', '2026-05-01T10:00:00.000Z', []],
    [first, 'Order Delivered', '2026-05-02T06:00:00.000Z', []],
    [second, 'Order Picked Up', '2026-05-01T10:00:00.000Z', []],
  ]);
  expect(events[0]?.update.statusReceivedAt).toBe('2026-05-01T12:00:00+02:00');
});
