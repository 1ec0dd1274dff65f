import { expect, it } from 'vitest';
import { describeTrips } from './common-trips.ts';

const trip = describeTrips({
  code: 'fedex',
  settings: { account: '700001234' },
  creates: [
    ['one-box-us', 'Ground', { labelFormat: 'PDF' }, { labels: 'PDF' }],
    ['three-boxes-us', 'Priority Overnight', { labelFormat: 'ZPL' }, { labels: 'ZPL' }],
    ['three-boxes-de', 'Ground', { labelFormat: 'PNG' }, { labels: 'PNG' }],
    ['one-box-de-us', 'International Priority', { labelFormat: 'PDF' }, { labels: 'PDF' }],
    ['one-box-au-us', 'International Economy', { labelFormat: 'PDF' }, { labels: 'PDF' }],
  ],
  rejects: [[['one-box-us', 'Ground', { destinationPostalCode: '9000' }], { code: 'RECIPIENT.POSTALCODE.INVALID' }]],
  unanswered: {
    given: ['three-boxes-us', 'Ground'],
    path: '/shipments',
    held: ['reset', 'wrong_echo', 'wrong_count'],
  },
  cancels: {
    given: ['three-boxes-us', 'Ground'],
    problem: { messages: [expect.stringContaining('in transit')] },
  },
  tracks: { given: ['three-boxes-us', 'Ground'], call: 'items', ends: 'Return Initiated' },
});

it('tracks by the credentials of the project for tracking', async () => {
  const { packages: items } = await trip.send('one-box-us', 'Ground');
  await trip.track({ items });
  const clients = trip.requestsTo('/oauth/token').map(({ body }) => new URLSearchParams(body).get('client_id'));
  expect(clients).toEqual(['simulated-key', 'simulated-track-key']);
});
