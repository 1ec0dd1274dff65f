import { describe, expect, it } from 'vitest';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { partsOfToken } from '../../support/tokens.ts';
import { apiUnderTest } from './harness.ts';

describe('admin', () => {
  const api = apiUnderTest();

  it('makes a shipper with a token, and keeps only the hash of that', async () => {
    const { statusCode, data } = await api.admin('POST', '/admin/shippers', { code: 'shop-1', name: 'Example Shop' });
    expect(statusCode).toBe(200);
    expect(data).toEqual({ code: 'shop-1', token: expect.stringMatching(/^wb_shipper_/) });
    expect((await api.as(data.token)('GET', '/v2/webhooks')).statusCode).toBe(200);
    const { rows } = await api.database.pool.query('select * from tokens');
    expect(JSON.stringify(rows)).not.toContain(partsOfToken(data.token).secret);
  });

  it.each([
    [{}, 'code is required'],
    [{ code: 'a b', name: 'x' }, 'code must be the code of a shipper'],
    [{ code: 'a', name: ' ' }, 'name must not be blank'],
    [{ code: 'a', name: 'x\u0000' }, 'name must not contain NUL'],
    [{ code: 'a', name: 'x', details: { nickname: 'x' } }, 'details.nickname is not a known field'],
    [{ code: 'a', name: 'x', extra: 1 }, 'extra is not a known field'],
  ])('is 400 for a shipper %j', async (body, message) => {
    const { statusCode, data } = await api.admin('POST', '/admin/shippers', body);
    expect(statusCode).toBe(400);
    expect(data.errors[0].details.join('\n')).toContain(message);
  });

  it('issues further tokens, each for one environment', async () => {
    await api.admin('POST', '/admin/shippers', { code: 'shop-2', name: 'Example Shop' });
    const { data } = await api.admin('POST', '/admin/shippers/shop-2/tokens', { environment: 'sandbox' });
    expect(data.token).toMatch(/^wb_shipper_/);
    expect((await api.admin('POST', '/admin/shippers/nobody/tokens')).statusCode).toBe(404);
    expect((await api.admin('POST', '/admin/shippers/shop-2/tokens', { environment: 'moon' })).statusCode).toBe(400);
    expect((await api.admin('POST', '/admin/carriers/nobody/tokens')).statusCode).toBe(404);
  });

  it('saves an account, sealed, with defaults filled in', async () => {
    await api.admin('POST', '/admin/shippers', { code: 'shop-3', name: 'Example Shop' });
    const body = { shipper: 'shop-3', carrier: 'acme', environment: 'sandbox', credentials: { token: 'very-secret' } };
    const { statusCode, data } = await api.admin('PUT', '/admin/accounts', body);
    expect(statusCode).toBe(200);
    expect(data).toEqual({ id: expect.any(Number), shipper: 'shop-3', carrier: 'acme', environment: 'sandbox' });
    const { rows } = await api.database.pool.query('select credentials, settings from accounts where id = $1', [
      data.id,
    ]);
    expect(rows[0].credentials.toString('latin1')).not.toContain('very-secret');
    expect(JSON.parse(rows[0].settings)).toEqual({ depot: '001' });
  });

  it('saves an account anew that nobody can open, as its key is lost', async () => {
    await api.admin('POST', '/admin/shippers', { code: 'shop-lost', name: 'Example Shop' });
    const body = { shipper: 'shop-lost', carrier: 'acme', credentials: { token: 'very-secret' } };
    const { id } = (await api.admin('PUT', '/admin/accounts', body)).data;
    await api.database.pool.query(`update accounts set credentials = '\\x0100000000'::bytea where id = $1`, [id]);
    expect((await api.admin('PUT', '/admin/accounts', body)).data).toMatchObject({ id });
  });

  it('names each field of an account that is not right, and shows no value', async () => {
    await api.admin('POST', '/admin/shippers', { code: 'shop-4', name: 'Example Shop' });
    const { statusCode, data } = await api.admin('PUT', '/admin/accounts', {
      shipper: 'shop-4',
      carrier: 'acme',
      credentials: { token: 7, extra: 'hush-hush' },
      settings: { depot: 'x' },
    });
    expect(statusCode).toBe(422);
    expect(data.errors).toHaveLength(3);
    expect(JSON.stringify(data)).not.toContain('hush-hush');
  });

  it('is 404 for an account of no shipper, or with no carrier', async () => {
    await api.admin('POST', '/admin/shippers', { code: 'shop-5', name: 'Example Shop' });
    for (const [shipper, carrier] of [
      ['nobody', 'acme'],
      ['shop-5', 'nobody'],
    ]) {
      expect((await api.admin('PUT', '/admin/accounts', { shipper, carrier })).statusCode).toBe(404);
    }
  });

  it('lists carriers and what accounts they ask for', async () => {
    const { data } = await api.admin('GET', '/admin/carriers');
    expect(data.carriers.map(({ code }: { code: string }) => code)).toEqual(['acme', 'solo']);
    expect(data.carriers[0]).toMatchObject({
      name: 'Acme Parcels',
      environments: ['sandbox', 'production'],
      operations: ['create', 'update', 'cancel'],
      credentials: [{ name: 'token', secret: true }],
      settings: [{ name: 'depot', pattern: expect.any(String), default: '001' }],
    });
    expect((await api.admin('POST', '/admin/reload')).data).toEqual(data);
  });

  it('lists what nobody knows of the carriers’ statuses', async () => {
    expect((await api.admin('GET', '/admin/statuses/unmapped?carrier=acme&limit=5')).data).toEqual({ data: [] });
    const push = await api.database.pool.query(
      `insert into pushes (carrier_code, source, request, body) values ('acme', 'contract', '{}', '') returning id`,
    );
    await api.database.pool.query(
      `insert into events (push_id, carrier_code, identity, match, status, carrier_status, carrier_sub_status,
         carrier_description, occurred_at, event_timezone, body)
       values ($1, 'acme', 'u', 'unmatched', 'Unmapped', 'odd', '', 'Odd', now(), 'UTC', '{"value":"T"}')`,
      [push.rows[0].id],
    );
    const { data } = await api.admin('GET', '/admin/statuses/unmapped');
    expect(data.data).toMatchObject([{ carrierCode: 'acme', code: 'odd', count: 1, sample: { value: 'T' } }]);
  });

  it('lists exchanges page by page, bodies as text where they are text', async () => {
    const shipper = await api.newShipper('shop-6');
    await shipper.create(leastOrder());
    for (const body of [Buffer.from('{"a":1}'), Buffer.from([0xff, 0x00])]) {
      await api.database.pool.query(
        `insert into exchanges (carrier_code, environment, consignment_id, profile_hash, operation, step, element, attempt,
           method, url, request_headers, request_body, status, response_headers, response_body, duration_ms, outcome)
         select 'acme', 'production', max(id), 'h', 'create', 'create', 0, 1, 'POST', 'https://acme.example.com', '{"a":"b"}',
           $1, 200, '{}', $1, 5, 'succeed' from consignments`,
        [body],
      );
    }
    const first = (await api.admin('GET', '/admin/exchanges?limit=1')).data;
    expect(first.data).toMatchObject([
      {
        carrier: 'acme',
        outcome: 'succeed',
        request: { method: 'POST', headers: { a: 'b' }, body: '/wA=', encoding: 'base64' },
      },
    ]);
    const second = (await api.admin('GET', `/admin/exchanges?limit=1&before=${first.nextBefore}`)).data;
    expect(second).toMatchObject({ data: [{ response: { status: 200, body: '{"a":1}', encoding: 'utf8' } }] });
    expect(second).not.toHaveProperty('nextBefore');
    const found = await api.admin('GET', '/admin/exchanges?shipper=shop-6&referenceNumber=REF-1');
    expect(found.data.data).toHaveLength(2);
    expect((await api.admin('GET', '/admin/exchanges?carrier=solo')).data.data).toEqual([]);
    expect((await api.admin('GET', '/admin/exchanges?shipper=shop-6')).statusCode).toBe(400);
    expect((await api.admin('GET', '/admin/exchanges?shipper=shop-6&referenceNumber=none')).statusCode).toBe(404);
  });
});

describe('operations', () => {
  const api = apiUnderTest();
  const get = async (url: string) => await api.call({ method: 'GET', url });

  it('says that it is alive and ready, and gives its numbers', async () => {
    expect((await get('/healthz')).data).toEqual({ status: 'OK' });
    expect((await get('/readyz')).data.ready).toBe(true);
    const metrics = await get('/metrics');
    expect(metrics.headers['content-type']).toContain('text/plain');
    expect(metrics.body).toBe('waybill_up 1\n');
  });

  it('describes itself whole', async () => {
    const { data } = await get('/openapi.json');
    expect(data.openapi).toBe('3.1.0');
    expect(Object.keys(data.paths)).toEqual(
      expect.arrayContaining([
        '/v2/consignments',
        '/api/v2/consignments',
        '/v2/consignments-cancel',
        '/v2/consignments/{referenceNumber}/dispatch',
        '/v2/labels/{id}',
        '/v2/webhooks',
        '/v2/carriers/{carrierCode}/statuses',
        '/admin/accounts',
        '/readyz',
      ]),
    );
    const create = data.paths['/v2/consignments'].post;
    expect(create.requestBody.content['application/json'].schema.anyOf).toHaveLength(4);
    expect(Object.keys(create.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    const { required } = data.components.schemas.CreateParcel.properties.consignmentDetails;
    expect(required).toContain('referenceNumber');
    expect(JSON.stringify(data)).not.toContain('"def-');
    const ids = Object.values(data.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });
});

describe('when it is not ready', () => {
  const api = apiUnderTest({
    readiness: () => Promise.resolve({ ready: false, parts: { database: { ready: false, message: 'away' } } }),
  });

  it('is 503 and says which part', async () => {
    const response = await api.call({ method: 'GET', url: '/readyz' });
    expect(response.statusCode).toBe(503);
    expect(response.data.parts.database.message).toBe('away');
  });
});
