import { describe, expect, it } from 'vitest';
import { allowedHosts } from '../../../src/engine/dispatch/prepare.ts';
import { carrierOf } from './world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example:8443/v1' } }
hosts: ['*.files.example']
operations:
  create: { post: 'https://orders.acme.example/orders', result: '{ "itemsTrackDetails": [] }' }
`);
const hosts = allowedHosts(carrier, { url: 'https://api.acme.example:8443/v1' });

describe('where the requests of a carrier may go', () => {
  it.each(['https://api.acme.example:8443/x', 'https://orders.acme.example/x', 'https://a.files.example/label.pdf'])(
    '%s',
    (url) => {
      expect(hosts.allows(url)).toBe(true);
    },
  );

  it.each([
    'https://api.acme.example/x',
    'https://api.acme.example.evil.example/x',
    'https://files.example.evil.example/x',
    'https://evil.example/?https://api.acme.example:8443',
    'https://api.acme.example:8443@evil.example/x',
    'no url',
  ])('not %s', (url) => {
    expect(hosts.allows(url)).toBe(false);
  });

  it('nor to the environment of another account', () => {
    expect(allowedHosts(carrier, { url: 'https://be.acme.example' }).allows('https://nl.acme.example/x')).toBe(false);
    expect(allowedHosts(carrier, { url: 'https://nl.acme.example' }).allows('https://nl.acme.example/x')).toBe(true);
  });
});
