/** What the console reads beside lists: activity, one carrier in full, versions, the configuration, the whole story. */
import { describe, expect, it } from 'vitest';
import { shownSettings, readConfig } from '../../../src/platform/processes/config.ts';
import { keepProfileVersion } from '../../../src/platform/records/profiles.ts';
import { held } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { admin, shop, carrier, clock } = api;
const HOUR_MS = 3_600_000;

const call = async (hoursAgo: number, outcome: string, durationMs: number, more: object = {}): Promise<void> => {
  const { operation = 'create', status = 200, message = null } = more as Record<string, never>;
  await api.sql(
    `insert into exchanges (at, carrier_code, environment, profile_hash, operation, step, element, attempt, method, url,
      request_headers, status, duration_ms, outcome, message)
     values ($1, 'acme', 'production', '', $2, 'create', 0, 1, 'POST', 'https://acme.example', '{}', $3, $4, $5, $6)`,
    [new Date(clock.now() - hoursAgo * HOUR_MS), operation, status, durationMs, outcome, message],
  );
};

describe('GET /admin/activity', () => {
  it('counts the calls of the last day by carrier and hour, with p95, the last failure and what is held', async () => {
    for (let at = 0; at < 19; at += 1) await call(0.5, 'succeed', 100);
    await call(0.5, 'reject', 900);
    await call(3.5, 'unknown_outcome', 30_000, { status: null, message: 'timeout: no answer' });
    await call(0.5, 'succeed', 5, { operation: 'login' });
    await call(25, 'fail', 100);
    carrier.answers(held('fail'));
    await shop.create(order({}, 'HELD-1'));
    carrier.reset();
    const { status, body } = await admin.get('/admin/activity');
    expect(status).toBe(200);
    expect(body).toMatchObject({ heldDispatches: 1, pushes: { unmatched: 0, unmapped: 0 } });
    const [acme, solo] = body.carriers;
    expect(acme).toMatchObject({
      carrier: 'acme',
      name: 'Acme Parcels',
      held: 1,
      succeeded: 19,
      rejected: 1,
      failed: 1,
    });
    expect(acme.p95Ms).toBe(100);
    expect(acme.lastFailure).toMatchObject({ outcome: 'unknown_outcome', message: 'timeout: no answer' });
    expect(acme.hours).toHaveLength(24);
    expect(acme.hours[23]).toEqual({ succeeded: 19, rejected: 1, failed: 0 });
    expect(acme.hours[20]).toEqual({ succeeded: 0, rejected: 0, failed: 1 });
    expect(solo).toMatchObject({ carrier: 'solo', held: 0, succeeded: 0 });
    expect(solo.lastFailure).toBeUndefined();
  });

  it('asks the records once in a while, however many look', async () => {
    const before = (await admin.get('/admin/activity')).text;
    await call(0.1, 'succeed', 100);
    expect((await admin.get('/admin/activity')).text).toBe(before);
    clock.advance(6_000);
    expect((await admin.get('/admin/activity')).text).not.toBe(before);
  });
});

describe('GET /admin/carriers/:carrierCode', () => {
  it('shows operations with their calls, the status table and the fields of an account', async () => {
    const { body } = await admin.get('/admin/carriers/acme');
    expect(body).toMatchObject({
      code: 'acme',
      environments: [
        { name: 'sandbox', url: 'https://sandbox.acme.example.com' },
        { name: 'production', url: 'https://acme.example.com' },
      ],
      credentials: [{ name: 'token', secret: true }],
    });
    const create = body.operations.find(({ name }: { name: string }) => name === 'create');
    expect(create.steps).toMatchObject([
      { method: 'POST', url: '/orders', body: 'json', place: expect.stringMatching(/acme\.yaml:\d+$/) },
    ]);
    expect(body.statuses.rows).toContainEqual(
      expect.objectContaining({ key: 'PICKED_UP', status: 'Order Picked Up', ofReturns: false }),
    );
    expect(body.statuses.rows).toContainEqual(
      expect.objectContaining({ key: 'DELIVERED', status: 'Returned to Origin', ofReturns: true }),
    );
    expect(JSON.stringify(body)).not.toContain('example-of-a-secret');
    expect((await admin.get('/admin/carriers/nobody')).status).toBe(404);
  });

  it('shows the files of each version, of that carrier only', async () => {
    const files = { 'carriers/acme.yaml': 'carrier: acme' };
    await keepProfileVersion(api.database.pool, 'h1', 'acme', JSON.stringify({ code: 'acme', files }));
    const { body } = await admin.get('/admin/carriers/acme/versions');
    expect(body.data.map(({ hash }: { hash: string }) => hash)).toContain('h1');
    expect(body.data.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    expect((await admin.get('/admin/carriers/acme/versions/h1')).body).toEqual({ hash: 'h1', files });
    expect((await admin.get('/admin/carriers/solo/versions/h1')).status).toBe(404);
    expect((await admin.get('/admin/carriers/acme/versions/none')).status).toBe(404);
  });
});

describe('GET /admin/consignments/:id', () => {
  it('has the canonical form, and of each event its zone and the row of the status table', async () => {
    await shop.create(order({}, 'STORY-1'));
    const { token } = await api.issue('carriers/acme');
    const update = {
      type: 'Tracking',
      value: 'T-STORY-1-P1',
      carrierStatusCode: 'PICKED_UP',
      carrierStatusDescription: 'x',
      statusReceivedAt: '2026-05-01 10:00:00',
      eventTimezone: 'Europe/Berlin',
    };
    await api.as(token).post('/v2/carriers/acme/statuses', update);
    const [{ id }] = (await admin.get('/admin/consignments?number=STORY-1')).body.data;
    const { body } = await admin.get(`/admin/consignments/${id}`);
    expect(body.canonical).toMatchObject({ referenceId: 'STORY-1' });
    expect(body.events).toMatchObject([
      {
        status: 'Order Picked Up',
        eventTimezone: 'Europe/Berlin',
        row: { key: 'PICKED_UP', status: 'Order Picked Up', place: expect.stringMatching(/acme\.yaml:\d+$/) },
      },
    ]);
  });
});

describe('the configuration as it is shown', () => {
  it('has no secret, and no password of a URL', () => {
    const env = {
      DATABASE_URL: 'postgres://user:hidden-word@db.example/waybill?sslpassword=third-word',
      DATABASE_LISTEN_URL: 'postgres://db.example/waybill?user=u&password=fourth-word',
      ALERT_WEBHOOK_URL: 'https://hooks.example/services/fifth-word',
      ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 6).toString('base64')}`,
      REDIS_URL: 'redis://:other-word@redis.example',
      WAYBILL_ADMIN_TOKEN: 'an-admin-token-that-is-long-enough-to-be-one-of-ours',
      WAYBILL_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
      PORT: '9000',
    };
    const shown = shownSettings(readConfig(env));
    const text = JSON.stringify(shown);
    for (const secret of [
      'hidden-word',
      'other-word',
      'third-word',
      'fourth-word',
      'fifth-word',
      env.WAYBILL_ADMIN_TOKEN,
      env.WAYBILL_SECRET_KEY,
    ])
      expect(text).not.toContain(secret);
    const by = new Map(shown.map((one) => [one.variable, one]));
    expect(by.get('PORT')).toMatchObject({ state: 'set', value: '9000' });
    expect(by.get('HOST')).toMatchObject({ state: 'default', value: '127.0.0.1' });
    expect(by.get('DATABASE_URL')).toMatchObject({ state: 'set' });
    expect(by.get('DATABASE_URL')).not.toHaveProperty('value');
  });
});

describe('POST /admin/webhooks/:id/test', () => {
  it('sends a signed test event in the stead of the shipper', async () => {
    const { body } = await shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    const tested = await admin.post(`/admin/webhooks/${body.id}/test`);
    expect(tested).toMatchObject({ status: 200, body: { delivered: true, status: 200 } });
    expect((await admin.post('/admin/webhooks/sub_AAAAAAAAAAAAAAAAAAAAAAAA/test')).status).toBe(404);
  });
});
