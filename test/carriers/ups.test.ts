import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { labelsOf, readLabel } from './trip.ts';

const ZPL = { labelFormat: 'ZPL' } as const;
const trip = describeTrips({
  code: 'ups',
  settings: { account: 'A1B2C3' },
  creates: [
    ['one-box-us', 'Ground', ZPL, { labels: 'ZPL', data: { service: '03' } }],
    ['three-boxes-us', 'Next Day Air', ZPL, { labels: 'ZPL', data: { service: '01' } }],
    ['three-boxes-de', 'Standard', ZPL, { labels: 'ZPL', data: { service: '11' } }],
    ['one-box-de-us', 'Worldwide Saver', ZPL, { labels: 'ZPL', data: { service: '65' } }],
    ['one-box-au-us', 'Worldwide Expedited', { ...ZPL, skuList: [] }, { labels: 'ZPL', data: { service: '08' } }],
  ],
  rejects: [
    [
      ['one-box-us', 'Ground', { destinationPostalCode: '9000' }],
      { code: '120207', messages: ['Missing/Invalid ShipTo PostalCode (120207)'] },
    ],
  ],
  unanswered: {
    given: ['three-boxes-us', 'Ground', ZPL],
    path: '/ship',
    done: ['reset'],
    held: ['wrong_echo', 'wrong_count'],
  },
  cancels: { given: ['one-box-us', 'Ground'], problem: { code: '190101' }, statuses: [200, 400] },
  tracks: { given: ['one-box-us', 'Ground'], call: 'item', ends: 'Returned to Origin' },
});

it('fetches PDF from label recovery, once UPS has it', async () => {
  trip.simulator.behave('ups', { do: 'label_later', asks: 1 });
  const { accepted, inputs, packages } = await trip.send('three-boxes-us', 'Ground');
  expect(await labelsOf(accepted)).toEqual(['none', 'none', 'none']);
  const labels = await trip.fetchLabels(inputs);
  expect(labels.map(({ itemReferenceNumber }) => itemReferenceNumber)).toEqual(['PKG-1', 'PKG-2', 'PKG-3']);
  const read = await Promise.all(labels.map(async ({ label }) => await readLabel(label)));
  expect(read).toEqual(packages.map(({ trackingNumber }) => `PDF ${trackingNumber}`));
});

it('renews a token that UPS no longer takes', async () => {
  await trip.send('one-box-us', 'Ground');
  trip.wait(13_500_000);
  await trip.send('one-box-us', 'Ground', { referenceId: 'REF-9' });
  expect(trip.requestsTo('/token').map(({ status }) => status)).toEqual([200, 200]);
});
