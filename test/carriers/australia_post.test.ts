import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';
import { readLabel } from './trip.ts';

const trip = describeTrips({
  code: 'australia_post',
  settings: { account: '0001234567' },
  creates: [
    ['one-box-au', 'Parcel Post', {}, { data: { product: '3D55' } }],
    ['three-boxes-au', 'Express Post', {}, { data: { product: '3J55' } }],
  ],
  rejects: [
    [
      ['one-box-au', 'Parcel Post', { lastItem: { itemWeight: 30 } }],
      { code: '44010', messages: ['The weight 30 exceeds the maximum weight of 22 kg.'] },
    ],
  ],
  unanswered: {
    given: ['three-boxes-au', 'Parcel Post'],
    path: '/shipments',
    held: ['reset', 'wrong_echo', 'wrong_count'],
  },
  withoutLabels: { given: ['three-boxes-au', 'Parcel Post'] },
  cancels: { given: ['three-boxes-au', 'Parcel Post'], problem: { code: '44014' }, statuses: [200, 404] },
  tracks: { given: ['three-boxes-au', 'Parcel Post'], call: 'items', ends: 'Returned to Origin' },
  probes: true,
});

it('keeps its own id and the job of the labels', async () => {
  const { accepted } = await trip.send('one-box-au', 'Parcel Post');
  const [shipment] = trip.simulator.shipments('australia_post');
  const labelJob = expect.stringMatching(/^[0-9a-f-]+$/) as unknown;
  expect(accepted.memo).toEqual({ shipmentId: shipment?.data['id'], labelJob });
});

it('asks after the job of the labels until there is one document for all', async () => {
  trip.simulator.behave('australia_post', { do: 'label_later', path: '/labels', asks: 1 });
  const { inputs, packages } = await trip.send('three-boxes-au', 'Parcel Post');
  expect(await trip.fetchLabels(inputs)).toEqual([]);
  const [label, ...others] = await trip.fetchLabels(inputs);
  expect([others, label?.itemReferenceNumber]).toEqual([[], undefined]);
  expect(await readLabel(label?.label)).toBe(['PDF', ...packages.map((one) => one.trackingNumber)].join(' '));
  expect(trip.requestsTo('/labels').filter(({ method }) => method === 'POST')).toHaveLength(1);
});

it('keeps a shipment whose label job is refused, and asks for another', async () => {
  trip.simulator.behave('australia_post', { do: 'status', status: 500, path: '/labels' });
  const { accepted, inputs } = await trip.send('three-boxes-au', 'Parcel Post');
  expect(accepted.memo['labelJob']).toBeUndefined();
  expect(await trip.fetchLabels(inputs)).toHaveLength(1);
});
