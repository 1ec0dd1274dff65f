import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { createLimits } from '../../../src/platform/api/rate-limit.ts';
import { apiUnderTest } from './harness.ts';

describe('/v2/webhooks', () => {
  const api = apiUnderTest();
  const subscribed = async (
    body: unknown = { url: 'https://shop.example.com/hook', orderTypes: ['forward', 'REVERSE'] },
  ) => {
    const shipper = await api.newShipper();
    const { statusCode, data } = await shipper('POST', '/v2/webhooks', body);
    return { shipper, statusCode, data };
  };

  it('makes one, and shows its secret once', async () => {
    const { shipper, statusCode, data } = await subscribed();
    expect(statusCode).toBe(200);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      url: 'https://shop.example.com/hook',
      orderTypes: ['FORWARD', 'REVERSE'],
      secret: expect.stringMatching(/^whsec_/),
      state: 'active',
    });
    const listed = (await shipper('GET', '/v2/webhooks')).data.data;
    expect(listed).toHaveLength(1);
    expect(listed[0]).not.toHaveProperty('secret');
    expect((await shipper('GET', `/v2/webhooks/${data.id}`)).data).toEqual(listed[0]);
  });

  it.each([
    [{}, 2],
    [{ url: 'http://127.0.0.1/', orderTypes: ['FORWARD'] }, 1],
    [{ url: 'ftp://shop.example.com', orderTypes: ['SIDEWAYS'] }, 2],
    [{ url: 'https://shop.example.com', orderTypes: [] }, 1],
    [null, 2],
    ['text', 2],
  ])('is 400 for %j', async (body, findings) => {
    const shipper = await api.newShipper();
    const response = await shipper('POST', '/v2/webhooks', JSON.stringify(body), {
      'content-type': 'application/json',
    });
    expect(response.statusCode).toBe(400);
    expect(response.data.errors[0].details).toHaveLength(findings);
  });

  it('rotates, pauses, resumes and deletes', async () => {
    const { shipper, data } = await subscribed();
    const at = `/v2/webhooks/${data.id}`;
    const rotated = await shipper('POST', `${at}/rotate`);
    expect(rotated.data.secret).toMatch(/^whsec_/);
    expect(rotated.data.secret).not.toBe(data.secret);
    expect(rotated.data.oldSecretUntil).toBe('2026-05-02T09:00:00.000Z');
    expect((await shipper('POST', `${at}/pause`)).data).toMatchObject({ state: 'paused', pauseReason: 'requested' });
    expect((await shipper('POST', `${at}/resume`)).data.state).toBe('active');
    expect((await shipper('DELETE', at)).data).toEqual({ id: data.id, deleted: true });
    expect((await shipper('GET', at)).statusCode).toBe(404);
    expect((await shipper('DELETE', at, undefined, { 'content-type': 'application/json' })).statusCode).toBe(404);
  });

  it('sends a test event that the secret verifies', async () => {
    const { shipper, data } = await subscribed();
    api.state.sent.length = 0;
    const { data: tested } = await shipper('POST', `/v2/webhooks/${data.id}/test`);
    expect(tested).toMatchObject({ delivered: true, outcome: 'delivered', status: 200 });
    const [request] = api.state.sent as { url: string; headers: Record<string, string>; body: Buffer }[];
    expect(request?.url).toBe('https://shop.example.com/hook');
    // The clock of this test is not today's, which is what the library compares with.
    const signature = new Webhook(data.secret).sign(
      request!.headers['webhook-id']!,
      new Date(api.clock.now()),
      request!.body.toString(),
    );
    expect(request!.headers['webhook-signature']!.split(' ')).toContain(signature);
  });

  it('logs what is to be delivered, and sends it again', async () => {
    const { shipper, data } = await subscribed();
    await shipper.create(leastOrder());
    const list = await shipper(
      'GET',
      '/v2/webhooks/deliveries?limit=1&event=consignment.tracking&referenceNumber=REF-1',
    );
    expect(list.statusCode).toBe(200);
    expect(list.data.data).toMatchObject([
      { webhookId: data.id, event: 'consignment.tracking', state: 'pending', attempts: 0 },
    ]);
    const { id } = list.data.data[0];
    const one = await shipper('GET', `/v2/webhooks/deliveries/${id}`);
    expect(one.data).toMatchObject({
      id,
      tries: [],
      body: { event: 'consignment.tracking', referenceNumber: 'REF-1' },
    });
    await api.database.pool.query(`update deliveries set state = 'failed', finished_at = now() where id = $1`, [id]);
    expect((await shipper('POST', `/v2/webhooks/deliveries/${id}/redeliver`)).data).toEqual({ id, state: 'queued' });
    const all = await shipper('POST', '/v2/webhooks/redeliveries', { state: 'pending' });
    expect(all.data).toMatchObject({ state: 'running', matching: 1, redelivered: 0 });
    expect((await shipper('GET', `/v2/webhooks/redeliveries/${all.data.id}`)).data).toEqual(all.data);
  });

  it('hides everything of another shipper', async () => {
    const { data, shipper } = await subscribed();
    await shipper.create(leastOrder());
    const { id } = (await shipper('GET', '/v2/webhooks/deliveries')).data.data[0];
    const redelivery = (await shipper('POST', '/v2/webhooks/redeliveries')).data.id;
    const other = await api.newShipper();
    expect((await other('GET', '/v2/webhooks')).data.data).toEqual([]);
    expect((await other('GET', '/v2/webhooks/deliveries')).data.data).toEqual([]);
    for (const [method, url] of [
      ['GET', `/v2/webhooks/${data.id}`],
      ['DELETE', `/v2/webhooks/${data.id}`],
      ['POST', `/v2/webhooks/${data.id}/rotate`],
      ['POST', `/v2/webhooks/${data.id}/pause`],
      ['POST', `/v2/webhooks/${data.id}/resume`],
      ['POST', `/v2/webhooks/${data.id}/test`],
      ['GET', `/v2/webhooks/deliveries/${id}`],
      ['POST', `/v2/webhooks/deliveries/${id}/redeliver`],
      ['GET', `/v2/webhooks/redeliveries/${redelivery}`],
    ] as const) {
      expect((await other(method, url)).statusCode).toBe(404);
    }
  });

  it.each(['limit=0', 'limit=x', 'before=-1', 'state=odd', 'since=yesterday'])('is 400 for ?%s', async (query) => {
    const shipper = await api.newShipper();
    expect((await shipper('GET', `/v2/webhooks/deliveries?${query}`)).statusCode).toBe(400);
  });
});

describe('test events', () => {
  const api = apiUnderTest({}, { limits: (nowMs) => createLimits({ perMinute: 60_000, nowMs }) });
  const subscribed = async () => {
    const shipper = await api.newShipper();
    const body = { url: 'https://shop.example.com/hook', orderTypes: ['FORWARD'] };
    const at = `/v2/webhooks/${(await shipper('POST', '/v2/webhooks', body)).data.id}`;
    return { read: async () => await shipper('GET', at), test: async () => await shipper('POST', `${at}/test`) };
  };

  it('are ten a minute for each shipper, as they go to hosts that did not ask for them', async () => {
    const [busy, calm] = [await subscribed(), await subscribed()];
    for (let tested = 0; tested < 10; tested += 1) expect((await busy.test()).statusCode).toBe(200);
    api.state.sent.length = 0;
    const refused = await busy.test();
    expect(refused).toMatchObject({ statusCode: 429, headers: { 'retry-after': '6' } });
    expect(refused.data.status).toBe('TOO_MANY_REQUESTS');
    expect(api.state.sent).toEqual([]);
    expect([(await busy.read()).statusCode, (await calm.test()).statusCode]).toEqual([200, 200]);
    api.clock.advance(6_000);
    expect((await busy.test()).statusCode).toBe(200);
  });
});
