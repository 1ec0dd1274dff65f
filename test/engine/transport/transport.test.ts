import type http from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHostList } from '../../../src/engine/transport/address.ts';
import type { Transport } from '../../../src/engine/transport/transport.ts';
import type {
  AmbiguousCode,
  NotSentCode,
  WireAmbiguous,
  WireAnswer,
  WireLimits,
  WireOutcome,
  WireRequest,
} from '../../../src/engine/transport/wire.ts';
import { closeServers, openTransport, startHttp, startTcp } from './servers.ts';

let isPlain = false;

const limits: WireLimits = { timeoutMs: 2_000, maxBytes: 1_000_000 };
const get = (url: string): WireRequest => ({ method: 'GET', url, headers: {} });
const answer = (outcome: WireOutcome): WireAnswer => {
  if (outcome.kind !== 'answer') expect.fail(`${outcome.kind}: ${outcome.code}: ${outcome.message}`);
  return outcome;
};

let transport: Transport;
beforeEach(() => void (transport = openTransport()));
afterEach(closeServers);

/** Sends a request to the URL, or to a path below it. */
const send = async (to: { readonly url: string }, request: Partial<WireRequest> = {}, own: Partial<WireLimits> = {}) =>
  await transport.send({ ...get(to.url), isPlain, ...request }, { ...limits, ...own });
const ambiguous = async (...sent: Parameters<typeof send>): Promise<WireAmbiguous> => {
  const outcome = await send(...sent);
  if (outcome.kind !== 'ambiguous') expect.fail(outcome.kind);
  return outcome;
};

const echo = () =>
  startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
const echoed = async (request: Partial<WireRequest>, path = '') => {
  const { url } = await echo();
  return JSON.parse(answer(await send({ url: url + path }, request)).body.toString()) as unknown;
};
const ending = (status: number, headers: http.OutgoingHttpHeaders = {}, body?: string | Buffer) =>
  startHttp((_request, response) => response.writeHead(status, headers).end(body));

const says = (text: string) => (socket: Socket) => void socket.end(text);
const ok = 'HTTP/1.1 200 OK\r\n';

const drip = (begin: string, text: string) => (socket: Socket) => {
  socket.write(begin);
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
};

describe.each([false, true])('by a client that is plain: %s', (plain) => {
  beforeAll(() => void (isPlain = plain));

  describe('what is sent', () => {
    it('carries method, path, query, headers and the exact bytes of the body', async () => {
      const sent = { method: 'PUT', headers: { 'Content-Type': 'text/plain', 'X-Zone': 'b' } } as const;
      expect(await echoed({ ...sent, body: Buffer.from('Zażółć') }, '/a%2Fb?x=1&y=%20')).toMatchObject({
        method: 'PUT',
        url: '/a%2Fb?x=1&y=%20',
        body: 'Zażółć',
        headers: {
          'content-type': 'text/plain',
          'content-length': '10',
          'x-zone': 'b',
          'user-agent': 'waybill-test/1',
          'accept-encoding': 'gzip, deflate, br, zstd',
        },
      });
    });

    it.each([
      ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map((method) => [method, ''] as const),
      ...(['GET', 'DELETE', 'POST'] as const).map((method) => [method, '{}'] as const),
    ])('may be %s with the body "%s"', async (method, body) => {
      const sent = body === '' ? {} : { body: Buffer.from(body) };
      expect(await echoed({ method, ...sent })).toMatchObject({ method, body });
    });

    it('may name its own user agent', async () => {
      const seen = await echoed({ headers: { 'User-Agent': 'special' } });
      expect(seen).toMatchObject({ headers: { 'user-agent': 'special' } });
    });

    it.each<[string, Partial<WireRequest>, NotSentCode]>([
      ...['Host', 'Content-Length', 'transfer-encoding', 'Connection', 'Expect', 'Upgrade'].map(
        (name): [string, Partial<WireRequest>, NotSentCode] => [name, { headers: { [name]: '5' } }, 'request_invalid'],
      ),
      ['a line break in a header', { headers: { 'x-note': 'a\r\nx-evil: 1' } }, 'request_invalid'],
      ['a header name that is none', { headers: { 'x note': 'a' } }, 'request_invalid'],
      ['HEAD with a body', { method: 'HEAD', body: Buffer.from('a') }, 'request_invalid'],
      ['a request to an undeclared host', { allowedHosts: createHostList(['carrier.example']) }, 'host_not_declared'],
    ])('is not %s', async (title, request, code) => {
      const server = await echo();
      expect(await send(server, request)).toMatchObject({ kind: 'not_sent', code });
      expect(server.received()).toBe(0);
      if (code === 'host_not_declared' || /^[\w-]+$/.test(title)) expect(server.connections()).toBe(0);
    });

    it('goes to a declared host', async () => {
      expect(await echoed({ allowedHosts: createHostList(['127.0.0.1']) })).toMatchObject({ method: 'GET' });
    });
  });

  describe('an answer', () => {
    it('has its status, lower-case headers with repeated ones joined', async () => {
      const headers = { 'X-Message': ['a', 'b'], 'Set-Cookie': ['s=1', 't=2'], 'Content-Type': 'text/plain' };
      const outcome = answer(await send(await ending(422, headers, 'no such street')));
      const joined = { 'x-message': 'a, b', 'set-cookie': 's=1, t=2', 'content-type': 'text/plain' };
      expect(outcome).toMatchObject({ status: 422, headers: joined });
      expect(outcome.body.toString()).toBe('no such street');
    });

    it.each([301, 302, 303, 307, 308, 429, 500, 503])(
      'of %i is neither followed nor asked for again',
      async (status) => {
        const target = await ending(200);
        const location = `${target.url}/`;
        const server = await ending(status, { 'retry-after': '0', location });
        for (const request of [{}, { method: 'PUT' }, { method: 'POST', body: Buffer.from('a') }] as const)
          expect(await send(server, request)).toMatchObject({ kind: 'answer', status, headers: { location } });
        await sleep(50);
        expect([target.connections(), server.received()]).toEqual([0, 3]);
      },
    );

    it.each([
      ['kept alive', false, undefined, 1],
      ['of its own where one is asked for', true, undefined, 2],
      ['that its server keeps where one of its own is asked for', true, 'timeout=2', 1],
      ['of its own where its server keeps none for long', true, 'timeout=1', 2],
      ['of its own where its server does not say for how long', true, 'timeout=a while', 2],
    ])('comes over a connection %s', async (_title, freshConnection, promise, connections) => {
      const server = await ending(200, { connection: 'keep-alive', ...(promise && { 'keep-alive': promise }) });
      for (const _ of [1, 2]) answer(await send(server, { freshConnection }));
      expect(server.connections()).toBe(connections);
    });

    it.each([
      ['of 204', 204, {}, 'GET'],
      ['of 304', 304, {}, 'GET'],
      ['to HEAD', 200, { 'content-length': '500' }, 'HEAD'],
    ] as const)('%s has no body, whatever its headers say', async (_title, status, headers, method) => {
      const server = await ending(status, { 'content-encoding': 'gzip', ...headers });
      const outcome = answer(await send(server, { method }));
      expect(outcome).toMatchObject({ status, headers });
      expect(outcome.body).toHaveLength(0);
    });

    it('may come before the request was read to its end', async () => {
      const server = await ending(413, {}, 'too much');
      expect(answer(await send(server, { method: 'POST', body: Buffer.alloc(5_000_000) })).status).toBe(413);
    });
  });

  describe('a hostile answer', () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(2_000);
    it.each<[string, (socket: Socket) => void, object?]>([
      ['that never comes', () => undefined],
      ['that drips, however steadily,', drip(`${ok}transfer-encoding: chunked\r\n\r\n`, '1\r\na\r\n'), { status: 200 }],
      ['that drips its headers', drip(ok, 'x-a: b\r\n')],
      ['of hints only', (socket) => void socket.write(hints)],
    ])('%s ends at the time limit', async (_title, act, partial) => {
      const server = await startTcp(act);
      const outcome = await ambiguous(server, {}, { timeoutMs: 300 });
      expect([outcome.code, outcome.partial]).toEqual(['timeout', partial]);
    });

    it('that is larger than the cap is cut there', async () => {
      const block = Buffer.alloc(65_536);
      let sentBytes = 0;
      const server = await startHttp((_request, response) => {
        const more = (): void => {
          while (sentBytes < 100_000_000) {
            sentBytes += block.length;
            if (!response.write(block)) return void response.once('drain', more);
          }
          response.end();
        };
        more();
      });
      expect(await ambiguous(server)).toMatchObject({ code: 'too_large', partial: { status: 200 } });
      expect(sentBytes).toBeLessThan(50_000_000);
    });

    it('of exactly the cap is taken, one byte more is not', async () => {
      const server = await startHttp((request, response) => response.end('x'.repeat(Number(request.url?.slice(1)))));
      const cap = { maxBytes: 70_000 };
      expect(answer(await send({ url: `${server.url}/70000` }, {}, cap)).body).toHaveLength(70_000);
      expect(await ambiguous({ url: `${server.url}/70001` }, {}, cap)).toMatchObject({ code: 'too_large' });
    });

    const zeros = Buffer.alloc(50_000_000);
    it.each<[string, string, () => Buffer, AmbiguousCode]>([
      ['unpacks by gzip to more than the cap', 'gzip', () => zlib.gzipSync(zeros), 'too_large'],
      ['unpacks by deflate to more than the cap', 'deflate', () => zlib.deflateSync(zeros), 'too_large'],
      ['unpacks by br to more than the cap', 'br', () => zlib.brotliCompressSync(zeros), 'too_large'],
      ['unpacks by zstd to more than the cap', 'zstd', () => zlib.zstdCompressSync(zeros), 'too_large'],
      ['claims a coding it has not', 'gzip', () => Buffer.from('plain'), 'body_undecodable'],
    ])('that %s is ambiguous', async (_title, encoding, pack, code) => {
      const packed = pack();
      expect(packed.length).toBeLessThan(limits.maxBytes);
      const server = await ending(200, { 'content-encoding': encoding }, packed);
      expect(await ambiguous(server)).toMatchObject({ code, partial: { status: 200 } });
    });

    it.each<[string, (socket: Socket) => void, AmbiguousCode, number?]>([
      ['is reset before it began', (socket) => void socket.resetAndDestroy(), 'connection_reset'],
      ['is closed before it began', (socket) => void socket.end(), 'connection_reset'],
      [
        'is reset in its middle',
        (socket) =>
          void socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\nhalf', () =>
            setTimeout(() => socket.resetAndDestroy(), 20),
          ),
        'body_cut',
        201,
      ],
      ['is shorter than its content-length', says(`${ok}content-length: 100\r\n\r\nshort`), 'body_cut', 200],
      ['is chunked and ends early', says(`${ok}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`), 'body_cut', 200],
      [
        'floods us with headers',
        says(`${ok}${'x-flood: aaaaaaaaaaaaaaaaaaaa\r\n'.repeat(40_000)}`),
        'headers_too_large',
      ],
      ['is no HTTP', says('SMTP ready\r\n\r\n'), 'answer_malformed'],
      ['says its length twice', says(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`), 'answer_malformed'],
    ])('that %s', async (_title, act, code, status) => {
      const server = await startTcp(act);
      const outcome = await ambiguous(server);
      expect([outcome.code, outcome.partial?.status]).toEqual([code, status]);
      expect(server.connections()).toBe(1);
    });

    it('that changes the protocol unasked, whose connection is closed', async () => {
      const ended = Promise.withResolvers<void>();
      const server = await startTcp((socket) => {
        socket.on('close', () => ended.resolve());
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n');
      });
      expect(await ambiguous(server)).toMatchObject({ code: 'answer_malformed' });
      await ended.promise;
    });

    it('on a reused connection that is reset, for the request may have been read', async () => {
      const server = await startTcp((socket, data) => {
        if (data.includes('GET /second')) socket.resetAndDestroy();
        else socket.write(`${ok}content-length: 2\r\n\r\nok`);
      });
      answer(await send({ url: `${server.url}/first` }));
      expect(await ambiguous({ url: `${server.url}/second` })).toMatchObject({ code: 'connection_reset' });
      expect(server.connections()).toBe(1);
    });
  });

  describe('called off', () => {
    it('before it began, nothing is sent', async () => {
      const server = await ending(200);
      const outcome = await send(server, {}, { signal: AbortSignal.abort() });
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'aborted' });
      expect(server.connections()).toBe(0);
    });

    it('on its way, it is ambiguous', async () => {
      const abort = new AbortController();
      const server = await startHttp(() => abort.abort());
      expect(await ambiguous(server, {}, { signal: abort.signal })).toMatchObject({ code: 'aborted' });
    });

    it('by the closing of the transport, which then sends nothing more', async () => {
      const server = await startHttp(() => transport.close());
      expect(await ambiguous(server)).toMatchObject({ code: 'aborted' });
      expect(await send(server)).toMatchObject({ kind: 'not_sent', code: 'transport_closed' });
      expect(server.received()).toBe(1);
    });
  });

  describe('many at once', () => {
    const large = { timeoutMs: 10_000, maxBytes: 3_000_000 };
    const body = Buffer.alloc(3_000_000, 'a');

    it('open no more connections than allowed; who gets none in time has not been sent', async () => {
      transport = openTransport({ maxConnections: 3 });
      const server = await startHttp(() => undefined);
      const done = new AbortController();
      const holding = [1, 2, 3].map(() => send(server, {}, { signal: done.signal }));
      const waiting = [1, 2, 3, 4].map(() => send(server, {}, { timeoutMs: 200 }));
      for (const outcome of await Promise.all(waiting)) {
        expect(outcome).toMatchObject({ kind: 'not_sent', code: 'queue_timeout' });
      }
      expect(server.connections()).toBe(3);
      done.abort();
      for (const outcome of await Promise.all(holding)) expect(outcome.kind).toBe('ambiguous');
    });

    it('share one bound on memory, and all of them get their answer', async () => {
      transport = openTransport({ maxReadingBytes: 1_000_000 });
      const server = await ending(200, {}, body);
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => send(server, {}, large)));
      expect(outcomes.map((outcome) => answer(outcome).body.equals(body))).toEqual(outcomes.map(() => true));
    });

    it('do not wait for a host that holds all it may and sends no more', async () => {
      transport = openTransport({ maxReadingBytes: 8_000_000 });
      const stalling = await startHttp((_request, response) => void response.writeHead(200).write(body));
      const well = await ending(200, {}, body);
      const done = new AbortController();
      const stalled = [1, 2, 3].map(() => send(stalling, {}, { ...large, signal: done.signal }));
      // Long enough that what was sent has been read.
      await sleep(300);
      const outcomes = await Promise.all([1, 2, 3].map(() => send(well, {}, { ...large, timeoutMs: 5_000 })));
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(['answer', 'answer', 'answer']);
      done.abort();
      for (const outcome of await Promise.all(stalled)) expect(outcome.kind).toBe('ambiguous');
    });
  });
});
