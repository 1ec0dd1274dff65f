import { describe, expect, it } from 'vitest';
import { apiUnderTest } from './harness.ts';

describe('POST /v2/carriers/{carrierCode}/statuses', () => {
  const api = apiUnderTest();
  const carrier = async (environment?: 'sandbox') => {
    const { token } = (await api.admin('POST', '/admin/carriers/acme/tokens', { environment })).data;
    return async (payload: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
      await api.call({
        method: 'POST',
        url: '/v2/carriers/acme/statuses?x=1',
        headers: { authorization: `Bearer ${token}`, ...headers },
        payload,
      });
  };
  const last = async () => {
    const { rows } = await api.database.pool.query(
      'select carrier_code, source, environment, state, request, body from pushes order by id desc limit 1',
    );
    return rows[0];
  };

  it('records the bytes as they came, with the job that reads them, before it says 200', async () => {
    const push = await carrier('sandbox');
    const body = '{ "value":"T1",\n "carrierStatus" : "PICKED_UP", "x": 1.0 }';
    const { statusCode, data } = await push(body);
    expect(statusCode).toBe(200);
    expect(data).toEqual({ timestamp: 'Fri May 01 2026 09:00:00 GMT+0000', status: 'OK' });
    const row = await last();
    expect(row).toMatchObject({ carrier_code: 'acme', source: 'contract', environment: 'sandbox', state: 'pending' });
    expect(row.body.toString()).toBe(body);
    const request = JSON.parse(row.request);
    expect(request).toMatchObject({ method: 'POST', url: '/v2/carriers/acme/statuses?x=1' });
    expect(JSON.stringify(request)).not.toContain('Bearer');
    const { rows } = await api.database.pool.query(`select job_id from outbox where queue = 'status'`);
    expect(rows.at(-1)!.job_id).toMatch(/^s-\d+$/);
  });

  it('records nothing that proves who sent it', async () => {
    const { token } = (await api.admin('POST', '/admin/carriers/acme/tokens', {})).data;
    const { statusCode } = await api.call({
      method: 'POST',
      url: '/v2/carriers/acme/statuses?access_token=planted-1&x=1',
      headers: {
        authorization: `Bearer ${token}`,
        cookie: 'planted-2',
        'x-api-key': 'planted-3',
        'x-token-of-hub': 'planted-4',
        'x-session': 'planted-5',
        'x-event': 'status',
      },
      payload: '[]',
    });
    expect(statusCode).toBe(200);
    const { request } = await last();
    expect(request).not.toMatch(/planted|Bearer/);
    expect(JSON.parse(request)).toMatchObject({
      url: '/v2/carriers/acme/statuses?access_token=***access_token***&x=1',
      headers: { 'x-event': 'status' },
    });
  });

  it('takes an array, and bytes of any declared type', async () => {
    const push = await carrier();
    expect((await push('[{"value":"T1"},{"value":"T2"}]', { 'content-type': 'text/plain' })).statusCode).toBe(200);
    expect((await push('[]', {})).statusCode).toBe(200);
    for (const type of ['json', '', 'application/', 'application/json; charset='])
      expect((await push('[]', { 'content-type': type })).statusCode, type).toBe(200);
  });

  it.each<{ what: string; payload: string | Buffer }>([
    { what: 'cut', payload: '{"value":' },
    { what: 'empty', payload: '' },
    { what: 'a text', payload: '"text"' },
    { what: 'not text at all', payload: Buffer.from([0xff, 0xfe, 0x00]) },
  ])('is 400 for what is no status update ($what), and loses nothing of it', async ({ payload }) => {
    const push = await carrier();
    const { statusCode, data } = await push(payload);
    expect(statusCode).toBe(400);
    expect(data.status).toBe('BAD_REQUEST');
    expect(Buffer.compare((await last()).body, Buffer.from(payload))).toBe(0);
  });

  it('is 413 for too much', async () => {
    const push = await carrier();
    expect((await push(' '.repeat(2_200_000))).statusCode).toBe(413);
  });
});

describe('POST /v2/carriers/{carrierCode}/webhook[/{account}]', () => {
  const api = apiUnderTest();
  const push = async (path: string, payload = 'a=1&b=%20') =>
    await api.call({
      method: 'POST',
      url: `/v2/carriers/acme/webhook${path}`,
      payload,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'X-Signature': 'abc' },
    });

  it('hands on the bytes, the headers and the URL that was called, and answers as the profile says', async () => {
    const body = Buffer.from('<ok/>');
    api.state.receiving = { kind: 'admitted', reply: { status: 202, headers: { 'content-type': 'text/xml' }, body } };
    const response = await push('/7?x=1');
    expect(response).toMatchObject({ statusCode: 202, body: '<ok/>', headers: { 'content-type': 'text/xml' } });
    expect(api.state.came.at(-1)).toMatchObject({
      carrierCode: 'acme',
      account: '7',
      came: {
        method: 'POST',
        url: 'https://waybill.example.com/v2/carriers/acme/webhook/7?x=1',
        headers: { 'x-signature': 'abc' },
        from: '127.0.0.1',
      },
    });
    expect(api.state.came.at(-1)!.came.body.toString()).toBe('a=1&b=%20');
  });

  it('answers with nothing where the profile says nothing', async () => {
    api.state.receiving = { kind: 'admitted', reply: { status: 200, headers: {} } };
    expect(await push('')).toMatchObject({ statusCode: 200, body: '' });
    expect(api.state.came.at(-1)?.account).toBeUndefined();
  });

  it.each([401, 403] as const)('is %i for what is not proved', async (status) => {
    api.state.receiving = { kind: 'refused', status };
    expect((await push('/7')).statusCode).toBe(status);
  });

  it('is 404 where there is none', async () => {
    api.state.receiving = { kind: 'unknown' };
    expect((await push('/7')).statusCode).toBe(404);
  });
});
