import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'got';
import { type AddressPolicy, checkNetworks, judgeUrl } from './address.ts';
import { readBody } from './body.ts';
import { createByteBudget } from './budget.ts';
import { classifyAmbiguous, classifyNotSent } from './classify.ts';
import { createDecoder } from './decode.ts';
import { type ResolveName, resolveBySystem, shareQuestions } from './lookup.ts';
import { findOwnHeader, openStream } from './outgoing.ts';
import { createPools } from './pools.ts';
import { followProgress } from './progress.ts';
import type { NotSentCode, WireLimits, WireNotSent, WireOutcome, WireRequest, WireTimings } from './wire.ts';

export interface TransportOptions extends AddressPolicy {
  readonly userAgent: string;
  /** DNS, TCP and TLS, each; 10 s. Never longer than the request's own limit. */
  readonly connectTimeoutMs?: number | undefined;
  /** At once, for each origin; 64. */
  readonly maxConnections?: number | undefined;
  /** How long an idle connection is kept; 4 s, less than servers do, so that few are met while being closed. */
  readonly idleMs?: number | undefined;
  /** Of bodies being read, by all together; 32 MiB. Above it, or an eighth of it for a host, large answers take turns. */
  readonly maxReadingBytes?: number | undefined;
  /** PEM; instead of the system's. */
  readonly certificateAuthorities?: readonly string[] | undefined;
  readonly resolve?: ResolveName | undefined;
}

/** The one way out over HTTP. */
export interface Transport {
  /** Sends once and reads the whole answer. Never rejects, follows no redirect, tries nothing again. */
  readonly send: (request: WireRequest, limits: WireLimits) => Promise<WireOutcome>;
  /** Ends all connections; requests under way end as aborted. */
  readonly close: () => void;
}

const defaultReadingBytes = 32 * 1_048_576;
const reading = {
  /** Nearly all answers are smaller. */
  freeBytes: 262_144,
  /** 400 MB a second: more than a network brings, and what the collector keeps up with. */
  bytesPerPause: 4_000_000,
  pauseMs: 10,
};
const decodingAtOnce = 2;

const notSent = (code: NotSentCode, message: string): WireNotSent => ({ kind: 'not_sent', code, message });

const joinHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const timingsOf = (stream: Request): WireTimings => {
  const phases = stream.timings?.phases;
  const reused = stream.reusedSocket === true;
  return {
    totalMs: phases?.total ?? 0,
    ...(!reused && { dnsMs: phases?.dns, connectMs: phases?.tcp, tlsMs: phases?.tls }),
    firstByteMs: phases?.firstByte,
    reused,
  };
};

/** Resolves with the head of the answer. */
const headOf = (stream: Request): Promise<Response> =>
  new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
  });

/** Nobody asks for one; Node would hand the connection over, and nobody would close it. */
const refuseUpgrade = (sent: ClientRequest, stream: Request): void => {
  sent.once('upgrade', (_response, socket) => {
    socket.destroy();
    stream.destroy(
      Object.assign(new Error('The server changed the protocol unasked'), { code: 'ERR_UPGRADE_UNASKED' }),
    );
  });
};

/**
 * The HTTP client for carriers, labels, webhooks and token URLs. Addresses are guarded by `AddressPolicy`; a carrier
 * with private networks of its own gets a transport of its own, so that connections are never shared across policies.
 */
export const createTransport = (options: TransportOptions): Transport => {
  checkNetworks(options.allowedNetworks ?? []);
  const pools = createPools({
    policy: options,
    resolve: shareQuestions(options.resolve ?? resolveBySystem),
    maxConnections: options.maxConnections ?? 64,
    idleMs: options.idleMs ?? 4_000,
    certificateAuthorities: options.certificateAuthorities,
  });
  const sending = { userAgent: options.userAgent, connectTimeoutMs: options.connectTimeoutMs ?? 10_000, pools };
  const limitBytes = options.maxReadingBytes ?? defaultReadingBytes;
  const budget = createByteBudget({ ...reading, limitBytes, partyLimitBytes: limitBytes / 8 });
  const decoder = createDecoder(decodingAtOnce);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  const checkRequest = (request: WireRequest): { url: URL } | WireNotSent => {
    if (isClosed) return notSent('transport_closed', 'The transport was closed');
    const verdict = judgeUrl(request.url, options);
    if (!verdict.allowed) return notSent(verdict.code, verdict.reason);
    if (request.allowedHosts?.allows(verdict.url) === false) {
      return notSent('host_not_declared', `${verdict.url.host} is not among the declared hosts`);
    }
    const own = findOwnHeader(request.headers);
    if (own !== undefined) return notSent('request_invalid', `The header ${own} is set by the transport`);
    return { url: verdict.url };
  };

  const exchange = async (
    request: WireRequest,
    url: URL,
    limits: WireLimits,
    signal: AbortSignal,
  ): Promise<WireOutcome> => {
    const progress = followProgress(url.protocol === 'https:');
    const beganMs = performance.now();
    const share = budget.open(url.host);
    let stream: Request | undefined;
    let status: number | undefined;
    try {
      const opened = openStream(url, request, limits, signal, sending);
      stream = opened;
      stream.on('request', (sent: ClientRequest) => {
        progress.watch(sent);
        refuseUpgrade(sent, opened);
      });
      // A late error of a stream that is already given up has nowhere else to go.
      stream.on('error', () => share.release());
      stream.once('close', () => share.release());
      const response = await headOf(stream);
      status = response.statusCode;
      const received = await readBody(stream, limits.maxBytes, share);
      const turn = { party: url.host, waitMs: limits.timeoutMs - (performance.now() - beganMs) };
      const body = await decoder.decode(received, response.headers['content-encoding'] ?? '', limits.maxBytes, turn);
      const headers = joinHeaders(response.headers);
      return { kind: 'answer', status, headers, body, truncated: false, timings: timingsOf(stream) };
    } catch (error) {
      const stage = progress.stage();
      return stage === 'open' || status !== undefined
        ? classifyAmbiguous(error, status)
        : classifyNotSent(error, stage);
    } finally {
      stream?.destroy();
      share.release();
    }
  };

  const send = async (request: WireRequest, limits: WireLimits): Promise<WireOutcome> => {
    const checked = checkRequest(request);
    if ('kind' in checked) return checked;
    if (limits.signal?.aborted === true) return notSent('aborted', 'The request was called off before it was sent');
    const abort = new AbortController();
    const passOn = (): void => abort.abort();
    limits.signal?.addEventListener('abort', passOn, { once: true });
    underWay.add(abort);
    try {
      return await exchange(request, checked.url, limits, abort.signal);
    } finally {
      underWay.delete(abort);
      limits.signal?.removeEventListener('abort', passOn);
    }
  };

  return {
    send,
    close: () => {
      isClosed = true;
      for (const abort of underWay) abort.abort();
      pools.destroy();
    },
  };
};
