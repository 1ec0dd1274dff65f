import { afterEach, beforeEach, expect, it } from 'vitest';
import { carrier } from '../../simulator/teleship.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf } from './barcode.ts';
import { call, type Called } from './call.ts';
import { now } from './orders.ts';

let simulator: Simulator;
let token = '';
const ask = async (method: string, path: string, json?: unknown): Promise<Called> =>
  await call(method, simulator.carriers['teleship']! + path, { json, headers: { authorization: `Bearer ${token}` } });

const party = (country: string): Record<string, unknown> => ({
  name: 'Sam Sample',
  address: { line1: '22 Example Street', city: 'Example', postcode: '3000', country },
});
const order = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  serviceCode: 'TELESHIP-STANDARD-DROPOFF',
  packageType: 'parcel',
  customerReference: 'REF-1',
  shipFrom: party('GB'),
  shipTo: party('GB'),
  weight: { value: 2.4, unit: 'kg' },
  dimensions: { length: 30, width: 20, height: 10, unit: 'cm' },
  customs: { contentType: 'CommercialGoods' },
  ...change,
});

beforeEach(async () => {
  simulator = await start({ carriers: [carrier], now: () => now });
  const login = { clientId: 'simulated-client', clientSecret: 'simulated-secret' };
  token = (await ask('POST', '/oauth/token', login)).body.accessToken;
});
afterEach(async () => {
  await simulator.close();
});

it('tells in milliseconds how long a login lasts', async () => {
  const { body } = await ask('POST', '/oauth/token', {
    clientId: 'simulated-client',
    clientSecret: 'simulated-secret',
  });
  expect(body).toMatchObject({ expiresIn: 3_600_000, expirationTime: now.getTime() + 3_600_000 });
  expect((await ask('POST', '/oauth/token', { clientId: 'simulated-client' })).status).toBe(400);
  expect((await ask('POST', '/oauth/token', { clientId: 'simulated-client', clientSecret: 'wrong' })).status).toBe(401);
});

it('answers a create with its label', async () => {
  const { status, body } = await ask('POST', '/api/shipments/labels', order());
  expect(status).toBe(201);
  const [label] = body.shipment.documents;
  expect(await readPdf(Buffer.from(label.base64String, 'base64'))).toEqual([[body.shipment.trackingNumber]]);
});

it('tells all that is wrong', async () => {
  const { status, body } = await ask('POST', '/api/shipments/labels', order({ shipTo: party('US'), customs: {} }));
  expect(status).toBe(400);
  expect(body.messages[0].details).toEqual([
    'customs.contentType must be a valid enum value',
    'commodities is required',
  ]);
  token = 'wrong';
  expect((await ask('POST', '/api/shipments/labels', order())).status).toBe(401);
});

it('voids until the parcel is under way', async () => {
  const [free, moving] = [
    (await ask('POST', '/api/shipments/labels', order())).body.shipment,
    (await ask('POST', '/api/shipments/labels', order())).body.shipment,
  ];
  await simulator.advance('teleship', { trackingNumber: moving.trackingNumber, status: 'PICKED_UP' });
  expect((await ask('POST', `/api/shipments/labels/${free.shipmentId}/void`)).body.status).toBe('cancelled');
  expect((await ask('POST', `/api/shipments/labels/${moving.shipmentId}/void`)).body.status).toBe('picked_up');
  expect((await ask('GET', `/api/tracking/${moving.trackingNumber}`)).body).toMatchObject({
    status: 'picked_up',
    events: [{ code: 'label_created' }, { code: 'picked_up' }],
  });
});

it('registers a webhook, pushes all events of a parcel at once, and forgets the webhook', async () => {
  const { body } = await ask('POST', '/api/webhooks', {
    url: 'https://example.com/h',
    enabled: true,
    enabledEvents: ['*'],
  });
  simulator.pushTo({ url: 'http://127.0.0.1:9', secrets: { teleship: body.secret } });
  await ask('POST', '/api/shipments/labels', order());
  await simulator.advance('teleship', { reference: 'REF-1', status: 'DELIVERED' });
  const push = simulator.pushes[0]!;
  expect(JSON.parse(push.body)).toMatchObject({ eventName: 'shipment.updated', data: { status: 'delivered' } });
  expect((await ask('DELETE', `/api/webhooks/${body.id}`)).status).toBe(204);
  expect((await ask('DELETE', `/api/webhooks/${body.id}`)).status).toBe(404);
});
