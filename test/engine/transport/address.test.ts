import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/engine/failure.ts';
import { checkNetworks, checkAddress, checkUrl } from '../../../src/engine/transport/address.ts';

const strict = { allowPrivateNetworks: false };
const lenient = { allowPrivateNetworks: true };

const listed = (text: string): string[] => text.trim().split(/\s+/);
const publicAddresses = listed(`
  1.1.1.1 93.184.215.14 2606:4700:4700::1111 2a00:1450:4001:82a::200e ::ffff:1.1.1.1 64:ff9b::1.1.1.1
`);
const privateAddresses = listed(`
  127.0.0.1 127.8.8.8 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 ::1 fd12:3456::1
  fc00::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
`);
/** Never, not even with private networks allowed. */
const forbiddenAddresses = listed(`
  0.0.0.0 0.1.2.3 169.254.1.1 169.254.169.254 169.254.170.2 168.63.129.16 100.100.100.200 192.0.0.192
  192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::7f00:1 ::ffff:0:127.0.0.1 ::ffff:169.254.169.254 ::ffff:168.63.129.16
  64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::1.1.1.1 2002:7f00:1::
  2002:101:101:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 2606:4700::5efe:127.0.0.1
  2606:4700::200:5efe:10.0.0.1 4000::1 100::1 fe80::1 fe80::a9fe:a9fe fe80::1%lo fec0::1 ff02::1
  fd00:ec2::254 fd20:ce::254
`);

describe('an address', () => {
  it.each(publicAddresses)('%s is public: HTTPS only', (address) => {
    for (const policy of [strict, lenient]) {
      expect(checkAddress(address, 'https', policy)).toEqual({ allowed: true });
      expect(checkAddress(address, 'http', policy)).toMatchObject({ code: 'plain_http_forbidden' });
    }
  });

  it.each(privateAddresses)(
    '%s is private: by both schemes where private networks are allowed, else by none',
    (address) => {
      for (const scheme of ['http', 'https'] as const) {
        expect(checkAddress(address, scheme, strict)).toMatchObject({ code: 'address_forbidden' });
        expect(checkAddress(address, scheme, lenient)).toEqual({ allowed: true });
      }
    },
  );

  it.each(forbiddenAddresses)('%s is never called', (address) => {
    for (const policy of [strict, lenient]) {
      expect(checkAddress(address, 'https', policy)).toMatchObject({ code: 'address_forbidden' });
    }
  });

  it.each(['', 'localhost', '127.1', '2130706433', '0x7f000001', '10.0.0.1/8'])('"%s" is none', (address) => {
    expect(checkAddress(address, 'https', lenient)).toMatchObject({ code: 'address_forbidden' });
  });
});

describe('allowed networks', () => {
  const policy = { allowPrivateNetworks: false, allowedNetworks: ['10.20.0.0/16', 'fd12::/16', '169.254.0.0/16'] };

  it('open a private range over HTTPS, and no other', () => {
    for (const address of ['10.20.3.4', '::ffff:10.20.3.4', 'fd12::1'])
      expect(checkAddress(address, 'https', policy)).toEqual({ allowed: true });
    expect(checkAddress('10.21.0.1', 'https', policy)).toMatchObject({ allowed: false });
    expect(checkAddress('10.20.3.4', 'http', policy)).toMatchObject({ allowed: false });
  });

  it('open no metadata address', () => {
    expect(checkAddress('169.254.169.254', 'https', policy)).toMatchObject({ allowed: false });
  });

  it('must be ranges', () => {
    expect(() => checkNetworks(['10.0.0.0/8', 'ten'])).toThrow(Failure);
    expect(() => checkNetworks(['10.0.0.0/8', 'fd12::/16'])).not.toThrow();
  });
});

describe('a URL', () => {
  it.each([
    ['nothing readable', 'not a url'],
    ['no host', 'https://'],
    ['a file', 'file:///etc/passwd'],
    ['another protocol', 'gopher://carrier.example/'],
    ['data', 'data:text/plain,hello'],
    ['a user name', 'https://user@carrier.example/'],
    ['a password', 'https://:pass@carrier.example/'],
    ['a user name that looks like a host', 'https://carrier.example@127.0.0.1/'],
  ])('with %s is invalid', (_title, text) => {
    expect(checkUrl(text, lenient)).toMatchObject({ allowed: false, code: 'url_invalid' });
  });

  it('by plain HTTP needs private networks to be allowed, and a literal address to be private', () => {
    expect(checkUrl('http://carrier.example/', strict)).toMatchObject({ code: 'plain_http_forbidden' });
    expect(checkUrl('http://carrier.example/', lenient)).toMatchObject({ allowed: true });
    expect(checkUrl('http://1.1.1.1/', lenient)).toMatchObject({ code: 'plain_http_forbidden' });
  });

  it('with a name passes: the name is judged when it is resolved', () => {
    expect(checkUrl('https://carrier.example:8443/a?b', strict)).toMatchObject({ allowed: true });
  });

  it('never says the URL itself, which may hold a secret', () => {
    for (const url of ['https://u:hush@a.example/', 'ftp://a.example/?key=hush', 'https://10.0.0.1/hush'])
      expect(JSON.stringify(checkUrl(url, strict))).not.toContain('hush');
  });
});
