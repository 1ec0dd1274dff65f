import { describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/australia_post.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf } from './barcode.ts';
import { call, type Called, type Loose, simulating } from './call.ts';
import { eparcelOrder, now } from './orders.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const basic = (password: string): string => `Basic ${Buffer.from(`simulated-key:${password}`).toString('base64')}`;
const ask = async (method: string, path: string, json?: unknown, account = '0001234567'): Promise<Called> =>
  await call(method, `${simulator.carriers['australia_post']!}/shipping/v1${path}`, {
    ...(json === undefined ? {} : { json }),
    headers: { authorization: basic('simulated-password'), 'account-number': account },
  });
const create = async (packages = 1): Promise<Loose> =>
  (await ask('POST', '/shipments', eparcelOrder(packages))).body.shipments[0];
const labels = (id: string): Record<string, unknown> => ({
  shipments: [{ shipment_id: id }],
  preferences: [{ type: 'PRINT', format: 'PDF', groups: [{ group: 'Parcel Post', layout: 'A4-1pp' }] }],
});

it('asks for the key, and for the account', async () => {
  const url = `${simulator.carriers['australia_post']!}/shipping/v1/accounts/0001234567`;
  expect((await call('GET', url, { headers: { authorization: basic('wrong') } })).status).toBe(401);
  expect((await ask('GET', '/accounts/0001234567')).status).toBe(200);
  expect((await ask('GET', '/accounts/0001234567', undefined, '1')).body.errors[0].code).toBe('41001');
});

it('makes the labels of a shipment in the background, all in one document', async () => {
  const shipment = await create(3);
  simulator.behave('australia_post', { do: 'label_later', asks: 1 });
  const job = (await ask('POST', '/labels', labels(shipment.shipment_id))).body.labels[0];
  expect(job).toMatchObject({ status: 'PENDING', shipment_ids: [shipment.shipment_id] });
  expect((await ask('GET', `/labels/${job.request_id}`)).body.labels[0].status).toBe('PENDING');
  const { status, url } = (await ask('GET', `/labels/${job.request_id}`)).body.labels[0];
  expect(status).toBe('AVAILABLE');
  const read = await readPdf((await call('GET', url)).bytes);
  expect(read).toEqual(shipment.items.map((item: Loose) => [item.tracking_details.article_id]));
});

it('refuses a shipment with all that is wrong', async () => {
  const order: Loose = eparcelOrder(1);
  order.shipments[0].to.postcode = '300';
  order.shipments[0].items[0].weight = 30;
  order.shipments[0].items[0].product_id = 'X1';
  const { status, body } = await ask('POST', '/shipments', order);
  expect(status).toBe(400);
  expect(body.errors.map(({ code, field }: Loose) => [code, field])).toEqual([
    ['43014', 'shipments[0].to.postcode'],
    ['42002', 'shipments[0].items[0]'],
    ['44010', 'shipments[0].items[0]'],
  ]);
});

it('deletes a shipment once, and not once it is on its way', async () => {
  const [free, moving] = [await create(), await create()];
  const [{ tracking_details: details }] = moving.items;
  await simulator.advance('australia_post', { trackingNumber: details.article_id, status: 'PICKED_UP' });
  expect((await ask('DELETE', `/shipments/${free.shipment_id}`)).status).toBe(200);
  expect((await ask('DELETE', `/shipments/${free.shipment_id}`)).status).toBe(404);
  expect((await ask('DELETE', `/shipments/${moving.shipment_id}`)).body.errors[0].code).toBe('44014');
});

describe('tracking', () => {
  it('tells the events of an article, or of all of a consignment', async () => {
    const { items } = await create(2);
    const [{ tracking_details: details }] = items;
    await simulator.advance('australia_post', { trackingNumber: details.article_id, status: 'DELIVERED' });
    const ids = [details.article_id, details.consignment_id, 'NOBODY'].join(',');
    const [article, consignment, unknown] = (await ask('GET', `/track?tracking_ids=${ids}`)).body.tracking_results;
    expect(article.trackable_items[0].events.map((event: Loose) => [event.date, event.description])).toEqual([
      ['2026-05-01T18:00:01+10:00', 'Delivered - Left in a safe place'],
      ['2026-05-01T18:00:00+10:00', 'Shipping information received by Australia Post'],
    ]);
    expect(consignment.trackable_items[0].items).toHaveLength(2);
    expect(unknown.errors[0].code).toBe('ESB-10001');
  });

  it('takes ten numbers at most', async () => {
    const ids = Array.from({ length: 11 }, (_, index) => `A${index}`).join(',');
    expect((await ask('GET', `/track?tracking_ids=${ids}`)).status).toBe(400);
  });
});
