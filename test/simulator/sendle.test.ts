import { expect, it } from 'vitest';
import { carrier } from '../../simulator/sendle.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf } from './barcode.ts';
import { call, type Called, simulating } from './call.ts';
import { now } from './orders.ts';

const basic = `Basic ${Buffer.from('simulated_sendle_id:simulated-api-key').toString('base64')}`;
let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const ask = async (
  method: string,
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Called> =>
  await call(method, simulator.carriers['sendle']! + path, { json, headers: { authorization: basic, ...headers } });

const party = (suburb: string, postcode: string): Record<string, unknown> => ({
  contact: { name: 'Sam Sample', phone: '+61395550123' },
  address: { address_line1: '22 Example Street', suburb, state_name: 'VIC', postcode, country: 'AU' },
});
const order = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  sender: party('Sydney', '2000'),
  receiver: party('Melbourne', '3000'),
  description: 'Coffee grinder',
  weight: { units: 'kg', value: '2.4' },
  dimensions: { units: 'cm', length: '30', width: '20', height: '10' },
  customer_reference: 'REF-1',
  ...change,
});

it('sends whoever asks for a label on to where it lies', async () => {
  const { status, body } = await ask('POST', '/api/orders', order());
  expect(status).toBe(201);
  const { url } = body.labels[1];
  const sent = await fetch(url, { headers: { authorization: basic }, redirect: 'manual' });
  expect(sent.status).toBe(302);
  const file = await call('GET', sent.headers.get('location')!);
  expect(await readPdf(file.bytes)).toEqual([[body.sendle_reference]]);
  expect((await call('GET', url)).status).toBe(401);
});

it('knows a key again, and that it belonged to another request', async () => {
  const key = { 'idempotency-key': 'example-key' };
  const [first, second] = [
    await ask('POST', '/api/orders', order(), key),
    await ask('POST', '/api/orders', order(), key),
  ];
  expect(second.body.order_id).toBe(first.body.order_id);
  expect((await ask('POST', '/api/orders', order({ description: 'Filter papers' }), key)).status).toBe(422);
  expect(simulator.shipments('sendle')).toHaveLength(1);
});

it('names the fields that it refuses', async () => {
  const bad = order({ weight: { units: 'kg', value: 0 }, receiver: { contact: {}, address: {} } });
  const { status, body } = await ask('POST', '/api/orders', bad);
  expect(status).toBe(422);
  expect(body).toMatchObject({
    error: 'unprocessable_entity',
    messages: { 'weight.value': ['must be greater than 0'] },
  });
  expect(Object.keys(body.messages)).toContain('receiver.address.postcode');
});

it('wants customs data across borders', async () => {
  const { body } = await ask(
    'POST',
    '/api/orders',
    order({ receiver: { ...party('Auckland', '1010'), address: { country: 'NZ' } } }),
  );
  expect(Object.keys(body.messages)).toEqual(expect.arrayContaining(['parcel_contents', 'contents_type']));
});

it('cancels until the driver has it, once', async () => {
  const [free, moving] = [
    (await ask('POST', '/api/orders', order())).body,
    (await ask('POST', '/api/orders', order())).body,
  ];
  await simulator.advance('sendle', { trackingNumber: moving.sendle_reference, status: 'PICKED_UP' });
  expect((await ask('DELETE', `/api/orders/${free.order_id}`)).body.state).toBe('Cancelled');
  expect((await ask('DELETE', `/api/orders/${free.order_id}`)).status).toBe(422);
  expect((await ask('DELETE', `/api/orders/${moving.order_id}`)).status).toBe(422);
  const { body } = await ask('GET', `/api/tracking/${moving.sendle_reference}`);
  expect(body.tracking_events.map((event: { event_type: string }) => event.event_type)).toEqual(['Info', 'Pickup']);
  expect((await ask('GET', '/api/tracking/SUNKNOWN')).status).toBe(404);
});
