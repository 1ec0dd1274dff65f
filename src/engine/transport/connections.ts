/** Connections to checked addresses only. */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import { Failure } from '../failure.ts';
import { type AddressPolicy, checkAddress, type Scheme } from './address.ts';

/** All addresses of a name, in the order to try them. Rejects with the system's `code`, as `ENOTFOUND`. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: ResolveName = (name) => systemLookup(name, { all: true });

/** One question at a time for each name, so that a name server that hangs cannot take every thread of the pool. */
const shareQuestions = (resolve: ResolveName): ResolveName => {
  const open = new Map<string, Promise<readonly LookupAddress[]>>();
  return (name) => {
    const question = open.get(name) ?? resolve(name).finally(() => open.delete(name));
    open.set(name, question);
    return question;
  };
};

/** The checked addresses of `name`. One forbidden address condemns the name: a `Failure` with the verdict's code. */
const resolveChecked = async (
  name: string,
  scheme: Scheme,
  policy: AddressPolicy,
  resolve: ResolveName,
): Promise<LookupAddress[]> => {
  const addresses = await resolve(name);
  for (const { address } of addresses) {
    const verdict = checkAddress(address, scheme, policy);
    if (!verdict.allowed) throw new Failure(`${name} may not be called: ${verdict.reason}`, { code: verdict.code });
  }
  if (addresses.length === 0) throw new Failure(`${name} has no address`, { code: 'name_not_found' });
  return [...addresses];
};

/**
 * The `lookup` of a socket: it connects to the very addresses that were checked, asked for once a connection, so a
 * name that changes its answer between check and use gains nothing.
 */
const guardedLookup =
  (scheme: Scheme, policy: AddressPolicy, resolve: ResolveName): LookupFunction =>
  (name, options, callback) => {
    callbackify(resolveChecked)(name, scheme, policy, resolve, (error, addresses) => {
      const first = error === null ? addresses[0] : undefined;
      if (first === undefined) callback(error ?? null, '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

export interface ConnectionOptions {
  /** At once, for each origin; 64. */
  readonly maxConnections?: number | undefined;
  /** How long an idle connection is kept; 4 s, less than servers do, so that few are met while being closed. */
  readonly idleMs?: number | undefined;
  /** PEM; instead of the system's. */
  readonly certificateAuthorities?: readonly string[] | undefined;
  readonly resolve?: ResolveName | undefined;
}

export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

/** As many as are sent to at once: those beyond it are closed when they are done, and opened anew a moment later. */
const IDLE_CONNECTIONS_MAX = 32;

/** Of a promise to keep a connection, which is of 2 s at least, how much is relied on. */
const PROMISE_MS = 1_000;

/** Connections of which the last answer said for how long their server keeps them. */
const promised = new WeakSet<Duplex>();

/** Notes what the answer promises of its connection. */
export const followPromise = (sent: ClientRequest): void => {
  sent.once('response', ({ socket, headers }) => {
    if (/^timeout=\d/.test(String(headers['keep-alive']))) promised.add(socket);
    else promised.delete(socket);
  });
};

const whilePromised = <Agent extends http.Agent>(agent: Agent): Agent => {
  const keep = agent.keepSocketAlive.bind(agent) as unknown as (socket: Duplex) => boolean;
  return Object.assign(agent, { keepSocketAlive: (socket: Duplex) => promised.has(socket) && keep(socket) });
};

/** The connections of one address policy: those that are likely to stand, and those that surely do. */
export const createConnections = (policy: AddressPolicy, options: ConnectionOptions) => {
  const { maxConnections = 64, idleMs = 4_000, certificateAuthorities } = options;
  const resolve = shareQuestions(options.resolve ?? resolveBySystem);
  const createPool = (timeout: number): Agents => {
    const common = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: IDLE_CONNECTIONS_MAX, timeout };
    return {
      http: new http.Agent({ ...common, lookup: guardedLookup('http', policy, resolve) }),
      https: new https.Agent({
        ...common,
        lookup: guardedLookup('https', policy, resolve),
        ...(certificateAuthorities !== undefined && { ca: [...certificateAuthorities] }),
      }),
    };
  };
  const fresh = createPool(PROMISE_MS);
  const pools = {
    keptAlive: createPool(idleMs),
    fresh: { http: whilePromised(fresh.http), https: whilePromised(fresh.https) },
  };
  return {
    ...pools,
    destroy: (): void => {
      for (const pool of Object.values(pools)) {
        pool.http.destroy();
        pool.https.destroy();
      }
    },
  };
};
