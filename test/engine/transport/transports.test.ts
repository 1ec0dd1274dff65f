import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResolveName } from '../../../src/engine/transport/connections.ts';
import { createTransports, type Transports } from '../../../src/engine/transport/transport.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { closeServers, type LocalServer, startHttp, startHttps } from './servers.ts';

let certificates: Certificates;
let server: LocalServer;
let transports: Transports;

beforeAll(async () => {
  certificates = createCertificates();
  server = await startHttps(certificates.good, (_request, response) => response.end('{}'));
});
afterEach(() => transports.close());
afterAll(closeServers);

/** Sends for a carrier; without one, over what all share. */
const open = (networks: Readonly<Record<string, readonly string[]>>, resolve?: ResolveName) => {
  const certificateAuthorities = [certificates.authority];
  const options = { allowPrivateNetworks: false, userAgent: 'waybill-test/1', certificateAuthorities, resolve };
  transports = createTransports(options, new Map(Object.entries(networks)));
  return async (carrier: string | undefined, url: string, freshConnection = false) => {
    const transport = carrier === undefined ? transports.shared : transports.of(carrier);
    const request = { method: 'GET', url, headers: {}, freshConnection } as const;
    return await transport.send(request, { timeoutMs: 2_000, maxBytes: 10_000 });
  };
};
const refused = { kind: 'not_sent', code: 'address_forbidden' };

describe('private networks that an operator opened to one carrier', () => {
  it('are reached by that carrier, and by nobody else', async () => {
    const send = open({ acme: ['10.9.0.0/16', '127.0.0.0/30'] });
    const before = server.connections();
    expect(await send('other', server.url)).toMatchObject(refused);
    expect(server.connections()).toBe(before);
    expect(await send('acme', server.url)).toMatchObject({ kind: 'answer', status: 200 });
    expect(await send(undefined, server.url)).toMatchObject(refused);
    expect(server.connections()).toBe(before + 1);
  });

  it('end where their range ends', async () => {
    const send = open({ acme: ['127.0.0.0/30'] });
    for (const host of ['127.0.0.4', '[::1]'])
      expect(await send('acme', `https://${host}:${server.port}/`)).toMatchObject(refused);
  });

  it('are reached by a name only where all of its addresses lie in them, asked for once', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1', '127.0.0.9'], ['127.0.0.9']];
    const resolve: ResolveName = () =>
      Promise.resolve((answers.shift() ?? []).map((address) => ({ address, family: 4 })));
    const url = `https://carrier.example:${server.port}/`;
    const send = open({ acme: ['127.0.0.0/30'] }, resolve);
    expect(await send('acme', url)).toMatchObject({ kind: 'answer' });
    expect(answers).toHaveLength(2);
    for (const _ of [1, 2]) expect(await send('acme', url, true)).toMatchObject(refused);
  });

  it('are not reached by plain HTTP, and never where clouds keep credentials', async () => {
    const plain = await startHttp((_request, response) => response.end('{}'));
    const send = open({ acme: ['127.0.0.0/8', '169.254.0.0/16', 'fd00::/8'] });
    expect(await send('acme', plain.url)).toMatchObject({ kind: 'not_sent', code: 'plain_http_forbidden' });
    expect(plain.connections()).toBe(0);
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]'])
      expect(await send('acme', `https://${host}/`)).toMatchObject(refused);
  });
});
