import { expect, it } from 'vitest';
import { basic, type Called, type Loose, order, simulating } from './call.ts';

const auth = { ...basic('simulated-key', 'simulated-password'), 'account-number': '0001234567' };
const eparcel = simulating('australia_post', auth);
const ask = async (method: string, path: string, body?: unknown, headers = {}): Promise<Called> =>
  await eparcel.ask(method, `/shipping/v1${path}`, body, headers);
const create = async (name = 'one-package'): Promise<Loose> =>
  (await ask('POST', '/shipments', order('australia_post', name))).body.shipments[0];

const account = async (headers = {}): Promise<Called> => await ask('GET', '/accounts/0001234567', undefined, headers);

it('asks for the key, and for the account', async () => {
  expect((await account(basic('simulated-key', 'wrong'))).status).toBe(401);
  expect((await account()).status).toBe(200);
  expect((await account({ 'account-number': '1' })).body.errors[0].code).toBe('41001');
});

it('refuses a shipment with all that is wrong', async () => {
  const wrong = order('australia_post');
  const [{ to, items }] = wrong.shipments;
  to.postcode = '300';
  Object.assign(items[0], { weight: 30, product_id: 'X1' });
  const { status, body } = await ask('POST', '/shipments', wrong);
  expect(status).toBe(400);
  expect(body.errors.map(({ code, field }: Loose) => [code, field])).toEqual([
    ['43014', 'shipments[0].to.postcode'],
    ['42002', 'shipments[0].items[0]'],
    ['44010', 'shipments[0].items[0]'],
  ]);
});

it('tells the events of an article, or of all of a consignment', async () => {
  const [{ tracking_details: details }, ...others] = (await create('three-packages')).items;
  await eparcel.simulator.advance('australia_post', { trackingNumber: details.article_id, status: 'DELIVERED' });
  const ids = [details.article_id, details.consignment_id, 'NOBODY'].join(',');
  const [article, consignment, unknown] = (await ask('GET', `/track?tracking_ids=${ids}`)).body.tracking_results;
  expect(article.trackable_items[0].events.map((event: Loose) => [event.date, event.description])).toEqual([
    ['2026-05-01T18:00:01+10:00', 'Delivered - Left in a safe place'],
    ['2026-05-01T18:00:00+10:00', 'Shipping information received by Australia Post'],
  ]);
  expect(consignment.trackable_items[0].items).toHaveLength(1 + others.length);
  expect(unknown.errors[0].code).toBe('ESB-10001');
});

it('tracks ten numbers at most', async () => {
  const ids = Array.from({ length: 11 }, (_, index) => `A${index}`).join(',');
  expect((await ask('GET', `/track?tracking_ids=${ids}`)).status).toBe(400);
});
