import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { admitWebhook, mapWebhook } from '../../src/engine/statuses/carrier-webhook.ts';
import { describeTrips } from './common-trips.ts';
import { labelsOf, NOW, shipmentOf, type Trip } from './trip.ts';

describe('against Teleship as it is published', () => {
  let trip: Trip;
  describeTrips(
    {
      code: 'teleship',
      settings: { currency: 'AUD' },
      cancels: {
        consignment: 'one-box-au-us',
        service: 'Standard',
        after: 'IN_TRANSIT',
        problem: { messages: ['not voided: in_transit'] },
      },
    },
    (opened) => (trip = opened),
  );

  it.each([
    ['one-box-au-us', 1],
    ['three-boxes-au', 3],
    ['one-box-de', 1],
  ])('creates %s by one login and a label each', async (name, count) => {
    const accepted = await trip.create(trip.consignment(name), 'Standard');
    expect(labelsOf(accepted)).toEqual(Array.from({ length: count }, () => '%PDF'));
    const paths = trip.simulator.requests.map(({ path }) => path);
    expect(paths).toEqual(['/oauth/token', ...Array.from({ length: count }, () => '/api/shipments/labels')]);
  });

  it('voids the labels of the others when one package is refused', async () => {
    const { itemList } = trip.consignment('three-boxes-au');
    const flat = itemList.map((item, index) => (index === 2 ? { ...item, itemHeight: 0 } : item));
    const inputs = trip.inputsOf(trip.consignment('three-boxes-au', { itemList: flat }), 'Expedited');
    expect(await trip.run('create', inputs)).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['dimensions.height must be greater than 0'] },
    });
    expect(trip.simulator.shipments('teleship').every(({ cancelled }) => cancelled)).toBe(true);
  });

  it('logs in anew when the token has run out', async () => {
    await trip.create(trip.consignment('one-box-au-us'), 'Standard');
    trip.wait(3_600_000);
    await trip.create(trip.consignment('one-box-au-us'), 'Standard');
    expect(trip.simulator.requests.filter(({ path }) => path === '/oauth/token')).toHaveLength(2);
  });

  it('registers a webhook, admits what is signed by it alone, and tracks the same events', async () => {
    const webhookUrl = 'https://example.com/v2/carriers/teleship/webhook/1';
    const registered = await trip.run('register', { webhook: { url: webhookUrl } });
    expect(registered).toMatchObject({ kind: 'done' });
    const { credentials } = (registered as { result: { credentials: Record<string, string> } }).result;
    const platform = await openReceiver();
    trip.simulator.pushTo({ url: platform.url, secrets: { teleship: credentials['webhookSecret'] ?? '' } });
    const { packages } = shipmentOf(await trip.create(trip.consignment('one-box-au-us'), 'Standard'));
    await trip.simulator.advance('teleship', { reference: 'REF-2002', status: 'OUT_FOR_DELIVERY' });
    await platform.close();

    const { webhook } = trip.carrier.statuses;
    const [push] = platform.received;
    if (webhook === undefined || push === undefined) throw new Error('nothing was pushed');
    const account = { id: 1, version: 1, credentials, settings: {} };
    const scene = {
      carrier: trip.carrier,
      webhook,
      account,
      environment: 'production' as const,
      webhookUrl,
      nowMs: Date.parse(NOW),
    };
    const came = { method: 'POST', url: webhookUrl, headers: push.headers as Record<string, string>, body: push.body };
    expect(await admitWebhook(scene, came)).toMatchObject({ kind: 'admitted' });
    const forged = { ...came, body: Buffer.concat([push.body, Buffer.from(' ')]) };
    expect(await admitWebhook(scene, forged)).toMatchObject({ kind: 'refused', status: 401 });
    const tracked = await trip.run('track', { item: packages[0] });
    expect(tracked).toMatchObject({ kind: 'done', result: await mapWebhook(scene, came) });
  });
});

/** The platform's side of a push: keeps the bytes and answers 200. */
const openReceiver = async () => {
  const received: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body });
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
