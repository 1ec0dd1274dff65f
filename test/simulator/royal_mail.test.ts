import { expect, it } from 'vitest';
import { carrier } from '../../simulator/royal_mail.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf } from './barcode.ts';
import { call, type Called, type Loose, simulating } from './call.ts';
import { now } from './orders.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const ask = async (method: string, path: string, json?: unknown): Promise<Called> =>
  await call(method, `${simulator.carriers['royal_mail']!}/api/v1${path}`, {
    json,
    headers: { authorization: 'Bearer simulated-api-key' },
  });
const track = async (number: string, headers: Record<string, string> = {}): Promise<Called> =>
  await call('GET', `${simulator.carriers['royal_mail']!}/mailpieces/v2/${number}/events`, {
    headers: {
      'x-ibm-client-id': 'simulated-client',
      'x-ibm-client-secret': 'simulated-client-secret',
      'x-accept-rmg-terms': 'yes',
      ...headers,
    },
  });

const order = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  orderReference: 'REF-1',
  recipient: {
    address: {
      fullName: 'Sam Sample',
      addressLine1: '22 Example Street',
      city: 'London',
      postcode: 'SW1A 1AA',
      countryCode: 'GB',
    },
  },
  packages: [
    { weightInGrams: 1800, packageFormatIdentifier: 'smallParcel' },
    { weightInGrams: 900, packageFormatIdentifier: 'smallParcel' },
  ],
  orderDate: '2026-05-01T08:00:00Z',
  subtotal: 49.5,
  shippingCostCharged: 0,
  total: 49.5,
  postageDetails: { serviceCode: 'TPS48' },
  label: { includeLabelInResponse: true },
  ...change,
});
const create = async (change: Record<string, unknown> = {}): Promise<Loose> =>
  (await ask('POST', '/orders', { items: [order(change)] })).body;

it('gives numbers and one file for all packages with the label, and neither without', async () => {
  const { createdOrders } = await create();
  const [{ packages, label, orderIdentifier }] = createdOrders;
  const numbers = packages.map(({ trackingNumber }: Loose) => [trackingNumber]);
  expect(await readPdf(Buffer.from(label, 'base64'))).toEqual(numbers);
  const apart = await ask(
    'GET',
    `/orders/${orderIdentifier}/label?documentType=postageLabel&includeReturnsLabel=false`,
  );
  expect(await readPdf(apart.bytes)).toEqual(numbers);
  expect((await ask('GET', `/orders/${orderIdentifier}/label`)).status).toBe(400);
  const bare = await create({ label: { includeLabelInResponse: false } });
  expect(bare.createdOrders[0]).not.toHaveProperty('trackingNumber');
});

it('refuses an order inside HTTP 200, and two labels in one call outside of it', async () => {
  const refused = await create({ packages: [{ weightInGrams: 1.5, packageFormatIdentifier: 'box' }] });
  expect(refused).toMatchObject({ successCount: 0, errorsCount: 1, createdOrders: [] });
  expect(refused.failedOrders[0].errors.map(({ errorCode }: Loose) => errorCode)).toEqual([5, 6]);
  const two = await ask('POST', '/orders', { items: [order(), order()] });
  expect(two).toMatchObject({ status: 400, body: { message: 'Amount of labels across all items must not exceed 1' } });
});

it('finds orders by number and by reference in quotes, and deletes until they are under way', async () => {
  const [free] = (await create()).createdOrders;
  const [moving] = (await create({ orderReference: 'REF-2' })).createdOrders;
  expect((await ask('GET', `/orders/${free.orderIdentifier}`)).body).toHaveLength(1);
  expect((await ask('GET', '/orders/%22REF-1%22')).body[0].orderIdentifier).toBe(free.orderIdentifier);
  expect((await ask('GET', '/orders/REF-1')).status).toBe(404);
  await simulator.advance('royal_mail', { trackingNumber: moving.trackingNumber, status: 'PICKED_UP' });
  const both = await ask('DELETE', `/orders/${free.orderIdentifier};${moving.orderIdentifier}`);
  expect(both.body).toMatchObject({
    deletedOrders: [{ orderIdentifier: free.orderIdentifier }],
    errors: [{ orderIdentifier: moving.orderIdentifier, message: 'The order is despatched' }],
  });
  expect((await ask('DELETE', `/orders/${free.orderIdentifier}`)).status).toBe(404);
});

it('tracks a piece for whoever has the other credentials and accepts the terms', async () => {
  const [{ packages }] = (await create()).createdOrders;
  const [, { trackingNumber }] = packages;
  await simulator.advance('royal_mail', { trackingNumber, status: 'DELIVERED' });
  const { body } = await track(trackingNumber);
  expect(body.mailPieces.events).toMatchObject([{ eventCode: 'EVAIE' }, { eventCode: 'EVKSP' }]);
  expect((await track('JX000000000GB')).status).toBe(404);
  expect((await track(trackingNumber, { 'x-ibm-client-secret': 'wrong' })).status).toBe(401);
  expect((await track(trackingNumber, { 'x-accept-rmg-terms': 'no' })).status).toBe(400);
});
