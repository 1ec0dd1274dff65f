import { describe, expect, it } from 'vitest';
import { apiWorld, type Headers, JSON_TYPE } from './world.ts';

const api = apiWorld();

const push = async (payload: string | Buffer, headers: Headers = JSON_TYPE, url = '/v2/carriers/acme/statuses?x=1') => {
  const { token } = await api.issue('carriers/acme', { environment: 'sandbox' });
  return await api.call({ method: 'POST', url, headers: { authorization: `Bearer ${token}`, ...headers }, payload });
};
const last = async () => (await api.sql('select * from pushes order by id desc limit 1'))[0];

const missing = (at: number) => ({
  field: `[${at}].value`,
  code: 'required',
  message: expect.stringContaining(`[${at}].value is missing`),
});

describe('POST /v2/carriers/{carrierCode}/statuses', () => {
  it('records the bytes as they came, with what they say, before it says 200', async () => {
    const given = '{ "value":"T1",\n "carrierStatus" : "PICKED_UP", "x": 1.0 }';
    const body = { timestamp: 'Fri May 01 2026 09:00:00 GMT+0000', status: 'OK' };
    expect(await push(given)).toEqual(expect.objectContaining({ status: 200, body }));
    const row = await last();
    expect(row).toMatchObject({ carrier_code: 'acme', source: 'contract', environment: 'sandbox', state: 'done' });
    expect(row.body.toString()).toBe(given);
    expect(JSON.parse(row.request)).toMatchObject({ method: 'POST', url: '/v2/carriers/acme/statuses?x=1' });
    const events = await api.sql('select carrier_status from events where push_id = $1', [row.id]);
    expect(events).toEqual([{ carrier_status: 'PICKED_UP' }]);
  });

  it('records nothing that proves who sent it', async () => {
    const names = ['cookie', 'x-api-key', 'x-token-of-hub', 'x-session'];
    const secrets = Object.fromEntries(names.map((name) => [name, `planted-${name}`]));
    const url = '/v2/carriers/acme/statuses?access_token=planted-1&x=1';
    expect((await push('[{"value":"T1"}]', { ...secrets, 'x-event': 'status' }, url)).status).toBe(200);
    const { request } = await last();
    expect(request).not.toMatch(/planted|Bearer/);
    expect(JSON.parse(request)).toMatchObject({
      url: '/v2/carriers/acme/statuses?access_token=***access_token***&x=1',
      headers: { 'x-event': 'status' },
    });
  });

  it.each([undefined, 'text/plain', 'json', '', 'application/', 'application/json; charset='])(
    'takes an array, and bytes of any declared type: %j',
    async (type) => {
      const headers: Headers = type === undefined ? {} : { 'content-type': type };
      expect((await push('[{"value":"T1"},{"value":"T2"}]', headers)).status).toBe(200);
    },
  );

  it.each([
    ['cut', '{"value":'],
    ['empty', ''],
    ['a text', '"text"'],
    ['nothing in it', '{}'],
    ['an empty list', '[]'],
    ['no name of a shipment', '{"carrierStatusCode":"DELIVERED"}'],
    ['not text at all', Buffer.from([0xff, 0xfe, 0x00])],
  ])('is 400 for what is no status update (%s), and loses nothing of it', async (_, payload) => {
    expect(await push(payload)).toMatchObject({ status: 400, body: { status: 'BAD_REQUEST' } });
    expect(Buffer.compare((await last()).body, Buffer.from(payload))).toBe(0);
  });

  it('names each finding, also of what else a list holds, of which the rest is recorded', async () => {
    const { findings } = (await push('[{"value":[]},{}]')).body;
    const strange = { field: '[0].value', code: 'wrong_type', message: '[0].value must be text, and is a list' };
    expect(findings).toEqual([strange, missing(0), missing(1)]);
    const { status, body } = await push('[{"value":"T9"},{}]');
    expect([status, body.errors]).toEqual([200, [expect.stringContaining('[1].value is missing')]]);
    const { id, state, failure } = await last();
    expect([state, failure]).toEqual(['failed', expect.stringContaining('[1].value is missing')]);
    expect(await api.sql('select sought_value from events where push_id = $1', [id])).toEqual([{ sought_value: 'T9' }]);
  });

  it('is 413 for too much', async () => {
    expect((await push(' '.repeat(2_200_000))).status).toBe(413);
  });
});

const call = (path: string, payload = 'a=1&b=%20') =>
  api.call({
    method: 'POST',
    url: `/v2/carriers/acme/webhook${path}`,
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'X-Signature': 'abc' },
  });

describe('POST /v2/carriers/{carrierCode}/webhook[/{account}]', () => {
  it('hands on the bytes, the headers and the URL that was called, and answers as the profile says', async () => {
    const body = Buffer.from('<ok/>');
    api.state.receives = { kind: 'admitted', reply: { status: 202, headers: { 'content-type': 'text/xml' }, body } };
    const reply = await call('/7?x=1');
    expect(reply).toMatchObject({ status: 202, text: '<ok/>', headers: { 'content-type': 'text/xml' } });
    expect(api.state.received.at(-1)).toMatchObject({
      carrierCode: 'acme',
      account: '7',
      incoming: {
        method: 'POST',
        url: 'https://waybill.example.com/v2/carriers/acme/webhook/7?x=1',
        headers: { 'x-signature': 'abc' },
        from: '127.0.0.1',
      },
    });
    expect(api.state.received.at(-1)!.incoming.body.toString()).toBe('a=1&b=%20');
  });

  it('answers with nothing where the profile says nothing', async () => {
    api.state.receives = { kind: 'admitted', reply: { status: 200, headers: {} } };
    expect(await call('')).toMatchObject({ status: 200, text: '' });
    expect(api.state.received.at(-1)?.account).toBeUndefined();
  });

  it.each([
    ['what is not proved', { kind: 'refused', status: 401 }, 401],
    ['what may not come from there', { kind: 'refused', status: 403 }, 403],
    ['a webhook that there is not', { kind: 'unknown' }, 404],
  ] as const)('refuses %s', async (_, receives, status) => {
    api.state.receives = receives;
    expect((await call('/7')).status).toBe(status);
  });
});
