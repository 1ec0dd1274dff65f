import { beforeEach, describe, expect, it } from 'vitest';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { admin, shop, carrier, sql } = api;
let code = '';
let account = 0;

beforeEach(async () => {
  ({ code } = await shop.opened());
  account = (await admin.get(`/admin/accounts?shipper=${code}&carrier=acme`)).body.data[0].id;
});

const saving = async (baseUrl?: string | null) =>
  await admin.put('/admin/accounts', {
    shipper: code,
    carrier: 'acme',
    credentials: { token: 'secret-token' },
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
const shownUrl = async () => (await admin.get(`/admin/accounts?shipper=${code}&carrier=acme`)).body.data[0].baseUrl;

describe('shippers', () => {
  it('are listed, read and edited', async () => {
    const { body } = await admin.put(`/admin/shippers/${code}`, { name: 'Renamed', details: { merchantCode: 'M-1' } });
    const whole = {
      code,
      name: 'Renamed',
      details: { merchantCode: 'M-1' },
      state: 'active',
      createdAt: expect.any(String),
    };
    expect(body).toEqual(whole);
    expect((await admin.get(`/admin/shippers/${code}`)).body).toEqual(whole);
    expect((await admin.get('/admin/shippers?limit=500')).body.data).toContainEqual(whole);
    expect((await admin.put('/admin/shippers/nobody', { name: 'x' })).body.code).toBe('unknown_shipper');
  });

  it('disabled: their tokens are nobody’s, and what they asked for goes on', async () => {
    await shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    carrier.answers('nothing');
    await shop.create(order(), { prefer: 'respond-async' });
    expect((await admin.post(`/admin/shippers/${code}/disable`)).body).toMatchObject({ code, state: 'disabled' });
    expect((await shop.get('/v2/consignments')).status).toBe(401);
    expect((await shop.create(order({}, 'REF-2'))).status).toBe(401);
    carrier.answers('as usual');
    await api.work();
    const [told] = await api.sql(`select d.state from deliveries d order by d.id desc limit 1`);
    expect(told).toEqual({ state: 'pending' });
    await admin.post(`/admin/shippers/${code}/enable`);
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted' });
    expect((await admin.get('/admin/shippers?state=disabled')).body.data).toEqual([]);
  });

  it('deleted: their tokens are revoked, webhooks paused, accounts and facilities gone, and their consignments remain', async () => {
    await shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    await shop.create();
    const { token } = await shop.opened();
    expect((await admin.delete(`/admin/shippers/${code}`)).body).toMatchObject({ code, state: 'deleted' });
    expect((await api.as(token).get('/v2/consignments')).status).toBe(401);
    expect((await admin.get(`/admin/shippers/${code}`)).status).toBe(404);
    expect((await admin.get(`/admin/accounts?shipper=${code}`)).body.data).toEqual([]);
    expect((await admin.get(`/admin/tokens?shipper=${code}`)).body.data).toMatchObject([{ state: 'revoked' }]);
    expect(await api.sql(`select state from subscriptions order by created_at desc limit 1`)).toEqual([
      { state: 'paused' },
    ]);
    expect((await admin.get(`/admin/consignments?number=REF-1&limit=1`)).body.data).toMatchObject([{ shipper: code }]);
    for (const on of [`/admin/shippers/${code}/enable`, `/admin/shippers/${code}/tokens`])
      expect((await admin.post(on, {})).status).toBe(404);
    const again = await admin.post('/admin/shippers', { code, name: 'Again' });
    expect((await api.as(again.body.token).get('/v2/consignments')).status).toBe(200);
    expect((await api.as(token).get('/v2/consignments')).status).toBe(401);
  });
});

describe('accounts', () => {
  it('are listed without credentials, with the settings that are no secret', async () => {
    const { body, text } = await admin.get(`/admin/accounts?shipper=${code}&environment=production`);
    expect(body.data).toMatchObject([
      {
        id: account,
        shipper: code,
        carrier: 'acme',
        environment: 'production',
        state: 'active',
        settings: { depot: '001' },
      },
      { carrier: 'solo', settings: {} },
    ]);
    expect(text).not.toContain('secret-token');
    expect((await admin.get('/admin/accounts?carrier=nobody')).body.data).toEqual([]);
    expect((await admin.get('/admin/accounts?colour=red')).status).toBe(400);
  });

  it('disabled: orders for them break a rule until they are enabled', async () => {
    expect((await admin.post(`/admin/accounts/${account}/disable`)).body).toMatchObject({
      id: account,
      state: 'disabled',
    });
    const refused = await shop.create();
    expect(refused).toMatchObject({ status: 422, body: { code: 'rules_broken' } });
    await admin.put('/admin/accounts', { shipper: code, carrier: 'acme', credentials: { token: 'secret-token' } });
    expect((await shop.create()).status).toBe(422);
    await admin.post(`/admin/accounts/${account}/enable`);
    expect((await shop.create()).status).toBe(200);
  });

  it('have a base URL of their own, which is checked, shown and taken back', async () => {
    for (const [url, why] of [
      ['http://shop.acme.example', 'baseUrl is refused: only https: is allowed'],
      ['https://10.0.0.1/v1', 'baseUrl is refused: the address is private'],
      ['https://169.254.169.254', 'baseUrl is refused: the address is not public'],
      ['https://key@shop.acme.example', 'baseUrl is refused: the URL holds a user name or password'],
      ['https://shop.acme.example?x=1', 'baseUrl must be a host and a path, without query and fragment'],
      ['shop.acme.example', 'baseUrl is refused: the URL cannot be read'],
    ] as const)
      expect(await saving(url)).toMatchObject({ status: 422, body: { code: 'account_invalid', errors: [why] } });
    expect((await saving('https://shop.acme.example/v1')).status).toBe(200);
    expect((await saving()).status).toBe(200);
    expect(await shownUrl()).toBe('https://shop.acme.example/v1');
    await saving('https://other.acme.example');
    await saving(null);
    expect(await shownUrl()).toBeUndefined();
    const saved = await sql(
      `select detail::json as detail from audit_log where action = 'save_account'
      and subject = $1 order by id desc limit 4`,
      [`account:${account}`],
    );
    expect(saved.map(({ detail: { baseUrl, formerBaseUrl } }) => [formerBaseUrl, baseUrl])).toEqual([
      ['https://other.acme.example', null],
      ['https://shop.acme.example/v1', 'https://other.acme.example'],
      [undefined, undefined],
      [undefined, 'https://shop.acme.example/v1'],
    ]);
  });

  it('deleted: they are not listed, their credentials are gone, and saving them anew brings them back', async () => {
    await admin.delete(`/admin/accounts/${account}`);
    expect((await admin.get(`/admin/accounts?shipper=${code}&carrier=acme`)).body.data).toEqual([]);
    expect((await admin.get(`/admin/accounts?shipper=${code}&state=deleted`)).body.data).toMatchObject([
      { id: account },
    ]);
    expect((await shop.create()).status).toBe(422);
    expect((await admin.post(`/admin/accounts/${account}/enable`)).body.code).toBe('unknown_account');
    const saved = { shipper: code, carrier: 'acme', credentials: { token: 'secret-token' } };
    expect((await admin.put('/admin/accounts', saved)).body.id).toBe(account);
    expect((await shop.create()).status).toBe(200);
  });

  it('are checked with their carrier', async () => {
    const problem = { code: 'http_401', messages: ['who are you'] };
    const asked = {
      method: 'GET',
      url: 'https://acme.example.com/me',
      status: 401,
      outcome: 'config_error',
      message: 'who are you',
    };
    api.state.checks = { kind: 'refused', problem, asked: [asked] };
    const check = () => admin.post(`/admin/accounts/${account}/check`);
    expect((await check()).body).toEqual({ id: account, result: 'refused', ...problem, asked: [asked] });
    api.state.checks = undefined;
    expect((await check()).body.code).toBe('unknown_account');
  });
});
