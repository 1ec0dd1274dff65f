import { expect, it } from 'vitest';
import { readPdf } from './barcode.ts';
import { basic, call, type Called, order, simulating } from './call.ts';

const key = basic('simulated_sendle_id', 'simulated-api-key');
const sendle = simulating('sendle', key);
const create = async (change: object = {}, headers: Record<string, string> = {}): Promise<Called> =>
  await sendle.ask('POST', '/api/orders', order('sendle', 'one-package', change), headers);

it('sends whoever asks for a label on to where it lies', async () => {
  const { status, body } = await create();
  expect(status).toBe(201);
  const { url } = body.labels[1];
  const sent = await call('GET', url, { headers: key });
  expect(sent.status).toBe(302);
  const file = await call('GET', sent.headers.get('location')!);
  expect(await readPdf(file.bytes)).toEqual([[body.sendle_reference]]);
  expect((await call('GET', url)).status).toBe(401);
});

it('knows an idempotency key again, and that it belonged to another request', async () => {
  const repeat = { 'idempotency-key': 'example-key' };
  const [first, second] = [await create({}, repeat), await create({}, repeat)];
  expect(second.body.order_id).toBe(first.body.order_id);
  expect((await create({ description: 'Filter papers' }, repeat)).status).toBe(422);
  expect(sendle.simulator.shipments('sendle')).toHaveLength(1);
});

it('names the fields that it refuses, and wants customs data across borders', async () => {
  const bad = { weight: { units: 'kg', value: 0 }, receiver: { contact: {}, address: {} } };
  const { status, body } = await create(bad);
  const messages = { 'weight.value': ['must be greater than 0'] };
  expect({ status, ...body }).toMatchObject({ status: 422, error: 'unprocessable_entity', messages });
  expect(Object.keys(body.messages)).toContain('receiver.address.postcode');
  const abroad = await create({ receiver: { contact: {}, address: { country: 'NZ' } } });
  expect(Object.keys(abroad.body.messages)).toEqual(expect.arrayContaining(['parcel_contents', 'contents_type']));
});

it('tracks nothing that it does not know', async () => {
  expect((await sendle.ask('GET', '/api/tracking/SUNKNOWN')).status).toBe(404);
});
