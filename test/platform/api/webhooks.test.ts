import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/platform/processes/config.ts';
import { apiWorld, JSON_TYPE, order } from './world.ts';

const FACILITY = {
  address: { line1: '5 Example Yard', city: 'Berlin', county: 'Mitte', pincode: '10117', country: 'DE' },
  contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
};
type Shop = Pick<ReturnType<typeof apiWorld>['shop'], 'post'>;
const subscribed = async (shop: Shop, path = 'hook', orderTypes = ['forward', 'REVERSE']) => {
  const { status, body } = await shop.post('/v2/webhooks', { url: `https://shop.example.com/${path}`, orderTypes });
  expect(status).toBe(200);
  return { ...body, at: `/v2/webhooks/${body.id}` };
};

describe('/v2/webhooks', () => {
  const api = apiWorld();
  const { shop } = api;

  it('makes one, and shows its secret once', async () => {
    const { at, ...made } = await subscribed(shop);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      url: 'https://shop.example.com/hook',
      orderTypes: ['FORWARD', 'REVERSE'],
      secret: expect.stringMatching(/^whsec_/),
      state: 'active',
    });
    const listed = (await shop.get('/v2/webhooks')).body.data;
    expect(listed).toHaveLength(1);
    expect(listed[0]).not.toHaveProperty('secret');
    expect((await shop.get(at)).body).toEqual(listed[0]);
  });

  it.each([
    [{}, 2],
    [{ url: 'http://127.0.0.1/', orderTypes: ['FORWARD'] }, 1],
    [{ url: 'ftp://shop.example.com', orderTypes: ['SIDEWAYS'] }, 2],
    [{ url: 'https://shop.example.com', orderTypes: [] }, 1],
    [null, 2],
    ['text', 2],
  ])('is 400 for %j', async (given, findings) => {
    const { status, body } = await shop.post('/v2/webhooks', JSON.stringify(given), JSON_TYPE);
    expect(status).toBe(400);
    expect(body.errors[0].details).toHaveLength(findings);
  });

  it('rotates, pauses, resumes and deletes', async () => {
    const { id, at, secret } = await subscribed(shop);
    const rotated = (await shop.post(`${at}/rotate`)).body;
    const oldSecretUntil = '2026-05-02T09:00:00.000Z';
    expect(rotated).toMatchObject({ secret: expect.stringMatching(/^whsec_/), oldSecretUntil });
    expect(rotated.secret).not.toBe(secret);
    expect((await shop.post(`${at}/pause`)).body).toMatchObject({ state: 'paused', pauseReason: 'requested' });
    expect((await shop.post(`${at}/resume`)).body.state).toBe('active');
    expect((await shop.delete(at)).body).toEqual({ id, deleted: true });
    expect((await shop.get(at)).status).toBe(404);
    expect((await shop.delete(at, undefined, JSON_TYPE)).status).toBe(404);
  });

  it('changes what is supplied, keeps the rest, and clears what null is given for', async () => {
    const { at, id, secret: _, ...made } = await subscribed(shop);
    const url = 'https://shop.example.com/other';
    expect((await shop.patch(at, { url })).body).toEqual({ ...made, id, url });
    const more = { orderTypes: ['exchange'], events: ['consignment.status'], retryAfterSeconds: [60, 604_800] };
    const changed = { ...made, id, url, ...more, orderTypes: ['EXCHANGE'] };
    expect((await shop.patch(at, more)).body).toEqual(changed);
    expect((await shop.get(at)).body).toEqual(changed);
    const { events: _events, retryAfterSeconds: _waits, ...cleared } = changed;
    expect((await shop.patch(at, { events: null, retryAfterSeconds: null })).body).toEqual(cleared);
    expect((await shop.patch(at, {})).body).toEqual(cleared);
    const other = await api.newShipper();
    expect((await other.patch(at, { url })).status).toBe(404);
    expect(
      await api.sql(`select distinct action from audit_log where subject = $1 order by 1`, [`webhook:${id}`]),
    ).toEqual([{ action: 'create_webhook' }, { action: 'update_webhook' }]);
  });

  it('sends headers of its own, whose values are sealed and never shown', async () => {
    const headers = { Authorization: 'Bearer of-the-shop', 'X-Shop': 'one two' };
    const made = await shop.post('/v2/webhooks', {
      url: 'https://shop.example.com/hook',
      orderTypes: ['FORWARD'],
      headers,
    });
    const at = `/v2/webhooks/${made.body.id}`;
    expect(made.body.headerNames).toEqual(['Authorization', 'X-Shop']);
    await shop.patch(at, { events: ['consignment.label'] });
    const elsewhere = await shop.patch(at, { url: 'https://other.example.com/hook' });
    expect([elsewhere.status, elsewhere.text]).toEqual([400, expect.stringContaining('headers is needed')]);
    await shop.post(`${at}/test`);
    expect(api.state.sent.at(-1)?.headers).toMatchObject({ ...headers, 'content-type': 'application/json' });
    const kept = JSON.stringify(
      await api.sql(`select encode(headers, 'escape') as headers, header_names from subscriptions`),
    );
    for (const text of [made.text, (await shop.get('/v2/webhooks')).text, kept])
      expect(text).not.toContain('of-the-shop');
    expect((await shop.patch(at, { headers: { 'X-New': '1' } })).body.headerNames).toEqual(['X-New']);
    expect((await shop.patch(at, { headers: null })).body).not.toHaveProperty('headerNames');
    await shop.post(`${at}/test`);
    expect(api.state.sent.at(-1)?.headers).not.toHaveProperty('X-New');
  });

  it.each([
    [{ headers: { 'Webhook-Id': 'x' } }, 'headers.Webhook-Id is reserved'],
    [{ headers: { Host: 'x' } }, 'headers.Host is reserved'],
    [{ headers: { 'content-length': '1' } }, 'headers.content-length is reserved'],
    [{ headers: { 'no name': 'x' } }, 'headers.no name is not the name of a header'],
    [{ headers: { 'X-A': 'a\r\nb' } }, 'headers.X-A must be 1 to 2,000 characters of ASCII'],
    [{ headers: { 'X-A': '' } }, 'headers.X-A must be'],
    [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, 'headers.x-a is there twice'],
    [{ headers: ['X-A'] }, 'headers must be an object'],
    [{ headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`X-${at}`, 'x'])) }, 'at most 20'],
    [{ retryAfterSeconds: [] }, 'retryAfterSeconds must be a list of 1 to 30'],
    [{ retryAfterSeconds: [0] }, 'retryAfterSeconds must be'],
    [{ retryAfterSeconds: [604_801] }, 'retryAfterSeconds must be'],
    [{ retryAfterSeconds: [604_800, 604_800, 1] }, 'together at most 14 days'],
    [{ url: null }, 'url is required'],
    [{ orderTypes: [] }, 'orderTypes is required'],
    [{ url: 'http://127.0.0.1/' }, 'url cannot be used'],
    [[], 'must be an object'],
  ])('is 400 for a change to %j, and nothing changes', async (given, message) => {
    const { at } = await subscribed(shop);
    const before = (await shop.get(at)).body;
    const { status, body } = await shop.patch(at, given);
    expect([status, body.errors?.[0]?.details?.join()]).toEqual([400, expect.stringContaining(message)]);
    expect((await shop.get(at)).body).toEqual(before);
  });

  it('is not changed by an id that none can have', async () => {
    expect((await shop.patch('/v2/webhooks/%00', {})).status).toBe(400);
  });

  it('sends a test event that the secret verifies', async () => {
    const { at, secret } = await subscribed(shop);
    expect((await shop.post(`${at}/test`)).body).toMatchObject({ delivered: true, outcome: 'delivered', status: 200 });
    const [request] = api.state.sent;
    expect(request?.url).toBe('https://shop.example.com/hook');
    // The clock of this test is not today's, which is what the library compares with.
    const now = new Date(api.clock.now());
    const signature = new Webhook(secret).sign(request!.headers['webhook-id']!, now, request!.body.toString());
    expect(request!.headers['webhook-signature']!.split(' ')).toContain(signature);
  });

  it('goes by order type, each to its own URL alone or to a shared one', async () => {
    for (const code of ['A', 'B']) await shop.put(`/v2/facilities/${code}`, FACILITY);
    await subscribed(shop, 'forward', ['Forward']);
    await subscribed(shop, 'shared', ['REVERSE', 'exchange']);
    await subscribed(shop, 'transfer', ['TRANSFER']);
    let created = 0;
    const told = async (details: object, places: object = {}) => {
      created += 1;
      const { consignmentDetails, ...rest } = order({}, `REF-${created}`);
      await shop.create({ ...rest, consignmentDetails: { ...consignmentDetails, ...details }, ...places });
      const rows = await api.sql(
        `select distinct substr(url, length('https://shop.example.com/') + 1) as path
         from deliveries d join notices n on n.id = d.notice_id join subscriptions s on s.id = d.subscription_id
         where n.consignment_id = (select max(id) from consignments) order by 1`,
      );
      return rows.map(({ path }) => path);
    };
    expect(await told({})).toEqual(['forward']);
    expect(await told({ consignmentType: 'REVERSE' })).toEqual(['shared']);
    const exchange = { additionalInformation: { exchangeOrderNumber: 'ORD-0' } };
    expect(await told(exchange)).toEqual(['shared']);
    const between = { shipFrom: { originFacilityCode: 'A' }, shipTo: { destinationFacilityCode: 'B' } };
    expect(await told({}, between)).toEqual(['transfer']);
  });

  it('are retried up to 4 times, 30 minutes apart, unless configured (test/platform/records/deliver.test.ts)', () => {
    expect(SETTINGS.webhookRetries.read(undefined)).toBe(4);
    expect(SETTINGS.webhookRetryMs.read(undefined)).toBe(30 * 60_000);
  });
});

describe('/v2/webhooks/deliveries', () => {
  const api = apiWorld();
  const { shop } = api;

  it('logs what is to be delivered, and sends it again', async () => {
    const { id: webhookId } = await subscribed(shop);
    await shop.create();
    const query = 'limit=1&event=consignment.tracking&referenceNumber=REF-1';
    const { status, body } = await shop.get(`/v2/webhooks/deliveries?${query}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([{ webhookId, event: 'consignment.tracking', state: 'pending', attempts: 0 }]);
    const { id } = body.data[0];
    expect((await shop.get(`/v2/webhooks/deliveries/${id}`)).body).toMatchObject({
      id,
      tries: [],
      body: { event: 'consignment.tracking', referenceNumber: 'REF-1' },
    });
    await api.sql(`update deliveries set state = 'failed', finished_at = now() where id = $1`, [id]);
    expect((await shop.post(`/v2/webhooks/deliveries/${id}/redeliver`)).body).toEqual({ id, state: 'queued' });
    const all = (await shop.post('/v2/webhooks/redeliveries', { state: 'pending' })).body;
    expect(all).toMatchObject({ state: 'running', matching: 1, redelivered: 0 });
    expect((await shop.get(`/v2/webhooks/redeliveries/${all.id}`)).body).toEqual(all);
  });

  it.each(['limit=0', 'limit=x', 'before=-1', 'state=odd', 'since=yesterday'])('is 400 for ?%s', async (query) => {
    expect((await shop.get(`/v2/webhooks/deliveries?${query}`)).status).toBe(400);
  });
});

describe('test events', () => {
  const api = apiWorld({}, { limits: {} });

  it('are ten a minute for each shipper, as they go to hosts that did not ask for them', async () => {
    const [busy, calm] = [api.shop, await api.newShipper()];
    const [busyAt, calmAt] = [(await subscribed(busy)).at, (await subscribed(calm)).at];
    const test = () => busy.post(`${busyAt}/test`);
    for (let tested = 0; tested < 10; tested += 1) expect((await test()).status).toBe(200);
    api.state.sent = [];
    expect(await test()).toMatchObject({
      status: 429,
      headers: { 'retry-after': '6' },
      body: { status: 'TOO_MANY_REQUESTS' },
    });
    expect(api.state.sent).toEqual([]);
    expect([(await busy.get(busyAt)).status, (await calm.post(`${calmAt}/test`)).status]).toEqual([200, 200]);
    api.clock.advance(6_000);
    expect((await test()).status).toBe(200);
  });
});
