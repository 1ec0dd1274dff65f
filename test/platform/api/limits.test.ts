import { beforeEach, describe, expect, it } from 'vitest';
import { held } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const each = `
carrier: each
name: Each Account
limits: { per: account, breaker: { failures: 2, pause: 60s } }
environments: { production: { url: 'https://each.example.com' } }
operations: { create: { post: /orders, body: { json: consignment }, result: response.body } }
`;
const api = apiWorld({}, { profiles: { each } });
const { admin, shop, carrier } = api;

describe('GET /admin/queues', () => {
  it('counts what waits, by carrier and state, and says since when', async () => {
    await api.sql('truncate consignments cascade');
    await shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    await shop.create();
    carrier.answers(held('fail'));
    await shop.create(order({}, 'HELD'));
    carrier.answers('nothing');
    await shop.create(order({ 'carrier.code': 'solo' }, 'S-1'), { prefer: 'respond-async' });
    await api.sql(
      `update dispatches set state = 'waiting', due_at = now() + interval '1 hour' where state = 'pending'`,
    );
    await shop.create(order({ 'carrier.code': 'solo' }, 'S-2'), { prefer: 'respond-async' });
    await api.sql(`update labels set state = 'pending', due_at = now()`);
    const { data } = (await admin.get('/admin/queues')).body;
    const at = expect.stringMatching(/^20.*Z$/);
    expect(data).toContainEqual({
      queue: 'dispatches',
      carrier: 'solo',
      state: 'pending',
      count: 1,
      due: 1,
      oldestDueAt: at,
    });
    expect(data).toContainEqual({
      queue: 'dispatches',
      carrier: 'solo',
      state: 'waiting',
      count: 1,
      due: 0,
      oldestDueAt: at,
    });
    expect(data).toContainEqual({
      queue: 'labels',
      carrier: 'acme',
      state: 'pending',
      count: 1,
      due: 1,
      oldestDueAt: at,
    });
    expect(data.find(({ queue }: { queue: string }) => queue === 'deliveries')).toMatchObject({ state: 'pending' });
    expect(data.some(({ state }: { state: string }) => state === 'held' || state === 'done')).toBe(false);
  });
});

const of = async (code: string) =>
  (await admin.get('/admin/breakers')).body.data.filter((one: { carrier: string }) => one.carrier === code);

describe('the breakers', () => {
  beforeEach(() => api.state.breakers.clear());

  it('are listed as all processes see them', async () => {
    const now = api.clock.now();
    api.state.breakers.set('acme', { failures: 99, newestMs: now, healthyMs: now - 1_000 });
    expect(await of('acme')).toEqual([
      {
        carrier: 'acme',
        state: 'open',
        failures: 99,
        lastCallAt: new Date(now).toISOString(),
        lastGoodCallAt: new Date(now - 1_000).toISOString(),
      },
    ]);
    expect(await of('solo')).toEqual([{ carrier: 'solo', state: 'closed', failures: 0 }]);
  });

  it('are opened for a while and closed by hand', async () => {
    const { body } = await admin.post('/admin/breakers/acme/open', { minutes: 5 });
    const keptOpenUntil = new Date(api.clock.now() + 300_000).toISOString();
    expect(body.data).toEqual([{ carrier: 'acme', state: 'kept_open', failures: 0, keptOpenUntil }]);
    expect((await admin.post('/admin/breakers/acme/close', {})).body.data).toMatchObject([{ state: 'closed' }]);
    api.state.breakers.set('acme', { failures: 99, newestMs: 1, healthyMs: null });
    expect((await admin.post('/admin/breakers/acme/close', {})).body.data).toMatchObject([
      { state: 'closed', failures: 0 },
    ]);
  });

  it('are of accounts where the profile limits these', async () => {
    await shop.opened();
    const [{ id }] = (await admin.get('/admin/accounts?carrier=each')).body.data.slice(-1);
    const { body } = await admin.post('/admin/breakers/each/open', { account: id });
    expect(body.data).toContainEqual(expect.objectContaining({ carrier: 'each', account: id, state: 'kept_open' }));
  });

  it.each([
    ['nobody/open', {}, 404],
    ['each/open', {}, 400],
    ['acme/close', { account: 1 }, 400],
    ['acme/open', { minutes: 0 }, 400],
    ['acme/open', { minutes: 1_441 }, 400],
  ])('%s with %j is %i', async (path, body, status) => {
    expect((await admin.post(`/admin/breakers/${path}`, body)).status).toBe(status);
  });
});
