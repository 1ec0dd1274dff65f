import { expect, it } from 'vitest';
import { type Called, type Loose, order, simulating } from './call.ts';

const royalMail = simulating('royal_mail', { authorization: 'Bearer simulated-api-key' });
const ask = async (method: string, path: string, body?: unknown): Promise<Called> =>
  await royalMail.ask(method, `/api/v1${path}`, body);
const [item] = order('royal_mail', 'three-packages').items;
const create = async (change: object = {}): Promise<Loose> =>
  (await ask('POST', '/orders', { items: [{ ...item, ...change }] })).body;

it('wants to be told which document, and gives no number without a label', async () => {
  const [{ orderIdentifier }] = (await create()).createdOrders;
  expect((await ask('GET', `/orders/${orderIdentifier}/label`)).status).toBe(400);
  const bare = await create({ label: { includeLabelInResponse: false } });
  expect(bare.createdOrders[0]).not.toHaveProperty('trackingNumber');
});

it('refuses an order inside HTTP 200, and two labels in one call outside of it', async () => {
  const refused = await create({ packages: [{ weightInGrams: 1.5, packageFormatIdentifier: 'box' }] });
  expect(refused).toMatchObject({ successCount: 0, errorsCount: 1, createdOrders: [] });
  expect(refused.failedOrders[0].errors.map(({ errorCode }: Loose) => errorCode)).toEqual([5, 6]);
  const two = await ask('POST', '/orders', { items: [item, item] });
  expect(two).toMatchObject({ status: 400, body: { message: 'Amount of labels across all items must not exceed 1' } });
});

it('finds orders by number and by reference in quotes, and deletes until they are under way', async () => {
  const [free] = (await create()).createdOrders;
  const [moving] = (await create({ orderReference: 'REF-2' })).createdOrders;
  expect((await ask('GET', `/orders/${free.orderIdentifier}`)).body).toHaveLength(1);
  expect((await ask('GET', '/orders/%22REF-3003%22')).body[0].orderIdentifier).toBe(free.orderIdentifier);
  expect((await ask('GET', '/orders/REF-3003')).status).toBe(404);
  await royalMail.simulator.advance('royal_mail', { trackingNumber: moving.trackingNumber, status: 'PICKED_UP' });
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
  await royalMail.simulator.advance('royal_mail', { trackingNumber, status: 'DELIVERED' });
  royalMail.headers = {
    'x-ibm-client-id': 'simulated-client',
    'x-ibm-client-secret': 'simulated-client-secret',
    'x-accept-rmg-terms': 'yes',
  };
  const track = async (number = trackingNumber, headers: Record<string, string> = {}): Promise<Called> =>
    await royalMail.ask('GET', `/mailpieces/v2/${number}/events`, undefined, headers);
  expect((await track()).body.mailPieces.events).toMatchObject([{ eventCode: 'EVAIE' }, { eventCode: 'EVKSP' }]);
  expect((await track('JX000000000GB')).status).toBe(404);
  expect((await track(trackingNumber, { 'x-ibm-client-secret': 'wrong' })).status).toBe(401);
  expect((await track(trackingNumber, { 'x-accept-rmg-terms': 'no' })).status).toBe(400);
});
