import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createConnections, followPromise, type ResolveName } from '../../../src/engine/transport/connections.ts';
import type { Transport, TransportOptions } from '../../../src/engine/transport/transport.ts';
import type { NotSentCode, WireLimits, WireRequest } from '../../../src/engine/transport/wire.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { until } from '../../support/until.ts';
import { closeServers, listen, openTransport, startHttp, startHttps, startTcp } from './servers.ts';

let isPlain = false;

let transport: Transport | undefined;
const post = async (
  url: string,
  options: Partial<TransportOptions> = {},
  more: Partial<WireRequest & WireLimits> = {},
) => {
  transport ??= openTransport(options);
  const { timeoutMs = 2_000, signal, ...request } = more;
  const body = Buffer.from('create');
  return await transport.send(
    { method: 'POST', url, headers: {}, body, isPlain, ...request },
    { timeoutMs, maxBytes: 100_000, signal },
  );
};
afterEach(async () => {
  transport = undefined;
  await closeServers();
});

const failing =
  (code: string): ResolveName =>
  () =>
    Promise.reject(Object.assign(new Error(`query ${code}`), { code }));
const addresses =
  (...list: string[]): ResolveName =>
  () =>
    Promise.resolve(list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
const silent: ResolveName = () => new Promise(() => undefined);

const startWith = (pair: Certificates['good']) => startHttps(pair, (_request, response) => response.end('ok'));

describe.each([false, true])('by a client that is plain: %s', (plain) => {
  beforeAll(() => void (isPlain = plain));

  describe('without a connection nothing was sent', () => {
    it.each<[string, ResolveName, NotSentCode]>([
      ['cannot be resolved', failing('ENOTFOUND'), 'name_not_found'],
      ['cannot be resolved for now', failing('EAI_AGAIN'), 'dns_failed'],
      ['has no address', addresses(), 'name_not_found'],
      ['takes the name server too long', silent, 'connect_timeout'],
    ])('when the name %s', async (_, resolve, code) => {
      // Nobody waits for the limit of the whole request.
      const options = { resolve, connectTimeoutMs: 200 };
      const outcome = await post('https://carrier.example/', options, { timeoutMs: 3_600_000 });
      expect(outcome).toMatchObject({ kind: 'not_sent', code });
    });

    it('when a reserved name is asked of the system', async () => {
      expect(await post('https://nobody.invalid/', {}, { timeoutMs: 8_000 })).toMatchObject({ kind: 'not_sent' });
    });

    it('when the server refuses on every address of its name, and these are not told', async () => {
      const server = await startTcp();
      await server.close();
      const refused = { kind: 'not_sent', code: 'connection_refused', message: 'connect ECONNREFUSED' };
      const resolve = addresses('127.0.0.1', '::1');
      expect(await post(`http://carrier.example:${server.port}/`, { resolve })).toMatchObject(refused);
      expect(await post(server.url)).toMatchObject(refused);
    });

    it.each<[string, Partial<TransportOptions>, () => Partial<WireLimits>, NotSentCode]>([
      ['takes too long', { connectTimeoutMs: 200 }, () => ({}), 'connect_timeout'],
      ['takes all the time there is', {}, () => ({ timeoutMs: 200 }), 'connect_timeout'],
      ['is called off', {}, () => ({ signal: AbortSignal.timeout(100) }), 'aborted'],
    ])('when the TLS handshake %s', async (_, options, limits, code) => {
      const server = await startTcp();
      const outcome = await post(`https://127.0.0.1:${server.port}/`, options, limits());
      expect(outcome).toMatchObject({ kind: 'not_sent', code });
      expect(server.connections()).toBe(1);
    });

    it.each<[string, (socket: Socket) => void, NotSentCode]>([
      [
        'the connection breaks during the TLS handshake',
        (socket) => void socket.resetAndDestroy(),
        'connection_failed',
      ],
      ['plain HTTP is spoken', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls_failed'],
    ])('when %s', async (_, act, code) => {
      const { port } = await startTcp(act);
      const outcome = await post(`https://127.0.0.1:${port}/`);
      expect(outcome).toMatchObject({ kind: 'not_sent', code, message: expect.not.stringContaining('\n') });
    });
  });

  it('asks for a name once, however many requests wait for it', async () => {
    const asked: string[] = [];
    const resolve: ResolveName = async (name) => {
      asked.push(name);
      await sleep(50);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const server = await startTcp((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => post(`http://carrier.example:${server.port}/`, { resolve })),
    );
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['answer', 'answer', 'answer']);
    expect(asked).toEqual(['carrier.example']);
  });

  describe('over TLS', () => {
    let certificates: Certificates;
    beforeAll(() => {
      certificates = createCertificates();
    });
    const trusting = async (host: string, port: number, request: Partial<WireRequest> = {}) => {
      const options = { certificateAuthorities: [certificates.authority], resolve: addresses('127.0.0.1') };
      return await post(`https://${host}:${port}/`, options, request);
    };

    it.each(['carrier.example', '127.0.0.1'])('sends to %s, whose certificate is good', async (host) => {
      const server = await startWith(certificates.good);
      expect(await trusting(host, server.port)).toMatchObject({ kind: 'answer', status: 200 });
    });

    it.each<[string, 'expired' | 'selfSigned' | 'wrongHost', NotSentCode]>([
      ['expired', 'expired', 'tls_certificate_expired'],
      ['self-signed', 'selfSigned', 'tls_certificate_untrusted'],
      ['for another host', 'wrongHost', 'tls_wrong_host'],
    ])('sends nothing to a server whose certificate is %s', async (_title, name, code) => {
      const server = await startWith(certificates[name]);
      expect(await trusting('carrier.example', server.port)).toMatchObject({ kind: 'not_sent', code });
      expect([server.connections(), server.received()]).toEqual([1, 0]);
    });

    it.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'leaks no byte before the certificate is found good, in %s',
      async (version) => {
        const seen: Buffer[] = [];
        const options = { ...certificates.wrongHost, minVersion: version, maxVersion: version };
        const { port } = await listen(
          tls.createServer(options, (socket) => {
            socket.on('error', () => undefined);
            socket.on('data', (data) => seen.push(data));
          }),
        );
        const outcome = await trusting('carrier.example', port, { body: Buffer.alloc(200_000, 'secret') });
        expect(outcome).toMatchObject({ kind: 'not_sent', code: 'tls_wrong_host' });
        await sleep(50);
        expect(Buffer.concat(seen)).toHaveLength(0);
      },
    );

    it('shows a client certificate, and never lends its connection to a request without', async () => {
      const server = await startHttps(
        { ...certificates.good, ca: certificates.authority, requestCert: true, rejectUnauthorized: false },
        ({ socket }, response) =>
          response.end(socket instanceof tls.TLSSocket ? String(socket.getPeerCertificate().subject?.CN) : 'plain'),
      );
      const { cert: certificate, key } = certificates.client;
      const shown = await trusting('carrier.example', server.port, { tls: { certificate, key } });
      const notShown = await trusting('carrier.example', server.port);
      const said = [shown, notShown].map((outcome) => (outcome.kind === 'answer' ? outcome.body.toString() : outcome));
      expect(said).toEqual(['client', 'undefined']);
    });

    it('sends nothing with a client key that cannot be read', async () => {
      const server = await startWith(certificates.good);
      const outcome = await trusting('carrier.example', server.port, { tls: { certificate: 'no PEM', key: 'no PEM' } });
      expect(outcome).toMatchObject({ kind: 'not_sent', code: 'tls_failed' });
      expect(server.received()).toBe(0);
    });
  });
});

it.each([
  ['as long as servers do', 'keptAlive', 4_000],
  ['for a second where a server must have promised to', 'fresh', 1_000],
] as const)('an idle connection is kept %s', async (_, name, keptMs) => {
  const connections = createConnections({ allowPrivateNetworks: true }, {});
  onTestFinished(connections.destroy);
  const agent = connections[name].http;
  // It says 30 s.
  const server = await startHttp((_request, response) => response.end());
  const sent = http.get(server.url, { agent });
  followPromise(sent);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { socket } = response;
  response.resume();
  await until('it is idle', () => Object.values(agent.freeSockets).length > 0);
  expect(socket.timeout).toBe(keptMs);
});
