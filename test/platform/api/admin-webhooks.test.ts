import { beforeEach, expect, it } from 'vitest';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { admin, shop } = api;
let [code, webhook] = ['', ''];
const deliveries = async (query = '') => (await admin.get(`/admin/webhooks/deliveries?${query}`)).body.data;

beforeEach(async () => {
  ({ code } = await shop.opened());
  const hook = { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] };
  webhook = (await shop.post('/v2/webhooks', hook)).body.id;
  await shop.create(order({}, `R-${code}`));
});

it('lists the webhooks of all shippers, by shipper, environment and state, and shows no secret', async () => {
  const { body, text } = await admin.get(`/admin/webhooks?shipper=${code}&environment=production&state=active`);
  expect(body.data).toMatchObject([{ id: webhook, shipper: code, environment: 'production', state: 'active' }]);
  expect(text).not.toContain('secret');
  expect((await admin.get(`/admin/webhooks?shipper=${code}&state=paused`)).body.data).toEqual([]);
  expect((await admin.get('/admin/webhooks')).body.data.length).toBeGreaterThan(0);
});

it('pauses, resumes, changes and ends any, in the operator’s name', async () => {
  expect((await admin.post(`/admin/webhooks/${webhook}/pause`)).body).toMatchObject({ state: 'paused' });
  expect((await shop.get(`/v2/webhooks/${webhook}`)).body).toMatchObject({ state: 'paused' });
  expect((await admin.post(`/admin/webhooks/${webhook}/resume`)).body).toMatchObject({ state: 'active' });
  const events = ['consignment.held'];
  expect((await admin.patch(`/admin/webhooks/${webhook}`, { events })).body).toMatchObject({ events });
  expect((await admin.patch(`/admin/webhooks/${webhook}`, { events: ['gone'] })).status).toBe(400);
  expect((await admin.delete(`/admin/webhooks/${webhook}`)).body).toEqual({ id: webhook, deleted: true });
  expect((await admin.delete(`/admin/webhooks/${webhook}`)).body.code).toBe('unknown_webhook');
  const { data } = (await admin.get(`/admin/audit?subject=webhook:${webhook}`)).body;
  expect(data.map(({ actor }: { actor: string }) => actor)).toEqual([
    'admin',
    'admin',
    'admin',
    'admin',
    `shipper:${code}`,
  ]);
});

it('shows what was sent to whom, and sends one again', async () => {
  const [one] = await deliveries(`shipper=${code}`);
  expect(one).toMatchObject({ referenceNumber: `R-${code}`, webhookId: webhook, state: 'pending' });
  expect((await deliveries(`webhookId=${webhook}`)).length).toBeGreaterThan(0);
  expect(await deliveries('shipper=nobody')).toEqual([]);
  expect((await deliveries('limit=500')).map(({ id }: { id: number }) => id)).toContain(one.id);
  const whole = (await admin.get(`/admin/webhooks/deliveries/${one.id}`)).body;
  expect(whole).toMatchObject({ id: one.id, body: { referenceNumber: `R-${code}` }, tries: [] });
  await api.sql(`update deliveries set state = 'failed', finished_at = now() where id = $1`, [one.id]);
  expect(await deliveries(`shipper=${code}&state=failed`)).toMatchObject([{ id: one.id }]);
  const again = await admin.post(`/admin/webhooks/deliveries/${one.id}/redeliver`);
  expect(again.body).toEqual({ id: one.id, state: 'queued' });
  expect((await admin.post('/admin/webhooks/deliveries/999/redeliver')).body.code).toBe('unknown_delivery');
});

it('sends all of a shipper that match again', async () => {
  await api.sql(`update deliveries set state = 'failed', finished_at = now()`);
  const { body } = await admin.post('/admin/webhooks/redeliveries', { shipper: code, webhookId: webhook });
  expect(body).toMatchObject({ state: 'running', matching: (await deliveries(`webhookId=${webhook}`)).length });
  expect((await admin.get(`/admin/webhooks/redeliveries/${body.id}`)).body).toMatchObject({ id: body.id });
  expect((await shop.get(`/v2/webhooks/redeliveries/${body.id}`)).status).toBe(200);
  expect((await admin.post('/admin/webhooks/redeliveries', { shipper: 'nobody' })).body.code).toBe('unknown_shipper');
  expect((await admin.post('/admin/webhooks/redeliveries', {})).status).toBe(400);
});
