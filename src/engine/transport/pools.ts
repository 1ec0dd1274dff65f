import http from 'node:http';
import https from 'node:https';
import type { AddressPolicy } from './address.ts';
import { createGuardedLookup, type ResolveName } from './lookup.ts';

export interface PoolOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveName;
  /** At once, for each origin. */
  readonly maxConnections: number;
  /** How long an idle connection is kept. */
  readonly idleMs: number;
  /** PEM; instead of the system's. */
  readonly certificateAuthorities?: readonly string[] | undefined;
}

interface Pool {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

export interface Pools {
  readonly keptAlive: Pool;
  /** Every request on a connection of its own. */
  readonly fresh: Pool;
  readonly destroy: () => void;
}

const maxIdleConnections = 8;

/** The connections of one address policy. Each connection's address is checked when it is opened. */
export const createPools = (options: PoolOptions): Pools => {
  const { policy, resolve, maxConnections, idleMs, certificateAuthorities } = options;

  const createPool = (keepAlive: boolean): Pool => {
    const common = {
      keepAlive,
      maxSockets: maxConnections,
      maxFreeSockets: maxIdleConnections,
      ...(keepAlive && { timeout: idleMs }),
    };
    return {
      http: new http.Agent({ ...common, lookup: createGuardedLookup('http', policy, resolve) }),
      https: new https.Agent({
        ...common,
        lookup: createGuardedLookup('https', policy, resolve),
        ...(certificateAuthorities !== undefined && { ca: [...certificateAuthorities] }),
      }),
    };
  };

  const keptAlive = createPool(true);
  const fresh = createPool(false);
  return {
    keptAlive,
    fresh,
    destroy: () => {
      for (const agent of [keptAlive.http, keptAlive.https, fresh.http, fresh.https]) agent.destroy();
    },
  };
};
