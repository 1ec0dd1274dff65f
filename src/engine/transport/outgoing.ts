import got, { type Request, type StreamOptions } from 'got';
import { acceptedEncodings } from './decode.ts';
import type { Pools } from './pools.ts';
import type { WireLimits, WireRequest } from './wire.ts';

const maxHeaderBytes = 65_536;

/** Framing and routing are ours: a wrong one would split the request or send it past the declared host. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The first header of the request that the transport sets itself, if there is one. */
export const findOwnHeader = (headers: Readonly<Record<string, string>>): string | undefined =>
  Object.keys(headers).find((name) => ownHeaders.has(name.toLowerCase()));

/** What is the same for all requests of a transport. */
export interface SendingOptions {
  readonly userAgent: string;
  readonly connectTimeoutMs: number;
  readonly pools: Pools;
}

const lowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const gotOptions = (
  request: WireRequest,
  limits: WireLimits,
  signal: AbortSignal,
  options: SendingOptions,
): StreamOptions => {
  const { body, tls } = request;
  const connectMs = Math.min(options.connectTimeoutMs, limits.timeoutMs);
  return {
    method: request.method,
    headers: { 'user-agent': options.userAgent, 'accept-encoding': acceptedEncodings, ...lowerNames(request.headers) },
    ...(body !== undefined && { body, allowGetBody: true }),
    timeout: { request: limits.timeoutMs, lookup: connectMs, connect: connectMs, secureConnect: connectMs },
    agent: request.freshConnection === true ? options.pools.fresh : options.pools.keptAlive,
    ...(tls !== undefined && {
      https: {
        certificate: tls.certificate,
        key: tls.key,
        ...(tls.passphrase !== undefined && { passphrase: tls.passphrase }),
      },
    }),
    signal,
  };
};

const client = got.extend({
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  // The decoder does it, within bounds.
  decompress: false,
  http2: false,
  maxHeaderSize: maxHeaderBytes,
});

const needsEnd = (request: WireRequest): boolean =>
  request.body === undefined && request.method !== 'GET' && request.method !== 'HEAD';

/** Starts a request. What fails comes as `error` of the stream. */
export const openStream = (
  url: URL,
  request: WireRequest,
  limits: WireLimits,
  signal: AbortSignal,
  options: SendingOptions,
): Request => {
  const stream = client.stream(url, gotOptions(request, limits, signal, options));
  if (needsEnd(request)) stream.end();
  return stream;
};
