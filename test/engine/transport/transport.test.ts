import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHostList } from '../../../src/engine/transport/hosts.ts';
import { createTransport, type Transport } from '../../../src/engine/transport/transport.ts';
import type {
  AmbiguousCode,
  WireAmbiguous,
  WireAnswer,
  WireLimits,
  WireOutcome,
  WireRequest,
} from '../../../src/engine/transport/wire.ts';
import { closeServers, startHttp, startTcp } from './servers.ts';

const limits: WireLimits = { timeoutMs: 2_000, maxBytes: 1_000_000 };
const get = (url: string): WireRequest => ({ method: 'GET', url, headers: {} });
const answer = (outcome: WireOutcome): WireAnswer => {
  if (outcome.kind !== 'answer') expect.fail(`${outcome.kind}: ${outcome.code}: ${outcome.message}`);
  return outcome;
};
const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const echo = () =>
  startHttp((request, response) => {
    void bodyOf(request).then((body) =>
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body })),
    );
  });

const ambiguous = async (promise: Promise<WireOutcome>): Promise<WireAmbiguous> => {
  const outcome = await promise;
  if (outcome.kind !== 'ambiguous') expect.fail(outcome.kind);
  return outcome;
};

let transport: Transport;
beforeEach(() => {
  transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1' });
});
afterEach(async () => {
  transport.close();
  await closeServers();
});

describe('what is sent', () => {
  it('carries method, path, query, headers and the exact bytes of the body', async () => {
    const server = await echo();
    const outcome = answer(
      await transport.send(
        {
          method: 'PUT',
          url: `${server.url}/a%2Fb?x=1&y=%20`,
          headers: { 'Content-Type': 'text/plain', 'X-Zone': 'b' },
          body: Buffer.from('Zażółć'),
        },
        limits,
      ),
    );
    const seen = JSON.parse(outcome.body.toString());
    expect(seen).toMatchObject({ method: 'PUT', url: '/a%2Fb?x=1&y=%20', body: 'Zażółć' });
    expect(seen.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'x-zone': 'b',
      'user-agent': 'waybill-test/1',
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('sends %s without a body', async (method) => {
    const server = await echo();
    const outcome = answer(await transport.send({ method, url: server.url, headers: {} }, limits));
    expect(JSON.parse(outcome.body.toString())).toMatchObject({ method, body: '' });
  });

  it.each(['GET', 'DELETE', 'POST'] as const)('sends %s with a body', async (method) => {
    const server = await echo();
    const request = { method, url: server.url, headers: {}, body: Buffer.from('{}') };
    expect(JSON.parse(answer(await transport.send(request, limits)).body.toString())).toMatchObject({ body: '{}' });
  });

  it('lets a request name its own user agent', async () => {
    const server = await echo();
    const request = { ...get(server.url), headers: { 'User-Agent': 'special' } };
    const seen = JSON.parse(answer(await transport.send(request, limits)).body.toString());
    expect(seen.headers['user-agent']).toBe('special');
  });

  it.each(['Host', 'Content-Length', 'transfer-encoding', 'Connection', 'Expect', 'Upgrade'])(
    'refuses to let a request set %s',
    async (name) => {
      const server = await echo();
      const outcome = await transport.send({ ...get(server.url), headers: { [name]: '5' } }, limits);
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'request_invalid' });
      expect(server.connections()).toBe(0);
    },
  );

  it.each([
    ['a line break in a header', { headers: { 'x-note': 'a\r\nx-evil: 1' } }],
    ['a header name that is none', { headers: { 'x note': 'a' } }],
    ['HEAD with a body', { method: 'HEAD', body: Buffer.from('a') }],
  ] as const)('does not send %s', async (_title, change) => {
    const server = await echo();
    const outcome = await transport.send({ ...get(server.url), ...change }, limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'request_invalid' });
    expect(server.received()).toBe(0);
  });

  it('goes only to declared hosts', async () => {
    const server = await echo();
    const allowedHosts = createHostList(['carrier.example']);
    const outcome = await transport.send({ ...get(server.url), allowedHosts }, limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'host_not_declared' });
    expect(server.connections()).toBe(0);
    const declared = { ...get(server.url), allowedHosts: createHostList(['127.0.0.1']) };
    expect(await transport.send(declared, limits)).toMatchObject({ kind: 'answer' });
  });
});

describe('an answer', () => {
  it('has its status, lower-case headers with repeated ones joined', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(422, { 'X-Message': ['a', 'b'], 'Set-Cookie': ['s=1', 't=2'], 'Content-Type': 'text/plain' });
      response.end('no such street');
    });
    const outcome = answer(await transport.send(get(server.url), limits));
    expect(outcome).toMatchObject({ status: 422 });
    expect(outcome.headers).toMatchObject({
      'x-message': 'a, b',
      'set-cookie': 's=1, t=2',
      'content-type': 'text/plain',
    });
    expect(outcome.body.toString()).toBe('no such street');
  });

  it.each([301, 302, 303, 307, 308])('may be a redirect, %i, which is not followed', async (status) => {
    const target = await startHttp((_request, response) => response.end('followed'));
    const server = await startHttp((_request, response) => {
      response.writeHead(status, { location: `${target.url}/` }).end();
    });
    const request: WireRequest = { method: 'POST', url: server.url, headers: {}, body: Buffer.from('a') };
    const outcome = answer(await transport.send(request, limits));
    expect(outcome).toMatchObject({ status, headers: { location: `${target.url}/` } });
    expect(target.connections()).toBe(0);
  });

  it('ends a redirect loop at its first turn', async () => {
    const server = await startHttp((_request, response) => response.writeHead(302, { location: '/' }).end());
    expect(answer(await transport.send(get(server.url), limits)).status).toBe(302);
    expect(server.received()).toBe(1);
  });

  it.each([500, 503, 429])('of %i is not asked for again', async (status) => {
    const server = await startHttp((_request, response) => response.writeHead(status, { 'retry-after': '0' }).end());
    for (const method of ['GET', 'PUT'] as const) {
      expect(answer(await transport.send({ method, url: server.url, headers: {} }, limits)).status).toBe(status);
    }
    await sleep(50);
    expect(server.received()).toBe(2);
  });

  it('comes over a connection kept alive, unless a fresh one is asked for', async () => {
    const server = await startHttp((_request, response) => response.end('ok'));
    for (let times = 0; times < 2; times += 1) answer(await transport.send(get(server.url), limits));
    expect(server.connections()).toBe(1);
    answer(await transport.send({ ...get(server.url), freshConnection: true }, limits));
    expect(server.connections()).toBe(2);
  });

  it.each([204, 304])('of %i has no body, whatever its headers say', async (status) => {
    const server = await startHttp((_request, response) =>
      response.writeHead(status, { 'content-encoding': 'gzip' }).end(),
    );
    expect(answer(await transport.send(get(server.url), limits)).body).toHaveLength(0);
  });

  it('to HEAD has the headers only', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '500' }).end();
    });
    const outcome = answer(await transport.send({ ...get(server.url), method: 'HEAD' }, limits));
    expect(outcome).toMatchObject({ status: 200, headers: { 'content-length': '500' } });
    expect(outcome.body).toHaveLength(0);
  });

  it('may come before the request was read to its end', async () => {
    const server = await startHttp((_request, response) => response.writeHead(413).end('too much'));
    const request: WireRequest = { method: 'POST', url: server.url, headers: {}, body: Buffer.alloc(5_000_000) };
    expect(answer(await transport.send(request, limits)).status).toBe(413);
  });
});

const says = (text: string) => (socket: Socket) => void socket.end(text);
const ok = 'HTTP/1.1 200 OK\r\n';

describe('a hostile answer', () => {
  it('that never comes ends at the time limit', async () => {
    const server = await startHttp(() => undefined);
    const begun = performance.now();
    const outcome = await ambiguous(transport.send(get(server.url), { ...limits, timeoutMs: 300 }));
    expect(outcome).toMatchObject({ code: 'timeout' });
    expect(outcome.partial).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(900);
  });

  it('that drips ends at the time limit, however steadily it drips', async () => {
    const server = await startHttp((_request, response) => {
      response.write('a');
      const drip = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const begun = performance.now();
    const outcome = await ambiguous(transport.send(get(server.url), { ...limits, timeoutMs: 400 }));
    expect(outcome).toMatchObject({ code: 'timeout', partial: { status: 200 } });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('that drips its headers ends at the time limit', async () => {
    const server = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-a: b\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await ambiguous(transport.send(get(server.url), { ...limits, timeoutMs: 300 }));
    expect(outcome).toMatchObject({ code: 'timeout' });
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
    const outcome = await ambiguous(transport.send(get(server.url), limits));
    expect(outcome).toMatchObject({ code: 'too_large', partial: { status: 200 } });
    expect(sentBytes).toBeLessThan(50_000_000);
  });

  it('of exactly the cap is taken, one byte more is not', async () => {
    const server = await startHttp((request, response) => response.end('x'.repeat(Number(request.url?.slice(1)))));
    const capped = { ...limits, maxBytes: 70_000 };
    expect(answer(await transport.send(get(`${server.url}/70000`), capped)).body).toHaveLength(70_000);
    expect(await ambiguous(transport.send(get(`${server.url}/70001`), capped))).toMatchObject({ code: 'too_large' });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('that unpacks by %s to more than the cap is cut there', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(limits.maxBytes);
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
    });
    const outcome = await ambiguous(transport.send(get(server.url), limits));
    expect(outcome).toMatchObject({ code: 'too_large', partial: { status: 200 } });
  });

  it('that claims a coding it has not is undecodable', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain');
    });
    expect(await ambiguous(transport.send(get(server.url), limits))).toMatchObject({
      code: 'body_undecodable',
      partial: { status: 200 },
    });
  });

  it.each<[string, (socket: Socket) => void, AmbiguousCode, number?]>([
    ['is reset before it began', (socket) => void socket.resetAndDestroy(), 'connection_reset'],
    ['is closed before it began', (socket) => void socket.end(), 'connection_reset'],
    ['is shorter than its content-length', says(`${ok}content-length: 100\r\n\r\nshort`), 'body_cut', 200],
    ['is chunked and ends early', says(`${ok}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`), 'body_cut', 200],
    ['floods us with headers', says(`${ok}${'x-flood: aaaaaaaaaaaaaaaaaaaa\r\n'.repeat(40_000)}`), 'headers_too_large'],
    ['is no HTTP', says('SMTP ready\r\n\r\n'), 'answer_malformed'],
    ['says its length twice', says(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`), 'answer_malformed'],
  ])('that %s', async (_title, act, code, status) => {
    const server = await startTcp(act);
    const outcome = await ambiguous(transport.send(get(server.url), limits));
    expect(outcome).toMatchObject({ code });
    expect(outcome.partial?.status).toBe(status);
    expect(server.connections()).toBe(1);
  });

  it('that is reset in its middle', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(201, { 'content-length': '100' });
      response.write('half', () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
    });
    const outcome = await ambiguous(transport.send(get(server.url), limits));
    expect(outcome).toMatchObject({ code: 'body_cut', partial: { status: 201 } });
  });

  it('that changes the protocol unasked, whose connection is closed', async () => {
    const ended = Promise.withResolvers<void>();
    const server = await startTcp((socket) => {
      socket.on('close', () => ended.resolve());
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n');
    });
    expect(await ambiguous(transport.send(get(server.url), limits))).toMatchObject({ code: 'answer_malformed' });
    await ended.promise;
  });

  it('of hints only ends at the time limit', async () => {
    const server = await startTcp((socket) =>
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(2_000)),
    );
    const outcome = await ambiguous(transport.send(get(server.url), { ...limits, timeoutMs: 300 }));
    expect(outcome).toMatchObject({ code: 'timeout' });
  });

  it('on a reused connection that is reset, for the request may have been read', async () => {
    const server = await startTcp((socket, data) => {
      if (data.includes('GET /second')) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    answer(await transport.send(get(`${server.url}/first`), limits));
    expect(await ambiguous(transport.send(get(`${server.url}/second`), limits))).toMatchObject({
      code: 'connection_reset',
    });
    expect(server.connections()).toBe(1);
  });
});

describe('called off', () => {
  it('before it began, nothing is sent', async () => {
    const server = await startHttp((_request, response) => response.end());
    const outcome = await transport.send(get(server.url), { ...limits, signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    expect(server.connections()).toBe(0);
  });

  it('on its way, it is ambiguous', async () => {
    const abort = new AbortController();
    const server = await startHttp(() => abort.abort());
    const outcome = await transport.send(get(server.url), { ...limits, signal: abort.signal });
    expect(outcome).toMatchObject({ kind: 'ambiguous', code: 'aborted' });
  });

  it('by the closing of the transport, which then sends nothing more', async () => {
    const server = await startHttp(() => transport.close());
    expect(await transport.send(get(server.url), limits)).toMatchObject({ kind: 'ambiguous', code: 'aborted' });
    expect(await transport.send(get(server.url), limits)).toMatchObject({ kind: 'not_sent', code: 'transport_closed' });
    expect(server.received()).toBe(1);
  });
});

describe('many at once', () => {
  it('open no more connections than allowed; who gets none in time has not been sent', async () => {
    transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1', maxConnections: 3 });
    const server = await startHttp(() => undefined);
    const done = new AbortController();
    const holding = [1, 2, 3].map(() => transport.send(get(server.url), { ...limits, signal: done.signal }));
    const waiting = [1, 2, 3, 4].map(() => transport.send(get(server.url), { ...limits, timeoutMs: 200 }));
    for (const outcome of await Promise.all(waiting)) {
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'queue_timeout' });
    }
    expect(server.connections()).toBe(3);
    done.abort();
    expect((await Promise.all(holding)).map((outcome) => outcome.kind)).toEqual([
      'ambiguous',
      'ambiguous',
      'ambiguous',
    ]);
  });

  it('share one bound on memory, and all of them get their answer', async () => {
    transport = createTransport({
      allowPrivateNetworks: true,
      userAgent: 'waybill-test/1',
      maxReadingBytes: 1_000_000,
    });
    const body = Buffer.alloc(3_000_000, 'a');
    const server = await startHttp((_request, response) => response.end(body));
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => transport.send(get(server.url), { timeoutMs: 10_000, maxBytes: 3_000_000 })),
    );
    expect(outcomes.map((outcome) => answer(outcome).body.equals(body))).toEqual(outcomes.map(() => true));
  });

  it('do not wait for a host that holds all it may and sends no more', async () => {
    transport = createTransport({
      allowPrivateNetworks: true,
      userAgent: 'waybill-test/1',
      maxReadingBytes: 8_000_000,
    });
    const stalling = await startHttp(
      (_request, response) => void response.writeHead(200).write(Buffer.alloc(3_000_000)),
    );
    const body = Buffer.alloc(3_000_000, 'a');
    const well = await startHttp((_request, response) => response.end(body));
    const done = new AbortController();
    const large = { timeoutMs: 10_000, maxBytes: 3_000_000 };
    const stalled = [1, 2, 3].map(() => transport.send(get(stalling.url), { ...large, signal: done.signal }));
    // Long enough that what was sent has been read.
    await sleep(300);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => transport.send(get(well.url), { ...large, timeoutMs: 5_000 })),
    );
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['answer', 'answer', 'answer']);
    done.abort();
    expect((await Promise.all(stalled)).map((outcome) => outcome.kind)).toEqual(stalled.map(() => 'ambiguous'));
  });
});
