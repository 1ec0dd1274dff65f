import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { readLabel } from './trip.ts';

const trip = describeTrips({
  code: 'purolator',
  settings: { account: '9999999999' },
  creates: [
    ['one-box-ca', 'Express', {}, { data: { service: 'PurolatorExpress' } }],
    ['three-boxes-ca', 'Ground', {}, { data: { service: 'PurolatorGround' } }],
    ['one-box-ca-us', 'Express 10:30', {}, { data: { service: 'PurolatorExpressU.S.10:30AM' } }],
  ],
  rejects: [
    [['one-box-ca', 'Express', { destinationPostalCode: '12345' }], { code: '1100664' }],
    [['one-box-ca', 'Express', { destinationContactNumber: '12' }], { code: 'validation_fault' }],
  ],
  unanswered: { given: ['three-boxes-ca', 'Ground'], held: ['reset', 'truncated', 'wrong_count'] },
  cancels: { given: ['three-boxes-ca', 'Ground'], problem: { code: '1100531' } },
  probes: true,
});

it.each([
  ['one-box-ca', 'Express', 'PDF'],
  ['three-boxes-ca', 'Ground', 'ZPL'],
  ['one-box-ca-us', 'Express 10:30', 'PDF'],
] as const)('fetches the labels of %s by %s, once they are drawn', async (name, service, labelFormat) => {
  trip.simulator.behave('purolator', { do: 'label_later', asks: 1 });
  const { inputs, packages } = await trip.send(name, service, { labelFormat });
  expect(await trip.fetchLabels(inputs)).toEqual([]);
  const [fetched] = await trip.fetchLabels(inputs);
  const numbers = packages.map(({ trackingNumber }) => trackingNumber);
  expect(await readLabel(fetched?.label)).toBe([labelFormat, ...numbers].join(' '));
});

it('tracks all pieces in one call', async () => {
  const { packages: items } = await trip.send('three-boxes-ca', 'Ground');
  const numbers = items.map(({ trackingNumber }) => trackingNumber);
  await trip.simulator.advance('purolator', { trackingNumber: numbers[1] ?? '', status: 'DELIVERED' });
  const events = await trip.track({ items });
  expect(events.map(({ update, status }) => `${update.value}: ${status}`).toSorted()).toEqual(
    [...numbers.map((number) => `${number}: Order Created`), `${numbers[1]}: Order Delivered`].toSorted(),
  );
  expect(events[0]?.update.statusReceivedAt).toBe('2026-05-01 050000');
});
