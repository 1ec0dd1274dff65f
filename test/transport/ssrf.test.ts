import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResolveName } from '../../src/transport/lookup.ts';
import { createTransport, type Transport } from '../../src/transport/transport.ts';
import { closeServers, type LocalServer, startTcp } from './servers.ts';

const limits = { timeoutMs: 1_000, maxBytes: 10_000 };

/** Spellings of addresses that a server of ours must not be talked into calling. */
const literalHosts: readonly (readonly [string, string])[] = [
  ['loopback', '127.0.0.1'],
  ['loopback, another', '127.1.2.3'],
  ['loopback, short', '127.1'],
  ['loopback, three parts', '127.0.1'],
  ['loopback, trailing dot', '127.0.0.1.'],
  ['decimal', '2130706433'],
  ['hexadecimal', '0x7f000001'],
  ['hexadecimal, upper case', '0X7F000001'],
  ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
  ['octal', '017700000001'],
  ['octal parts', '0177.0.0.01'],
  ['octal parts, padded', '0000177.0000000.0.1'],
  ['mixed parts', '0x7f.0.1'],
  ['full-width digits', '１２７.０.０.１'],
  ['full-width dots', '127。0。0。1'],
  ['half-width ideographic dots', '127｡0｡0｡1'],
  ['circled digits', '①②⑦.⓪.⓪.①'],
  ['percent-encoded', '%31%32%37.0.0.1'],
  ['percent-encoded dots', '127%2e0%2e0%2e1'],
  ['soft hyphen within', '127.0.0\u00AD.1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified, short', '0'],
  ['unspecified, hexadecimal', '0x0'],
  ['this network', '0.0.0.1'],
  ['private 10', '10.0.0.1'],
  ['private 172.16', '172.16.0.1'],
  ['private 192.168', '192.168.0.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['link-local', '169.254.1.1'],
  ['benchmarking', '198.18.0.1'],
  ['documentation', '192.0.2.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 loopback', '[::1]'],
  ['IPv6 loopback, long', '[0:0:0:0:0:0:0:1]'],
  ['IPv6 loopback, zeros', '[0000:0000:0000:0000:0000:0000:0000:0001]'],
  ['IPv6 unspecified', '[::]'],
  ['mapped', '[::ffff:127.0.0.1]'],
  ['mapped, hexadecimal', '[::ffff:7f00:1]'],
  ['mapped, long', '[0:0:0:0:0:ffff:7f00:1]'],
  ['mapped private', '[::ffff:10.0.0.1]'],
  ['compatible', '[::127.0.0.1]'],
  ['translated', '[::ffff:0:127.0.0.1]'],
  ['NAT64', '[64:ff9b::127.0.0.1]'],
  ['NAT64, hexadecimal', '[64:ff9b::7f00:1]'],
  ['NAT64 to private', '[64:ff9b::10.0.0.1]'],
  ['NAT64, local prefix', '[64:ff9b:1::7f00:1]'],
  ['6to4', '[2002:7f00:1::]'],
  ['6to4 to private', '[2002:a00:1::1]'],
  ['Teredo', '[2001:0:0:0:0:0:80ff:fffe]'],
  ['ISATAP', '[2606:4700::5efe:127.0.0.1]'],
  ['unique local', '[fd12:3456::1]'],
  ['IPv6 link-local', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['IPv6 multicast', '[ff02::1]'],
];

const metadataHosts: readonly (readonly [string, string])[] = [
  ['metadata', '169.254.169.254'],
  ['metadata, decimal', '2852039166'],
  ['metadata, hexadecimal', '0xa9fea9fe'],
  ['metadata, octal', '0251.0376.0251.0376'],
  ['metadata, full-width', '１６９.２５４.１６９.２５４'],
  ['metadata of containers', '169.254.170.2'],
  ['metadata on a public address', '168.63.129.16'],
  ['metadata on a shared address', '100.100.100.200'],
  ['metadata on a protocol address', '192.0.0.192'],
  ['metadata, mapped', '[::ffff:169.254.169.254]'],
  ['metadata, mapped, hexadecimal', '[::ffff:a9fe:a9fe]'],
  ['metadata, NAT64', '[64:ff9b::a9fe:a9fe]'],
  ['metadata, 6to4', '[2002:a9fe:a9fe::]'],
  ['metadata, IPv6', '[fd00:ec2::254]'],
  ['metadata, another IPv6', '[fd20:ce::254]'],
];

/** What the name server of an attacker says. */
const names: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'unspecified.example': ['0.0.0.0'],
  'public-then-private.example': ['1.1.1.1', '127.0.0.1'],
  'private-then-public.example': ['127.0.0.1', '1.1.1.1'],
  'public4-private6.example': ['1.1.1.1', '::1'],
  'zoned.example': ['fe80::1%lo'],
  'nonsense.example': ['127.1'],
  localhost: ['127.0.0.1', '::1'],
};

const familyOf = (address: string): number => (address.includes(':') ? 6 : 4);
const resolveByTable: ResolveName = (name) =>
  Promise.resolve((names[name] ?? []).map((address) => ({ address, family: familyOf(address) })));

let transport: Transport | undefined;
let listener: LocalServer;
/** On every address of this machine, IPv4 and IPv6. */
beforeAll(async () => {
  listener = await startTcp((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), '::');
});
afterEach(() => transport?.close());
afterAll(closeServers);

const sendTo = (host: string, scheme: string, allowPrivateNetworks: boolean, resolve = resolveByTable) => {
  transport = createTransport({ allowPrivateNetworks, userAgent: 'waybill-test/1', resolve });
  return transport.send({ method: 'GET', url: `${scheme}://${host}:${listener.port}/`, headers: {} }, limits);
};

describe('with private networks closed', () => {
  it.each([...literalHosts, ...metadataHosts])('%s (%s) is not called', async (_title, host) => {
    expect(await sendTo(host, 'https', false)).toMatchObject({ kind: 'not_sent', code: 'address_forbidden' });
    expect(await sendTo(host, 'http', false)).toMatchObject({ kind: 'not_sent' });
    expect(listener.connections()).toBe(0);
  });

  it.each(Object.keys(names))('the name %s is not called', async (name) => {
    expect(await sendTo(name, 'https', false)).toMatchObject({ kind: 'not_sent', code: 'address_forbidden' });
    expect(listener.connections()).toBe(0);
  });
});

describe('with private networks open', () => {
  it.each(metadataHosts)('%s (%s) is not called', async (_title, host) => {
    for (const scheme of ['http', 'https']) {
      expect(await sendTo(host, scheme, true)).toMatchObject({ kind: 'not_sent', code: 'address_forbidden' });
    }
  });

  it('plain HTTP to a name with a public address beside a private one is not sent', async () => {
    const before = listener.connections();
    for (const name of ['public-then-private.example', 'private-then-public.example']) {
      expect(await sendTo(name, 'http', true)).toMatchObject({ kind: 'not_sent', code: 'plain_http_forbidden' });
    }
    expect(listener.connections()).toBe(before);
  });

  it('connects to the address that was checked, having asked for it once', async () => {
    const before = listener.connections();
    let asked = 0;
    const resolve: ResolveName = () => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    };
    expect(await sendTo('rebinding.example', 'http', true, resolve)).toMatchObject({ kind: 'answer' });
    expect(asked).toBe(1);
    expect(listener.connections()).toBe(before + 1);
  });

  it('a name is judged anew for every connection', async () => {
    const answers = ['127.0.0.1', '169.254.169.254'];
    const resolve: ResolveName = () => Promise.resolve([{ address: answers.shift() ?? '0.0.0.0', family: 4 }]);
    transport = createTransport({ allowPrivateNetworks: true, userAgent: 'waybill-test/1', resolve });
    const url = `http://rebinding.example:${listener.port}/`;
    const outcomes = [];
    for (let turn = 0; turn < 3; turn += 1) {
      outcomes.push(await transport.send({ method: 'GET', url, headers: {}, freshConnection: true }, limits));
    }
    expect(outcomes).toMatchObject([
      { kind: 'answer' },
      { kind: 'not_sent', code: 'address_forbidden' },
      { kind: 'not_sent', code: 'address_forbidden' },
    ]);
  });

  // The listener would have seen the others too: it sees these.
  it.each(['127.0.0.1', '2130706433', '０x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'loopback.example', 'localhost'])(
    'the listener sees %s',
    async (host) => {
      const before = listener.connections();
      expect(await sendTo(host, 'http', true)).toMatchObject({ kind: 'answer', status: 200 });
      expect(listener.connections()).toBe(before + 1);
    },
  );
});

it('the corpus has at least 60 rows', () => {
  expect(literalHosts.length + metadataHosts.length + Object.keys(names).length).toBeGreaterThanOrEqual(60);
});
