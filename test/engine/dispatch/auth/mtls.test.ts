import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTransport, type Transport } from '../../../../src/engine/transport/transport.ts';
import { type Certificates, createCertificates } from '../../transport/certificates.ts';
import { closeServers, startHttps } from '../../transport/servers.ts';
import { carrierOf, createWorld } from '../world.ts';

const carrierAt = (url: string) =>
  carrierOf(`carrier: acme
name: Acme
environments: { production: { url: '${url}' } }
credentials: { cert: {}, certKey: { secret: true } }
auth: { mtls: { certificate: '\${credentials.cert}', key: '\${credentials.certKey}' } }
operations:
  create:
    post: /orders
    result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'
`);

describe('mtls', () => {
  let certificates: Certificates;
  let transport: Transport;
  beforeAll(() => {
    certificates = createCertificates();
    transport = createTransport({
      userAgent: 'test',
      allowPrivateNetworks: true,
      certificateAuthorities: [certificates.authority],
    });
  });
  afterEach(closeServers);
  afterAll(() => transport.close());

  const server = async () =>
    await startHttps(
      { ...certificates.good, ca: certificates.authority, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ number: `for ${String(CN)}` }));
      },
    );
  const create = async (url: string, credentials: Record<string, string>) => {
    const world = createWorld(carrierAt(url), []);
    const { send } = transport;
    const { operations } = carrierAt(url);
    if (operations.create === undefined) throw new Error('no create');
    const to = { account: { id: 1, version: 1, credentials, settings: {} } };
    const outcome = await world.run('create', undefined, to, { ...world.ports, send });
    return { outcome, exchanges: world.exchanges };
  };

  it('shows the certificate of the account to a server that asks for one', async () => {
    const { url } = await server();
    const { outcome, exchanges } = await create(url, {
      cert: certificates.client.cert,
      certKey: certificates.client.key,
    });
    expect(outcome).toMatchObject({ kind: 'done', result: { packages: [{ trackingNumber: 'for client' }, {}] } });
    expect(JSON.stringify(exchanges)).not.toContain('PRIVATE KEY');
  });

  it('with a certificate that the server does not know makes nothing', async () => {
    const { url } = await server();
    const { outcome } = await create(url, { cert: certificates.selfSigned.cert, certKey: certificates.selfSigned.key });
    expect(outcome.kind).not.toBe('done');
  });

  it('without a certificate is a matter of the account', async () => {
    const { outcome } = await create('https://127.0.0.1:1', { cert: '', certKey: 'x'.repeat(10) });
    expect(outcome).toMatchObject({ kind: 'held', why: 'config_error', problem: { code: 'auth_value_missing' } });
  });
});
