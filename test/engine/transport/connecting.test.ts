import tls from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResolveName } from '../../../src/engine/transport/connections.ts';
import { createTransport, type Transport, type TransportOptions } from '../../../src/engine/transport/transport.ts';
import type { NotSentCode, WireLimits, WireRequest } from '../../../src/engine/transport/wire.ts';
import { type Certificates, createCertificates, type KeyPair } from './certificates.ts';
import { closeServers, startHttps, startTcp } from './servers.ts';

const limits: WireLimits = { timeoutMs: 2_000, maxBytes: 100_000 };
const post = (url: string, more: Partial<WireRequest> = {}): WireRequest => ({
  method: 'POST',
  url,
  headers: {},
  body: Buffer.from('create'),
  ...more,
});

let transport: Transport | undefined;
const open = (options: Partial<TransportOptions> = {}): Transport => {
  transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1', ...options });
  return transport;
};
afterEach(async () => {
  transport?.close();
  await closeServers();
});

const failing =
  (code: string): ResolveName =>
  () =>
    Promise.reject(Object.assign(new Error(`query ${code}`), { code }));
const loopbackTwice: ResolveName = () =>
  Promise.resolve([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
const silent: ResolveName = () => new Promise(() => undefined);
const loopback: ResolveName = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

describe('without a connection nothing was sent', () => {
  it('when the server refuses', async () => {
    const server = await startTcp();
    await server.close();
    expect(await open().send(post(server.url), limits)).toMatchObject({ kind: 'not_sent', code: 'connection_refused' });
  });

  it('when the server refuses on every address of its name, and these are not told', async () => {
    const server = await startTcp();
    await server.close();
    const outcome = await open({ resolve: loopbackTwice }).send(post(`http://carrier.example:${server.port}/`), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'connection_refused' });
    expect(outcome).toHaveProperty('message', 'connect ECONNREFUSED');
  });

  it.each<[string, NotSentCode]>([
    ['ENOTFOUND', 'name_not_found'],
    ['EAI_AGAIN', 'dns_failed'],
  ])('when the name cannot be resolved: %s', async (error, code) => {
    const outcome = await open({ resolve: failing(error) }).send(post('https://carrier.example/'), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code });
  });

  it('when the name has no address', async () => {
    const outcome = await open({ resolve: () => Promise.resolve([]) }).send(post('https://carrier.example/'), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'name_not_found' });
  });

  it('when a reserved name is asked of the system', async () => {
    const outcome = await open().send(post('https://nobody.invalid/'), { ...limits, timeoutMs: 8_000 });
    expect(outcome.kind).toBe('not_sent');
  });

  it('when the name server takes too long', async () => {
    const begun = performance.now();
    const sender = open({ resolve: silent, connectTimeoutMs: 200 });
    expect(await sender.send(post('https://carrier.example/'), limits)).toMatchObject({
      kind: 'not_sent',
      code: 'connect_timeout',
    });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('when the TLS handshake takes too long', async () => {
    const server = await startTcp();
    const sender = open({ connectTimeoutMs: 200 });
    const outcome = await sender.send(post(`https://127.0.0.1:${server.port}/`), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'connect_timeout' });
    expect(server.connections()).toBe(1);
  });

  it('when the whole time ran out while connecting', async () => {
    const server = await startTcp();
    const outcome = await open().send(post(`https://127.0.0.1:${server.port}/`), { ...limits, timeoutMs: 200 });
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'connect_timeout' });
  });

  it('when the connection breaks during the TLS handshake', async () => {
    const server = await startTcp((socket) => socket.resetAndDestroy());
    const outcome = await open().send(post(`https://127.0.0.1:${server.port}/`), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'connection_failed' });
  });

  it('when it was called off while connecting', async () => {
    const server = await startTcp();
    const outcome = await open().send(post(`https://127.0.0.1:${server.port}/`), {
      ...limits,
      signal: AbortSignal.timeout(100),
    });
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'aborted' });
  });
});

it('asks for a name once, however many requests wait for it', async () => {
  const asked: string[] = [];
  const resolve: ResolveName = async (name) => {
    asked.push(name);
    await sleep(50);
    return loopback(name);
  };
  const server = await startTcp((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  const sender = open({ resolve });
  const url = `http://carrier.example:${server.port}/`;
  const outcomes = await Promise.all([1, 2, 3].map(() => sender.send(post(url), limits)));
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(['answer', 'answer', 'answer']);
  expect(asked).toEqual(['carrier.example']);
});

describe('over TLS', () => {
  let certificates: Certificates;
  beforeAll(() => {
    certificates = createCertificates();
  });

  const openTrusting = (): Transport => open({ certificateAuthorities: [certificates.authority], resolve: loopback });

  it('sends to a server whose certificate is good, by name and by address', async () => {
    const server = await startHttps(certificates.good, (_request, response) => response.end('ok'));
    const sender = openTrusting();
    for (const host of ['carrier.example', '127.0.0.1']) {
      const outcome = await sender.send(post(`https://${host}:${server.port}/`), limits);
      expect(outcome).toMatchObject({ kind: 'answer', status: 200 });
    }
  });

  it.each<[string, (all: Certificates) => KeyPair, NotSentCode]>([
    ['expired', (all) => all.expired, 'tls_certificate_expired'],
    ['self-signed', (all) => all.selfSigned, 'tls_certificate_untrusted'],
    ['for another host', (all) => all.wrongHost, 'tls_wrong_host'],
  ])('sends nothing to a server whose certificate is %s', async (_title, choose, code) => {
    const server = await startHttps(choose(certificates), (_request, response) => response.end('ok'));
    const outcome = await openTrusting().send(post(`https://carrier.example:${server.port}/`), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code });
    expect(server.connections()).toBe(1);
    expect(server.received()).toBe(0);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'leaks no byte before the certificate is found good, in %s',
    async (version) => {
      const seen: Buffer[] = [];
      const server = tls.createServer(
        { ...certificates.wrongHost, minVersion: version, maxVersion: version },
        (socket) => {
          socket.on('error', () => undefined);
          socket.on('data', (data) => seen.push(data));
        },
      );
      server.on('tlsClientError', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const body = Buffer.alloc(200_000, 'secret');
      const outcome = await openTrusting().send(post(`https://carrier.example:${port}/`, { body }), limits);
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'tls_wrong_host' });
      await sleep(50);
      expect(Buffer.concat(seen)).toHaveLength(0);
      await new Promise((resolve) => server.close(resolve));
    },
  );

  it('sends nothing where plain HTTP is spoken', async () => {
    const server = await startTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const outcome = await open().send(post(`https://127.0.0.1:${server.port}/`), limits);
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'tls_failed' });
    expect(outcome).toHaveProperty('message', expect.not.stringContaining('\n'));
  });

  it('shows a client certificate, and never lends its connection to a request without', async () => {
    const server = await startHttps(
      { ...certificates.good, ca: certificates.authority, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const { socket } = request;
        response.end(socket instanceof tls.TLSSocket ? String(socket.getPeerCertificate().subject?.CN) : 'plain');
      },
    );
    const sender = openTrusting();
    const url = `https://carrier.example:${server.port}/`;
    const { cert: certificate, key } = certificates.client;
    const shown = await sender.send(post(url, { tls: { certificate, key } }), limits);
    const notShown = await sender.send(post(url), limits);
    expect([shown, notShown].map((outcome) => (outcome.kind === 'answer' ? outcome.body.toString() : outcome))).toEqual(
      ['client', 'undefined'],
    );
  });

  it('sends nothing with a client key that cannot be read', async () => {
    const server = await startHttps(certificates.good, (_request, response) => response.end('ok'));
    const outcome = await openTrusting().send(
      post(`https://carrier.example:${server.port}/`, { tls: { certificate: 'no PEM', key: 'no PEM' } }),
      limits,
    );
    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'tls_failed' });
    expect(server.received()).toBe(0);
  });
});
