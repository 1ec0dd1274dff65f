/** `title: host host …`, a line each. */
const hostsOf = (lines: string): readonly (readonly [title: string, host: string])[] =>
  lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [title = '', hosts = ''] = line.trim().split(/: (.*)/);
      return hosts.split(' ').map((host) => [title, host] as const);
    });

/** Spellings of addresses that a server of ours must not be talked into calling. */
export const literalHosts = hostsOf(`
  loopback: 127.0.0.1 127.1.2.3 127.1 127.0.1 127.0.0.1.
  loopback, decimal: 2130706433
  loopback, hexadecimal: 0x7f000001 0X7F000001 0x7f.0x0.0x0.0x1 0x7f.0.1
  loopback, octal: 017700000001 0177.0.0.01 0000177.0000000.0.1 0177.0.0.01.
  loopback, full-width: １２７.０.０.１ 127。0。0。1 127｡0｡0｡1
  loopback, circled digits: ①②⑦.⓪.⓪.①
  loopback, percent-encoded: %31%32%37.0.0.1 127%2e0%2e0%2e1
  loopback, soft hyphen within: 127.0.0\u00AD.1
  unspecified: 0.0.0.0 0 0x0
  this network: 0.0.0.1
  private: 10.0.0.1 172.16.0.1 192.168.0.1
  carrier-grade NAT: 100.64.0.1
  link-local: 169.254.1.1
  benchmarking, documentation: 198.18.0.1 192.0.2.1
  multicast, reserved, broadcast: 224.0.0.1 240.0.0.1 255.255.255.255
  IPv6 loopback: [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001]
  IPv6 unspecified: [::]
  mapped: [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [::ffff:10.0.0.1]
  compatible, translated: [::127.0.0.1] [::ffff:0:127.0.0.1]
  NAT64: [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b:1::7f00:1]
  6to4: [2002:7f00:1::] [2002:a00:1::1]
  Teredo: [2001:0:0:0:0:0:80ff:fffe]
  ISATAP: [2606:4700::5efe:127.0.0.1]
  unique local, link-local, site-local: [fd12:3456::1] [fe80::1] [fec0::1]
  IPv6 multicast: [ff02::1]
`);

export const metadataHosts = hostsOf(`
  metadata: 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 １６９.２５４.１６９.２５４
  metadata of containers: 169.254.170.2
  metadata on a public, a shared, a protocol address: 168.63.129.16 100.100.100.200 192.0.0.192
  metadata, mapped: [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]
  metadata, NAT64, 6to4: [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::]
  metadata, IPv6: [fd00:ec2::254] [fd20:ce::254]
`);

/** What the name server of an attacker says. */
export const names: Readonly<Record<string, readonly string[]>> = {
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
  'localhost.': ['127.0.0.1'],
  'dotted.example.': ['127.0.0.1'],
  'sixtofour.example': ['2002:7f00:1::'],
};

/** Whole URLs that mean another host than they seem to; `port` is where the attacker hopes that we connect. */
export const trickUrls = (port: number): readonly string[] => [
  `https://carrier.example@127.0.0.1:${port}/`,
  `https://carrier.example:443@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}@127.0.0.1:${port}/`,
  `https://user:password@127.0.0.1:${port}/`,
  `https://carrier.example%40127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}\\@carrier.example/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `https:/127.0.0.1:${port}/`,
  `https:127.0.0.1:${port}`,
  `https:////127.0.0.1:${port}/`,
  ` https://127.0.0.1:${port}/`,
  `ht\ntps://127.0.0.1:${port}/`,
  `https://127.0.0.1\t:${port}/`,
  `HTTPS://LOCALHOST:${port}/`,
  `https://127.0.0.1:${port}#@carrier.example/`,
  `https://127.0.0.1:${port}?@carrier.example/`,
  `//127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_GET`,
  `ws://127.0.0.1:${port}/`,
  'file:///etc/passwd',
  'data:application/pdf;base64,JVBERi0xLjQ=',
  'blob:https://127.0.0.1/1',
  'unix:/var/run/docker.sock',
];
