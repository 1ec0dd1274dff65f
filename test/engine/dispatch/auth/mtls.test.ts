import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Certificates, createCertificates } from '../../transport/certificates.ts';
import { closeServers, openTransport, startHttps } from '../../transport/servers.ts';
import { profileOf, worldOf } from '../world.ts';

const profile = profileOf(
  `create: { post: /orders, result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }`,
  `credentials: { cert: {}, certKey: { secret: true } }
auth: { mtls: { certificate: '\${credentials.cert}', key: '\${credentials.certKey}' } }`,
);

describe('mtls', () => {
  let certificates: Certificates;
  beforeAll(() => void (certificates = createCertificates()));
  afterEach(closeServers);

  /** By an account with this certificate, at a server that asks for one of the authority. */
  const create = async ({ cert, key: certKey }: { readonly cert: string; readonly key: string }) => {
    const options = { ca: certificates.authority, requestCert: true, rejectUnauthorized: true };
    const { url } = await startHttps({ ...certificates.good, ...options }, (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ number: `for ${String(CN)}` }));
    });
    const world = worldOf(profile.replace('https://api.acme.example', url));
    const account = { id: 1, version: 1, credentials: { cert, certKey }, settings: {} };
    const { send } = openTransport({ certificateAuthorities: [certificates.authority] });
    const ports = { ...world.ports, send };
    return { outcome: await world.run('create', undefined, { account }, ports), exchanges: world.exchanges };
  };

  it('shows the certificate of the account to a server that asks for one', async () => {
    const { outcome, exchanges } = await create(certificates.client);
    expect(outcome).toMatchObject({ kind: 'done', result: { packages: [{ trackingNumber: 'for client' }, {}] } });
    expect(JSON.stringify(exchanges)).not.toContain('PRIVATE KEY');
  });

  it('with a certificate that the server does not know makes nothing', async () => {
    expect((await create(certificates.selfSigned)).outcome.kind).not.toBe('done');
  });

  it('without a certificate is a matter of the account', async () => {
    const { outcome } = await create({ cert: '', key: 'x'.repeat(10) });
    expect(outcome).toMatchObject({ kind: 'held', why: 'config_error', problem: { code: 'auth_value_missing' } });
  });
});
