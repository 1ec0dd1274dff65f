import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/engine/profile/finding.ts';
import type { Readiness } from '../../../src/platform/api/deps.ts';
import { apiWorld } from './world.ts';

describe('admin', () => {
  const api = apiWorld();
  const { admin, shop } = api;
  const account = async (more: object = {}) =>
    admin.put('/admin/accounts', {
      shipper: (await shop.opened()).code,
      carrier: 'acme',
      environment: 'sandbox',
      credentials: { token: 'very-secret' },
      ...more,
    });
  const exchanges = (query: string) => admin.get(`/admin/exchanges?${query}`);

  it.each([
    [{}, 'code is required'],
    [{ code: 'a b', name: 'x' }, 'code must be the code of a shipper'],
    [{ code: 'a', name: ' ' }, 'name must not be blank'],
    [{ code: 'a', name: 'x\u0000' }, 'name must not contain NUL'],
    [{ code: 'a', name: 'x', details: { nickname: 'x' } }, 'details.nickname is not a known field'],
    [{ code: 'a', name: 'x', extra: 1 }, 'extra is not a known field'],
  ])('is 400 for a shipper %j', async (given, message) => {
    const { status, body } = await admin.post('/admin/shippers', given);
    expect(status).toBe(400);
    expect(body.errors[0].details.join('\n')).toContain(message);
  });

  it('saves an account, sealed, with defaults filled in', async () => {
    const { status, body } = await account();
    expect(status).toBe(200);
    const { code } = await shop.opened();
    expect(body).toEqual({ id: expect.any(Number), shipper: code, carrier: 'acme', environment: 'sandbox' });
    const [kept] = await api.sql('select credentials, settings from accounts where id = $1', [body.id]);
    expect(kept.credentials.toString('latin1')).not.toContain('very-secret');
    expect(JSON.parse(kept.settings)).toEqual({ depot: '001' });
  });

  it('saves an account anew that nobody can open, as its key is lost', async () => {
    const { id } = (await account()).body;
    await api.sql(`update accounts set credentials = '\\x0100000000'::bytea where id = $1`, [id]);
    expect((await account()).body).toMatchObject({ id });
  });

  it('names each field of an account that is not right, and shows no value', async () => {
    const given = { credentials: { token: 7, extra: 'hush-hush' }, settings: { depot: 'x' } };
    const { status, body, text } = await account(given);
    expect(status).toBe(422);
    expect(body.errors).toHaveLength(3);
    expect(text).not.toContain('hush-hush');
  });

  it.each([{ shipper: 'nobody' }, { carrier: 'nobody' }])('is 404 for an account of %j', async (given) => {
    expect((await account(given)).status).toBe(404);
  });

  it('lists carriers and what accounts they ask for', async () => {
    const { body } = await admin.get('/admin/carriers');
    expect(JSON.stringify(body.carriers)).not.toContain('example-of-a-secret');
    expect(body.carriers.map(({ code }: { code: string }) => code)).toEqual(['acme', 'solo']);
    expect(body.carriers[0]).toMatchObject({
      name: 'Acme Parcels',
      environments: ['sandbox', 'production'],
      operations: ['create', 'update', 'cancel'],
      credentials: [{ name: 'token', secret: true }],
      settings: [{ name: 'depot', pattern: expect.any(String), default: '001' }],
    });
    expect((await admin.post('/admin/reload')).body).toEqual(body);
    expect((await admin.post('/admin/reload?only=changed')).body).toEqual({ ...body, carriers: [] });
  });

  it('a filter that is not known is 400, not as if it fitted all', async () => {
    for (const url of ['/admin/dispatches/held?carrierX=zzz', '/admin/carriers?code=acme', '/admin/audit?who=me']) {
      const { status, text } = await admin.get(url);
      expect(status, url).toBe(400);
      expect(text).toContain(url.split(/[?=]/)[1]);
    }
    expect((await shop.get('/v2/webhooks?state=active')).status).toBe(400);
  });

  it('lists what nobody knows of the carriers’ statuses', async () => {
    expect((await admin.get('/admin/statuses/unmapped?carrier=acme&limit=5')).body).toEqual({ data: [] });
    await api.sql(
      `with push as (insert into pushes (carrier_code, source, request, body) values ('acme', 'contract', '{}', '') returning id)
       insert into events (push_id, carrier_code, identity, match, status, carrier_status, carrier_sub_status,
         carrier_description, occurred_at, event_timezone, body)
       select id, 'acme', 'u', 'unmatched', 'Unmapped', 'odd', '', 'Odd', now(), 'UTC', '{"value":"T"}' from push`,
    );
    const { body } = await admin.get('/admin/statuses/unmapped');
    expect(body.data).toMatchObject([{ carrierCode: 'acme', code: 'odd', count: 1, sample: { value: 'T' } }]);
    expect((await admin.get('/admin/statuses/unmapped?carrier=solo')).body).toEqual({ data: [] });
  });

  it('lists pushes that could not be read, with the reason, page by page', async () => {
    const { token } = await api.issue('carriers/acme', { environment: 'production' });
    for (const body of ['{"value":', '"text"'])
      await api.call({
        method: 'POST',
        url: '/v2/carriers/acme/statuses',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        payload: body,
      });
    const first = (await admin.get('/admin/pushes/failed?limit=1')).body;
    const [{ id }] = first.data;
    const failure = expect.stringContaining('body_not_readable') as string;
    expect(first).toMatchObject({ data: [{ carrierCode: 'acme', source: 'contract', failure }], nextAfter: id });
    const { body } = await admin.get(`/admin/pushes/failed?carrier=acme&after=${id}`);
    expect(body.data).toHaveLength(1);
    expect(body.nextAfter).toBeUndefined();
    expect((await admin.get('/admin/pushes/failed?carrier=solo')).body.data).toEqual([]);
  });

  it('lists exchanges page by page, bodies as text where they are text', async () => {
    await shop.create();
    for (const body of [Buffer.from('{"a":1}'), Buffer.from([0xff, 0x00])])
      await api.sql(
        `insert into exchanges (carrier_code, environment, consignment_id, profile_hash, operation, step, element, attempt,
           method, url, request_headers, request_body, status, response_headers, response_body, duration_ms, outcome)
         select 'acme', 'production', max(id), 'h', 'create', 'create', 0, 1, 'POST', 'https://acme.example.com', '{"a":"b"}',
           $1, 200, '{}', $1, 5, 'succeed' from consignments`,
        [body],
      );
    const first = (await exchanges('limit=1')).body;
    const request = { method: 'POST', headers: { a: 'b' }, body: '/wA=', encoding: 'base64' };
    expect(first.data).toMatchObject([{ carrier: 'acme', outcome: 'succeed', request }]);
    const second = (await exchanges(`limit=1&before=${first.nextBefore}`)).body;
    expect(second).toMatchObject({ data: [{ response: { status: 200, body: '{"a":1}', encoding: 'utf8' } }] });
    expect(second).not.toHaveProperty('nextBefore');
    const { code } = await shop.opened();
    expect((await exchanges(`shipper=${code}&referenceNumber=REF-1`)).body.data).toHaveLength(2);
    for (const none of ['carrier=solo', 'dispatchId=999999', 'consignmentId=999999'])
      expect((await exchanges(none)).body.data).toEqual([]);
    expect((await exchanges(`shipper=${code}`)).status).toBe(400);
    expect((await exchanges(`shipper=${code}&referenceNumber=none`)).status).toBe(404);
  });

  it.each([
    [
      'says what the carrier calls from now on',
      { kind: 'done', webhookUrl: 'https://waybill.example.com/v2/carriers/acme/webhook/7' },
      200,
      { id: 7, webhook: 'https://waybill.example.com/v2/carriers/acme/webhook/7' },
    ],
    [
      'hands the carrier’s words on when it refuses',
      { kind: 'failed', problem: { code: 'http_400', messages: ['too many webhooks'] } },
      422,
      { errors: ['too many webhooks'] },
    ],
    ['is 404 for an account that there is not', { kind: 'unknown' }, 404, {}],
    ['is 404 for a carrier that has no such operation', { kind: 'not_offered' }, 404, {}],
  ] as const)('announcing our webhook at a carrier %s', async (_, registers, status, body) => {
    api.state.registers = registers;
    for (const operation of ['register', 'unregister']) {
      expect(await admin.post(`/admin/accounts/7/${operation}`)).toMatchObject({ status, body });
      expect(api.state.registered.at(-1)).toEqual({ id: 7, operation });
    }
  });
});

describe('operations', () => {
  let parts: Readiness['parts'] = { database: { ready: false, message: 'away' } };
  const api = apiWorld({ readiness: () => Promise.resolve({ ready: parts['database']!.ready, parts }) });

  it('says that it is alive, what it still lacks to be ready, and gives its numbers', async () => {
    expect((await api.call({ url: '/healthz' })).body).toEqual({ status: 'OK' });
    expect(await api.call({ url: '/readyz' })).toMatchObject({ status: 503, body: { parts } });
    parts = { database: { ready: true } };
    expect(await api.call({ url: '/readyz' })).toMatchObject({ status: 200, body: { ready: true } });
    const metrics = await api.call({ url: '/metrics' });
    expect(metrics.headers['content-type']).toContain('text/plain');
    expect(metrics.text).toBe('waybill_up 1\n');
    // Of each carrier and each shipper only for operators.
    expect((await api.admin.get('/metrics')).text).toBe('waybill_up 1\nwaybill_shipper_dispatches 1\n');
    const headers = { authorization: 'Bearer nobody' };
    expect((await api.call({ url: '/metrics', headers })).status).toBe(401);
  });

  it('describes itself whole', async () => {
    const { body, text } = await api.call({ url: '/openapi.json' });
    expect(body.openapi).toBe('3.1.0');
    const create = body.paths['/v2/consignments'].post;
    expect(create.requestBody.content['application/json'].schema.anyOf).toHaveLength(4);
    expect(Object.keys(create.responses).join(' ')).toBe('200 400 401 403 409 413 415 422 429 500 503');
    const { required } = body.components.schemas.CreateParcel.properties.consignmentDetails;
    expect(required).toContain('referenceNumber');
    expect(text).not.toContain('"def-');
    const ids = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });
});

describe('a reload of profiles with errors', () => {
  const findings: Finding[] = [];
  const api = apiWorld({
    carriers: {
      find: () => undefined,
      list: () => [],
      policy: () => undefined,
      findings: () => findings,
      reload: () => Promise.resolve(),
    },
  });

  it('is 422 and names each finding', async () => {
    findings.push({
      rule: 'unknown-key',
      severity: 'error',
      message: 'there is no key crate',
      place: { file: 'carriers/acme.yaml', line: 7, column: 3 },
    });
    const { status, body } = await api.admin.post('/admin/reload');
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { status: 'UNPROCESSABLE_ENTITY', errors: [expect.stringContaining('carriers/acme.yaml:7:3')] },
    });
    expect((await api.sql('select action from audit_log')).at(-1)).toEqual({ action: 'reload' });
  });

  it('is 200 where there are only warnings', async () => {
    findings.splice(0, 1, { ...findings[0]!, severity: 'warning' });
    expect((await api.admin.post('/admin/reload')).status).toBe(200);
  });
});
