import { Failure } from '../failure.ts';

/** Hosts that were declared, as a profile's `hosts`. */
export interface HostList {
  /** Whether the URL's host is among them. What is no URL is not. */
  readonly allows: (url: string | URL) => boolean;
}

interface HostPattern {
  readonly host: string;
  readonly subdomains: boolean;
  /** `undefined`: any port. */
  readonly port: string | undefined;
}

const withoutTrailingDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

const invalid = (pattern: string, why: string): Failure =>
  new Failure(`The host pattern "${pattern}" ${why}`, {
    code: 'host_pattern_invalid',
    help: 'Write a host, as api.example.com, or all below one, as *.example.com, either with a port if you like',
  });

const parsePattern = (pattern: string): HostPattern => {
  const subdomains = pattern.startsWith('*.');
  const [, text = '', port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(subdomains ? pattern.slice(2) : pattern) ?? [];
  if (text === '' || /[*/?#@\\\s]/.test(text)) throw invalid(pattern, 'is not a host');
  // The URL parser brings any spelling of a host into the one that a request's URL will have.
  const url = URL.parse(`https://${text}`);
  if (url === null || url.port !== '') throw invalid(pattern, 'is not a host');
  if (Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) throw invalid(pattern, 'has a port that does not exist');
  const host = withoutTrailingDot(url.hostname);
  if (subdomains && (!host.includes('.') || /^[\d.]+$/.test(host))) throw invalid(pattern, 'is too wide');
  return { host, subdomains, port: port === undefined ? undefined : String(Number(port)) };
};

const defaultPort = (url: URL): string => (url.protocol === 'http:' ? '80' : '443');

const fits = (pattern: HostPattern, url: URL): boolean => {
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
