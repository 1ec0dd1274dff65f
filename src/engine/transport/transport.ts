/** The HTTP client for carriers, labels, webhooks and token URLs. */
import type { IncomingHttpHeaders } from 'node:http';
import { type AddressPolicy, checkNetworks, checkUrl } from './address.ts';
import { createUnpacker, readBody } from './body.ts';
import { createByteBudget } from './budget.ts';
import { type Opened, openByGot, openPlainly } from './clients.ts';
import { type ConnectionOptions, createConnections } from './connections.ts';
import { notSent, outcomeOfError, type Stage } from './errors.ts';
import type { WireLimits, WireNotSent, WireOutcome, WireRequest } from './wire.ts';

export interface TransportOptions extends AddressPolicy, ConnectionOptions {
  readonly userAgent: string;
  /** DNS, TCP and TLS, each; 10 s. Never longer than the request's own limit. */
  readonly connectTimeoutMs?: number | undefined;
  /** Of bodies being read, by all together; 32 MiB. Above it, or an eighth of it for a host, large answers take turns. */
  readonly maxReadingBytes?: number | undefined;
}

export interface Transport {
  /** Sends once and reads the whole answer. Never rejects, follows no redirect, tries nothing again. */
  readonly send: (request: WireRequest, limits: WireLimits) => Promise<WireOutcome>;
  /** Ends all connections; requests under way end as aborted. */
  readonly close: () => void;
}

/** How this platform names itself to carriers and receivers of webhooks. */
export const USER_AGENT = 'Waybill/0.1';

/** Nearly all answers are smaller than the free bytes; 400 MB a second is what the collector keeps up with. */
const READING = { freeBytes: 262_144, bytesPerPause: 4_000_000, pauseMs: 10 };
const READING_MAX_BYTES = 32 * 1_048_576;
const UNPACKED_AT_ONCE = 2;

/** Framing and routing are ours: a wrong one would split the request or send it past the declared host. */
const OWN_HEADERS =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

const joinHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/** Addresses are guarded by `AddressPolicy`. */
export const createTransport = (options: TransportOptions): Transport => {
  checkNetworks(options.allowedNetworks ?? []);
  const connections = createConnections(options, options);
  const limitBytes = options.maxReadingBytes ?? READING_MAX_BYTES;
  const budget = createByteBudget({ ...READING, limitBytes, partyLimitBytes: limitBytes / 8 });
  const unpack = createUnpacker(UNPACKED_AT_ONCE);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  const checkRequest = (request: WireRequest): { url: URL } | WireNotSent => {
    if (isClosed) return notSent('transport_closed', 'The transport was closed');
    const verdict = checkUrl(request.url, options);
    if (!verdict.allowed) return notSent(verdict.code, verdict.reason);
    if (request.allowedHosts?.allows(verdict.url) === false) {
      return notSent('host_not_declared', `${verdict.url.host} is not among the declared hosts`);
    }
    if (request.method === 'HEAD' && request.body !== undefined)
      return notSent('request_invalid', 'A HEAD request has no body');
    const own = Object.keys(request.headers).find((name) => OWN_HEADERS.test(name));
    if (own !== undefined) return notSent('request_invalid', `The header ${own} is set by the transport`);
    return { url: verdict.url };
  };

  const exchange = async (
    request: WireRequest,
    url: URL,
    { timeoutMs, maxBytes }: WireLimits,
    signal: AbortSignal,
  ): Promise<WireOutcome> => {
    const beganMs = performance.now();
    const share = budget.open(url.host);
    let stage: Stage = 'waiting';
    let opened: Opened | undefined;
    let status: number | undefined;
    try {
      opened = (request.isPlain === true ? openPlainly : openByGot)(url, request, {
        userAgent: options.userAgent,
        agents: request.freshConnection === true ? connections.fresh : connections.keptAlive,
        timeoutMs,
        connectMs: Math.min(options.connectTimeoutMs ?? 10_000, timeoutMs),
        signal,
        onStage: (reached) => (stage = reached),
        onClosed: share.release,
      });
      const head = await opened.head;
      status = head.status;
      const received = await readBody(head.body, maxBytes, share);
      const turn = { party: url.host, waitMs: timeoutMs - (performance.now() - beganMs) };
      const body = await unpack(received, head.headers['content-encoding'] ?? '', maxBytes, turn);
      return { kind: 'answer', status, headers: joinHeaders(head.headers), body };
    } catch (error) {
      return outcomeOfError(error, stage, status);
    } finally {
      opened?.destroy();
      share.release();
    }
  };

  return {
    send: async (request, limits) => {
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
    },
    close: () => {
      isClosed = true;
      for (const abort of underWay) abort.abort();
      connections.destroy();
    },
  };
};

/**
 * One transport for all, and one for each carrier that private networks were opened to. `networks`: ranges by carrier, an operator's word and never a profile's. Each such carrier has connections of its
 * own, so that none of them ever serves another.
 */
export const createTransports = (
  options: Omit<TransportOptions, 'allowedNetworks'>,
  networks: ReadonlyMap<string, readonly string[]>,
) => {
  /** For what is no carrier's, and for carriers that nothing was opened to. */
  const shared = createTransport(options);
  const own = new Map(
    [...networks].map(([carrier, allowedNetworks]) => [carrier, createTransport({ ...options, allowedNetworks })]),
  );
  return {
    shared,
    of: (carrier: string): Transport => own.get(carrier) ?? shared,
    close: (): void => {
      for (const transport of [shared, ...own.values()]) transport.close();
    },
  };
};
export type Transports = ReturnType<typeof createTransports>;
