import { expect, it } from 'vitest';
import { admitWebhook, mapWebhook } from '../../src/engine/statuses/carrier-webhook.ts';
import { openReceiver } from '../simulator/call.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, NOW } from './trip.ts';

const trip = describeTrips({
  code: 'teleship',
  settings: { currency: 'AUD' },
  cancels: {
    given: ['one-box-au-us', 'Standard'],
    after: 'IN_TRANSIT',
    problem: { messages: ['not voided: in_transit'] },
  },
  takesBack: [
    ['three-boxes-au', 'Expedited', { lastItem: { itemHeight: 0 } }],
    { messages: ['dimensions.height must be greater than 0'] },
  ],
});

it.each(['one-box-au-us', 'three-boxes-au', 'one-box-de'])('creates %s by one login and a label each', async (name) => {
  const { accepted, packages, inputs } = await trip.send(name, 'Standard');
  expect(packages).toHaveLength(inputs.consignment.itemList.length);
  expect(await labelsOf(accepted)).toEqual(packages.map(({ trackingNumber }) => `PDF ${trackingNumber}`));
  const paths = trip.simulator.requests.map(({ path }) => path);
  expect(paths).toEqual(['/oauth/token', ...packages.map(() => '/api/shipments/labels')]);
});

it('logs in anew when the token has run out', async () => {
  await trip.send('one-box-au-us', 'Standard');
  trip.wait(3_600_000);
  await trip.send('one-box-au-us', 'Standard');
  expect(trip.requestsTo('/oauth/token')).toHaveLength(2);
});

it('registers a webhook, admits what is signed by it alone, and tracks the same events', async () => {
  const webhookUrl = 'https://example.com/v2/carriers/teleship/webhook/1';
  const registered = await trip.run('register', { webhook: { url: webhookUrl } });
  expect(registered).toMatchObject({ kind: 'done' });
  const { credentials } = (registered as { result: { credentials: Record<string, string> } }).result;
  await using platform = await openReceiver();
  trip.simulator.pushTo({ url: platform.url, secrets: { teleship: credentials['webhookSecret'] ?? '' } });
  const { packages } = await trip.send('one-box-au-us', 'Standard');
  await trip.simulator.advance('teleship', { reference: 'REF-2002', status: 'OUT_FOR_DELIVERY' });

  const { webhook } = trip.carrier.statuses;
  const [push] = platform.received;
  if (webhook === undefined || push === undefined) throw new Error('nothing was pushed');
  const account = { id: 1, version: 1, credentials, settings: {} };
  const nowMs = Date.parse(NOW);
  const scene = { carrier: trip.carrier, webhook, account, environment: 'production' as const, webhookUrl, nowMs };
  const came = { method: 'POST', url: webhookUrl, headers: push.headers, body: push.body };
  expect(await admitWebhook(scene, came)).toMatchObject({ kind: 'admitted' });
  const forged = { ...came, body: Buffer.concat([push.body, Buffer.from(' ')]) };
  expect(await admitWebhook(scene, forged)).toMatchObject({ kind: 'refused', status: 401 });
  const events = await trip.track({ item: packages[0] });
  expect(events.map(({ update }) => update)).toEqual(await mapWebhook(scene, came));
});
