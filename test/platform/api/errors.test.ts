import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerTo } from '../../../src/platform/api/errors.ts';
import { createLimits } from '../../../src/platform/api/rate-limit.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { quietLog } from '../../support/log.ts';
import { checkerOf } from '../../support/openapi-answers.ts';
import { leastOrder } from '../../engine/consignment/orders.ts';
import { apiUnderTest } from './harness.ts';

interface Operation {
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}
const LARGE = `{"a":"${'x'.repeat(2_200_000)}"}`;

describe('errors', () => {
  const api = apiUnderTest();
  const json = { 'content-type': 'application/json' };
  const documentText = async (): Promise<string> => (await api.call({ url: '/openapi.json' })).body;

  /** For what is answered before there is a request to hook on to. */
  const problemOf = async (status: number, body: string): Promise<string | undefined> =>
    checkerOf(await documentText())({
      method: 'GET',
      route: undefined,
      status,
      contentType: json['content-type'],
      body,
    });

  it.each([
    ['POST', '/v2/consignments'],
    ['PUT', '/v2/consignments'],
    ['PUT', '/api/v2/consignments'],
    ['POST', '/v2/consignments-cancel'],
    ['GET', '/v2/consignments?referenceNumber=x'],
    ['POST', '/v2/consignments/x/dispatch'],
    ['GET', '/v2/webhooks'],
    ['GET', '/v2/webhooks/deliveries'],
    ['POST', '/v2/carriers/acme/statuses'],
    ['POST', '/admin/shippers'],
    ['GET', '/admin/exchanges'],
  ] as const)('%s %s needs a token, and says so before it reads a body', async (method, url) => {
    const without = await api.call({ method, url, payload: '{', headers: json });
    expect(without).toMatchObject({ statusCode: 401, headers: { 'www-authenticate': 'Bearer realm="waybill"' } });
    expect(without.data).toMatchObject({ status: 'UNAUTHORIZED', timestamp: expect.stringMatching(/GMT\+0000$/) });
    for (const authorization of [
      'Bearer nonsense',
      'Bearer ',
      'Basic YTpi',
      `Bearer wb_shipper_abc_${'x'.repeat(43)}`,
    ]) {
      const wrong = await api.call({ method, url, headers: { authorization } });
      expect(wrong.statusCode).toBe(401);
      expect(wrong.headers['www-authenticate']).toContain('invalid_token');
    }
  });

  it('is 403 for a good token of another kind', async () => {
    const shipper = await api.newShipper();
    const { token } = (await api.admin('POST', '/admin/carriers/acme/tokens')).data;
    expect((await api.as(token)('GET', '/v2/webhooks')).statusCode).toBe(403);
    expect((await shipper('POST', '/v2/carriers/acme/statuses', {})).statusCode).toBe(403);
    expect((await api.as(token)('POST', '/v2/carriers/solo/statuses', {})).statusCode).toBe(403);
    expect((await shipper('GET', '/admin/carriers')).statusCode).toBe(401);
  });

  it.each([
    ['not JSON', '{"a":', json, 400],
    ['a trailing comma', '{"a":1,}', json, 400],
    ['no body', '', json, 400],
    ['an array', '[]', json, 400],
    ['a text', '"x"', json, 400],
    ['null', 'null', json, 400],
    ['a prototype', '{"__proto__":{"a":1}}', json, 400],
    ['a constructor', '{"constructor":{"prototype":{"a":1}}}', json, 400],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json, 400],
    ['another content type', '<a/>', { 'content-type': 'text/xml' }, 415],
    ['plain text', 'hello', { 'content-type': 'text/plain' }, 415],
    ['too much', LARGE, json, 413],
    ['deep nesting', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, json, 400],
  ])('a create with %s is refused in the spec’s shape', async (_, payload, headers, status) => {
    const shipper = await api.newShipper();
    const response = await api.call({
      method: 'POST',
      url: '/v2/consignments',
      payload,
      headers: { authorization: `Bearer ${shipper.token}`, ...headers },
    });
    expect(response.statusCode).toBe(status);
    expect(response.data.timestamp).toMatch(/GMT\+0000$/);
    expect(Array.isArray(response.data.errors)).toBe(true);
    expect(response.body).not.toMatch(/node_modules|\.ts:\d|at Object/);
  });

  it('every route that may get a body says how it refuses one, and does', async () => {
    const shipper = await api.newShipper();
    const { paths } = JSON.parse(await documentText()) as { paths: Record<string, Record<string, Operation>> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    // Carriers' routes take whatever comes: test/platform/api/carrier-routes.test.ts.
    const those = routes.filter(({ path, method }) => method !== 'get' && !path.startsWith('/v2/carriers/'));
    expect(those.length).toBeGreaterThan(20);
    for (const { path, method, security, responses } of those) {
      const as = security.some((one) => 'admin' in one) ? api.admin : shipper;
      const ask = async (body: string, type: string): Promise<string> => {
        const url = path.replaceAll(/\{\w+\}/g, '1');
        const headers = { 'content-type': type };
        return String((await as(method.toUpperCase() as 'POST', url, body, headers)).statusCode);
      };
      const answered = [
        await ask('<a/>', 'text/xml'),
        await ask('{', json['content-type']),
        await ask(LARGE, json['content-type']),
      ];
      expect(answered, `${method} ${path}`).toEqual(['415', '400', '413']);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(answered));
    }
  });

  it('is 404 for a route that is not there', async () => {
    const { statusCode, data } = await api.call({ method: 'GET', url: '/v3/nothing?token=secret' });
    expect(statusCode).toBe(404);
    expect(data).toMatchObject({ status: 'NOT_FOUND', message: 'There is no GET /v3/nothing' });
  });

  it('is 400 for a URL that cannot be decoded', async () => {
    const { statusCode, body } = await api.call({ method: 'GET', url: '/v2/labels/%zz' });
    expect(statusCode).toBe(400);
    expect(await problemOf(400, body)).toBeUndefined();
  });

  it('hides what broke, and logs it with the id that the answer carries', async () => {
    const shipper = await api.newShipper();
    api.state.answering = () => {
      throw new Error('the secret of the house');
    };
    const { statusCode, data, headers } = await shipper.create(leastOrder());
    expect(statusCode).toBe(500);
    expect(data.status).toBe('INTERNAL_SERVER_ERROR');
    expect(JSON.stringify(data)).not.toContain('secret of the house');
    const line = api.log.lines.findLast(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({
      requestId: headers['x-request-id'],
      error: expect.stringContaining('secret of'),
    });
  });

  it.each([
    ['GET', '/healthz', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/docs', 200],
    ['GET', '/v2/webhooks', 401],
    ['GET', '/v2/labels/unknown', 400],
    ['GET', '/v3/nothing', 404],
    ['GET', '/v2/labels/%zz', 400],
    ['POST', '/v2/consignments', 401],
  ] as const)('%s %s is kept by nobody, framed by nobody and guessed at by nobody', async (method, url, status) => {
    const { statusCode, headers } = await api.call({ method, url });
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age='),
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(policy).not.toContain('script-src');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  describe('what is not even a request', () => {
    let port: number;
    beforeAll(async () => {
      port = Number(new URL(await api.app().listen({ port: 0, host: '127.0.0.1' })).port);
      // The checks of Node for it come every two seconds.
      api.app().server.headersTimeout = 100;
    });

    it.each([
      ['bytes that are not HTTP', 400, 'NOT HTTP AT ALL\r\n\r\n'],
      ['headers beyond all bounds', 431, `GET /livez HTTP/1.1\r\nX-Example: ${'x'.repeat(20_000)}\r\n\r\n`],
      ['headers that do not end', 408, 'GET /livez HTTP/1.1\r\nX-Example: x'],
    ])('is answered in the same shape: %s, %i', async (_what, status, bytes) => {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        let text = '';
        socket.on('data', (chunk) => (text += chunk.toString()));
        socket.on('end', () => resolve(text));
        socket.on('error', reject);
      });
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head.split(' ').slice(0, 2)).toEqual(['HTTP/1.1', String(status)]);
      expect(await problemOf(status, body)).toBeUndefined();
      expect(head).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
      expect(head).toContain('\r\nCache-Control: no-store');
    });
  });
});

describe('refused requests', () => {
  const api = apiUnderTest({}, { limits: (nowMs) => createLimits({ perMinute: 2, wrongTokensPerMinute: 1, nowMs }) });

  it('are counted by their status and whose routes they are of, and no others are', async () => {
    const shipper = await api.newShipper();
    for (const url of ['/v2/webhooks', '/v2/facilities/none', '/v2/webhooks']) await shipper('GET', url);
    const { token } = (await api.admin('POST', '/admin/carriers/acme/tokens')).data;
    await api.as(token)('GET', '/v2/consignments');
    for (let tried = 0; tried < 2; tried += 1) await api.as('nonsense')('POST', '/v2/carriers/acme/statuses', {});
    await api.call({ url: '/v3/nothing' });
    expect(api.state.refused).toEqual(['429 Webhooks', '403 Consignments', '401 Carriers', '429 Carriers']);
  });
});

describe('without a database', () => {
  const pool = createPool({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', log: quietLog });
  const api = apiUnderTest({ pool });

  it('is 503 and says when to come back', async () => {
    const { statusCode, headers, data } = await api.as(`wb_shipper_abc_${'x'.repeat(43)}`)('GET', '/v2/webhooks');
    expect(statusCode).toBe(503);
    expect(headers['retry-after']).toBe('5');
    expect(data.status).toBe('SERVICE_UNAVAILABLE');
    expect(api.state.refused).toEqual(['503 Webhooks']);
    await pool.end();
  });
});

it.each([
  ['a statement that PostgreSQL ended for its length', Object.assign(new Error('canceled'), { code: '57014' })],
  ['a connection over which no answer comes', new Error('Query read timeout')],
  ['a full disk', Object.assign(new Error('could not extend file'), { code: '53100' })],
  ['a server that recovers', Object.assign(new Error('the database system is in recovery mode'), { code: '57P03' })],
])('%s is 503, as nothing is known to be wrong with the request', (_what, thrown) => {
  expect(answerTo(thrown)).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
});
