import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { STATUS_WORDS } from '../../../src/engine/error-codes.ts';
import { answerTo } from '../../../src/platform/api/errors.ts';
import { conflict, refusal } from '../../../src/platform/api/http-answer.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { quietLog } from '../../support/log.ts';
import { checkerOf } from '../../support/openapi-answers.ts';
import { apiWorld, JSON_TYPE, type Method, STAMP } from './world.ts';

interface Operation {
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}
const LARGE = `{"a":"${'x'.repeat(2_200_000)}"}`;
const inOrder = (fields: string) => `{"consignmentDetails":{"referenceNumber":"R",${fields}}}`;

describe('errors', () => {
  const api = apiWorld();
  const { shop, carrier } = api;
  const documentText = async (): Promise<string> => (await api.call({ url: '/openapi.json' })).text;
  /** For what is answered before there is a request to hook on to. */
  const problemOf = async (status: number, body: string) =>
    checkerOf(await documentText())({ method: 'GET', route: undefined, status, contentType: 'application/json', body });

  it.each([
    ['not JSON', '{"a":'],
    ['a trailing comma', '{"a":1,}'],
    ['no body', ''],
    ['an array', '[]'],
    ['a text', '"x"'],
    ['a number', '12'],
    ['null', 'null'],
    ['NaN', inOrder('"totalWeight":NaN')],
    ['an infinite number', inOrder('"totalWeight":1e999')],
    ['NUL', inOrder('"orderNumber":"a\\u0000b"')],
    ['half a surrogate pair', inOrder('"orderNumber":"\\ud83d"')],
    ['half a pair in a name', inOrder('"\\ude00":1')],
    ['a prototype', '{"__proto__":{"isAdmin":true},"consignmentDetails":{"referenceNumber":"R"}}'],
    ['a prototype further in', inOrder('"__proto__":{"isAdmin":true}')],
    ['a constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ['deep nesting', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['deep lists', `{"consignmentDetails":{"referenceNumber":"R"},"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('a body with %s is 400 everywhere, and says why', async (_, given) => {
    for (const [method, url] of [
      ['POST', '/v2/consignments'],
      ['PUT', '/v2/consignments'],
      ['PUT', '/api/v2/consignments'],
      ['POST', '/v2/consignments-cancel'],
      ['POST', '/v2/webhooks'],
      ['PUT', '/v2/facilities/NORTH'],
    ] as const) {
      const { status, body, text } = await shop.request(method, url, given, JSON_TYPE);
      expect(status, `${method} ${url}`).toBe(400);
      expect(body).toMatchObject({ timestamp: STAMP, status: 'BAD_REQUEST' });
      expect(body.errors[0].details.length).toBeGreaterThan(0);
      expect(text).not.toMatch(/node_modules|\.ts:\d|at Object/);
    }
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  it('every route that may get a body says how it refuses one, and does', async () => {
    const { paths } = JSON.parse(await documentText()) as { paths: Record<string, Record<string, Operation>> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    // Carriers' routes take whatever comes: test/platform/api/carrier-routes.test.ts.
    const those = routes.filter(({ path, method }) => method !== 'get' && !path.startsWith('/v2/carriers/'));
    expect(those.length).toBeGreaterThan(20);
    for (const { path, method, security, responses } of those) {
      const as = security.some((one) => 'admin' in one) ? api.admin : shop;
      const ask = async (given: string, type: string) => {
        const url = path.replaceAll(/\{\w+\}/g, '1');
        const { status, body } = await as.request(method.toUpperCase() as Method, url, given, { 'content-type': type });
        const word = STATUS_WORDS[status as 400];
        expect(body).toMatchObject({ timestamp: STAMP, status: word, errors: expect.any(Array) });
        return String(status);
      };
      const answered = [
        await ask('<a/>', 'text/xml'),
        await ask('hello', 'text/plain'),
        await ask('{', 'application/json'),
        await ask(LARGE, 'application/json'),
      ];
      expect(answered, `${method} ${path}`).toEqual(['415', '415', '400', '413']);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(answered));
    }
  });

  it('is 404 for a route that is not there', async () => {
    expect(await api.call({ url: '/v3/nothing?token=secret' })).toMatchObject({
      status: 404,
      body: { status: 'NOT_FOUND', message: 'There is no GET /v3/nothing' },
    });
  });

  it('hides what broke, and logs it with the id that the answer carries', async () => {
    carrier.answers(new Error('the secret of the house'));
    const { status, body, text, headers } = await shop.create();
    expect(status).toBe(500);
    expect(body).toEqual({
      timestamp: STAMP,
      status: 'INTERNAL_SERVER_ERROR',
      code: 'internal_server_error',
      message: expect.any(String),
      errors: [expect.any(String)],
    });
    expect(text).not.toContain('secret of the house');
    expect(api.log.lines.findLast(({ level }) => level === 'error')?.fields).toMatchObject({
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
  ] as const)('%s %s is kept by nobody, framed by nobody and guessed at by nobody', async (method, url, answered) => {
    const { status, headers, text } = await api.call({ method, url });
    expect(status).toBe(answered);
    if (answered >= 400) expect(await problemOf(answered, text)).toBeUndefined();
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
  const api = apiWorld({}, { limits: { perMinute: 2, wrongTokensPerMinute: 1 } });

  it('are counted by their status and whose routes they are of, and no others are', async () => {
    for (const url of ['/v2/webhooks', '/v2/facilities/none', '/v2/webhooks']) await api.shop.get(url);
    const { token } = await api.issue('carriers/acme');
    await api.as(token).get('/v2/consignments');
    for (let tried = 0; tried < 2; tried += 1) await api.as('nonsense').post('/v2/carriers/acme/statuses', {});
    await api.call({ url: '/v3/nothing' });
    expect(api.state.refused).toEqual(['429 Webhooks', '403 Consignments', '401 Carriers', '429 Carriers']);
  });
});

describe('without a database', () => {
  const pool = createPool({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', log: quietLog });
  const api = apiWorld({ pool });

  it('is 503 and says when to come back', async () => {
    expect(await api.as(`wb_shipper_abc_${'x'.repeat(43)}`).get('/v2/webhooks')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { status: 'SERVICE_UNAVAILABLE' },
    });
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

it.each([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'The request is too large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'Content-Type must be application/json'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 'Content-Length is not the length of the request'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 400, 'The request is not JSON'],
  ['FST_ERR_BAD_URL', 400, 'The URL cannot be read'],
  ['FST_ERR_MAX_PARAM_LENGTH', 414, 'The URL is too long'],
  ['FST_ERR_OF_ANOTHER_VERSION', 413, 'in the words of Fastify'],
])('%s is refused with %i, in our words where we have some: %s', (code, statusCode, message) => {
  const answer = answerTo(Object.assign(new Error('in the words of Fastify'), { code, statusCode }));
  expect(JSON.stringify(answer.bodyAt(0))).toContain(message);
});

it.each(Object.entries(STATUS_WORDS).filter(([status]) => status !== '400'))('%s has the word %s', (status, word) => {
  const timestamp = 'Fri May 01 2026 09:05:07 GMT+0000';
  const body = { timestamp, status: word, code: word.toLowerCase(), message: 'Sorry', errors: ['Sorry'] };
  expect(refusal(Number(status), 'Sorry').bodyAt(Date.parse(timestamp))).toEqual(body);
});

it('a conflict with nothing that is there already has no data', () => {
  expect(conflict('Sorry').bodyAt(0)).not.toHaveProperty('data');
});
