import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, apiWorld, order } from './world.ts';

describe('headers', () => {
  const api = apiWorld({}, { limits: { perMinute: 60 } });

  it('a client’s X-Request-Id is kept, in the answer and in the log', async () => {
    const { headers } = await api.call({ url: '/healthz', headers: { 'x-request-id': 'checkout-4711.a' } });
    expect(headers['x-request-id']).toBe('checkout-4711.a');
  });

  it('an X-Request-Id that could do harm in a log is replaced by one of ours', async () => {
    for (const given of ['two words', 'a'.repeat(129), '"quoted"', '<b>']) {
      const { headers } = await api.call({ url: '/healthz', headers: { 'x-request-id': given } });
      expect(headers['x-request-id'], given).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('answers to a token tell its limit, what is left of it, and when it is full again', async () => {
    const { token } = await api.shop.opened();
    const read = async () =>
      (await api.call({ url: '/v2/consignments', headers: { authorization: `Bearer ${token}` } })).headers;
    const first = await read();
    expect(first).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59', 'ratelimit-reset': '1' });
    const second = await read();
    expect(second).toMatchObject({ 'ratelimit-remaining': '58', 'ratelimit-reset': '2' });
  });

  it('a token without anything left is told so beside Retry-After', async () => {
    const { token } = await api.shop.opened();
    const ask = async () => await api.call({ url: '/v2/consignments', headers: { authorization: `Bearer ${token}` } });
    for (let at = 0; at < 60; at += 1) await ask();
    const { status, headers } = await ask();
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
    });
  });
});

describe('a method that a path does not have', () => {
  const api = apiWorld();

  it.each([
    ['DELETE', '/v2/consignments', 'GET, HEAD, POST, PUT'],
    ['PUT', '/v2/webhooks/sub_1', 'DELETE'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['GET', '/v2/consignments/REF-1/dispatch', 'POST'],
  ])('%s %s is 405 and names those that it has', async (method, url, allowed) => {
    const { status, headers, body } = await api.call({
      method,
      url,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(status).toBe(405);
    const named = String(headers.allow).split(', ');
    for (const one of allowed.split(', ')) expect(named).toContain(one);
    expect(named).not.toContain(method);
    expect(body).toMatchObject({ status: 'METHOD_NOT_ALLOWED', message: expect.stringContaining(url) });
  });

  it('a path that is none stays 404', async () => {
    expect((await api.call({ method: 'DELETE', url: '/v2/nothing' })).status).toBe(404);
  });
});

const namesOf = (operation: { parameters?: { in: string; name: string }[] }) =>
  (operation.parameters ?? []).filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase());

describe('/openapi.json', () => {
  const api = apiWorld();
  // oxlint-disable-next-line typescript/no-explicit-any -- an OpenAPI document is of any shape
  const documentOf = async (): Promise<any> => (await api.call({ url: '/openapi.json' })).body;

  it('names the headers that requests may bring, where they mean something', async () => {
    const { paths } = await documentOf();
    expect(namesOf(paths['/v2/consignments'].post)).toEqual([
      'idempotency-key',
      'prefer',
      'x-request-id',
      'traceparent',
    ]);
    expect(namesOf(paths['/v2/consignments-cancel'].post)).toEqual(['idempotency-key', 'x-request-id', 'traceparent']);
    expect(namesOf(paths['/v2/consignments'].get)).toEqual(['x-request-id', 'traceparent']);
    expect(namesOf(paths['/healthz'].get)).toEqual(['x-request-id']);
  });

  it('names the headers of answers', async () => {
    const { paths } = await documentOf();
    const { responses } = paths['/v2/consignments'].post;
    expect(Object.keys(responses[200].headers)).toEqual(
      expect.arrayContaining(['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
    );
    expect(Object.keys(responses[401].headers)).toContain('WWW-Authenticate');
    for (const status of [429, 503]) expect(Object.keys(responses[status].headers)).toContain('Retry-After');
    expect(Object.keys(paths['/healthz'].get.responses[200].headers)).toEqual(['X-Request-Id']);
  });

  it('a create with every header it may bring is answered as described', async () => {
    const { status } = await api.call({
      method: 'POST',
      url: '/v2/consignments',
      headers: {
        authorization: `Bearer ${(await api.shop.opened()).token}`,
        'content-type': 'application/json',
        'idempotency-key': 'example-1',
        prefer: 'respond-async',
        'x-request-id': 'example-1',
      },
      payload: order(),
    });
    expect(status).toBe(200);
  });
});
