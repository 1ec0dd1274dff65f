import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Failure } from '../failure.ts';

export interface AddressPolicy {
  /** Private and loopback addresses are good, and plain HTTP there. */
  readonly allowPrivateNetworks: boolean;
  /** CIDR ranges that are good although private, over HTTPS only. */
  readonly allowedNetworks?: readonly string[] | undefined;
}

export type Scheme = 'http' | 'https';

interface Refused<Code> {
  readonly allowed: false;
  readonly code: Code;
  readonly reason: string;
}
type AddressCode = 'address_forbidden' | 'plain_http_forbidden';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Reach = 'public' | 'private' | 'forbidden';

/** Metadata services of clouds hand out credentials; some lie in ranges that are public or merely private. */
const metadataAddresses: ReadonlySet<string> = new Set(
  (
    '169.254.169.254 169.254.170.2 168.63.129.16 100.100.100.200 192.0.0.192 ' +
    'fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42'
  )
    .split(' ')
    .map((address) => ipaddr.parse(address).toNormalizedString()),
);

const privateRanges = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** All that is handed out as public; outside of it nothing of IPv6 is worth asking. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const wellKnownNat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const lastFourBytes = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12));

const isIsatap = (address: ipaddr.IPv6): boolean => {
  const [high, low] = address.parts.slice(4);
  return low === 0x5efe && (high === 0 || high === 0x0200);
};

const reachOfIPv6 = (address: ipaddr.IPv6): Reach => {
  const range = address.range();
  if (range === 'ipv4Mapped') return reachOf(address.toIPv4Address());
  // A network without IPv4 reaches all of it through this prefix, so what is inside decides.
  if (address.match(wellKnownNat64)) return reachOf(lastFourBytes(address)) === 'public' ? 'public' : 'forbidden';
  if (privateRanges.has(range)) return 'private';
  if (range !== 'unicast' || !address.match(globalUnicast)) return 'forbidden';
  if (isIsatap(address) && reachOf(lastFourBytes(address)) !== 'public') return 'forbidden';
  return 'public';
};

const reachOf = (address: Address): Reach => {
  if (metadataAddresses.has(address.toNormalizedString())) return 'forbidden';
  if (address instanceof ipaddr.IPv6) return reachOfIPv6(address);
  const range = address.range();
  if (range === 'unicast') return 'public';
  return privateRanges.has(range) ? 'private' : 'forbidden';
};

export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text);

/** Throws a `Failure` with code `network_invalid` for what is not a CIDR range. */
export const checkNetworks = (networks: readonly string[]): void => {
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong === undefined) return;
  throw new Failure(`"${wrong}" is not a range of addresses`, {
    code: 'network_invalid',
    help: 'Write it as 10.20.0.0/16 or fd12:3456::/32',
  });
};

const isListed = (address: Address, networks: readonly string[]): boolean =>
  networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });

const refuse = <Code extends string>(code: Code, reason: string): Refused<Code> => ({ allowed: false, code, reason });

/**
 * Whether a request may be sent to `address` (an IP in canonical text) over `scheme`. Addresses that carry another
 * inside (mapped, NAT64) are checked by the inner one; 6to4, Teredo and all metadata addresses are always refused. The
 * reason does not repeat the address: it is no way to learn what a name resolves to inside the network.
 */
export const checkAddress = (
  address: string,
  scheme: Scheme,
  policy: AddressPolicy,
): { readonly allowed: true } | Refused<AddressCode> => {
  if (isIP(address) === 0) return refuse('address_forbidden', 'the address is no IP address');
  const parsed = ipaddr.process(address);
  const reach = reachOf(parsed);
  if (reach === 'forbidden') return refuse('address_forbidden', 'the address is not public');
  if (reach === 'public') {
    return scheme === 'https'
      ? { allowed: true }
      : refuse('plain_http_forbidden', 'plain HTTP needs a private address');
  }
  if (policy.allowPrivateNetworks) return { allowed: true };
  if (scheme === 'https' && isListed(parsed, policy.allowedNetworks ?? [])) return { allowed: true };
  return refuse('address_forbidden', 'the address is private');
};

/**
 * What can be said of a URL before any name is resolved. Odd spellings of an address (decimal, octal, hexadecimal,
 * full-width) are made plain by the URL parser, and a literal address is checked here, because nobody resolves it.
 */
export const checkUrl = (
  text: string,
  policy: AddressPolicy,
): { readonly allowed: true; readonly url: URL } | Refused<AddressCode | 'url_invalid'> => {
  const url = URL.parse(text);
  if (url === null) return refuse('url_invalid', 'the URL cannot be read');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse('url_invalid', `the URL begins with ${url.protocol}, not https:`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('url_invalid', 'the URL holds a user name or password');
  }
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  if (scheme === 'http' && !policy.allowPrivateNetworks)
    return refuse('plain_http_forbidden', 'only https: is allowed');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const checked = isIP(host) === 0 ? undefined : checkAddress(host, scheme, policy);
  return checked?.allowed === false ? checked : { allowed: true, url };
};

// Declared hosts ------------------------------------------------------------------------------------------------------

export interface HostList {
  /** Whether the URL's host is among them. What is no URL is not. */
  readonly allows: (url: string | URL) => boolean;
}

const withoutTrailingDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

const invalid = (pattern: string, why: string): Failure =>
  new Failure(`The host pattern "${pattern}" ${why}`, {
    code: 'host_pattern_invalid',
    help: 'Write a host, as api.example.com, or all below one, as *.example.com, either with a port if you like',
  });

const parsePattern = (pattern: string) => {
  const subdomains = pattern.startsWith('*.');
  const [, text = '', port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(subdomains ? pattern.slice(2) : pattern) ?? [];
  if (text === '' || /[*/?#@\\\s]/.test(text)) throw invalid(pattern, 'is not a host');
  // The URL parser brings any spelling of a host into the one that a request's URL will have.
  const url = URL.parse(`https://${text}`);
  if (url === null || url.port !== '') throw invalid(pattern, 'is not a host');
  if (Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) throw invalid(pattern, 'has a port that does not exist');
  const host = withoutTrailingDot(url.hostname);
  if (subdomains && (!host.includes('.') || /^[\d.]+$/.test(host))) throw invalid(pattern, 'is too wide');
  // Without a port, any.
  return { host, subdomains, port: port === undefined ? undefined : String(Number(port)) };
};

const defaultPort = (url: URL): string => (url.protocol === 'http:' ? '80' : '443');

const fits = (pattern: ReturnType<typeof parsePattern>, url: URL): boolean => {
  const host = withoutTrailingDot(url.hostname);
  const hostFits = pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host;
  return hostFits && (pattern.port === undefined || pattern.port === (url.port === '' ? defaultPort(url) : url.port));
};

/**
 * `*.acme.io` stands for one or more labels before it, never for `acme.io` itself. Case and a trailing dot do not
 * count; a pattern without a port allows every port. Throws a `Failure` with code `host_pattern_invalid`.
 */
export const createHostList = (patterns: readonly string[]): HostList => {
  const parsed = patterns.map(parsePattern);
  return {
    allows: (text) => {
      const url = typeof text === 'string' ? URL.parse(text) : text;
      return url !== null && parsed.some((pattern) => fits(pattern, url));
    },
  };
};
