/** Connections to Redis or Valkey: one server, a cluster, or whatever server its sentinels say is the master. */
import { once } from 'node:events';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { Failure } from '../../engine/failure.ts';

interface RedisAddress {
  readonly mode: 'single' | 'cluster' | 'sentinel';
  readonly isEncrypted: boolean;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** What the sentinels call the master. */
  readonly master: string;
  readonly database: number;
  readonly sentinelPassword: string | undefined;
  /** Passwords, decoded and as the URL has them. */
  readonly secrets: readonly string[];
}

export const REDIS_URL_RULE =
  'must be redis://host:port, redis+cluster://host:port,host:port or redis+sentinel://host:port,host:port/master; rediss for TLS';

const FORM = /^redis(s?)(?:\+(cluster|sentinel))?:\/\/(?:([^/?]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const PORTS = { single: 6_379, cluster: 6_379, sentinel: 26_379 };

/** Undefined: not a URL of Redis. */
export const readRedisUrl = (url: string): RedisAddress | undefined => {
  const [found, encrypted, mode = 'single', credentials = '', hosts = '', path = '', query = ''] = FORM.exec(url) ?? [];
  if (found === undefined || !isMode(mode) || (mode === 'single' && URL.parse(url) === null)) return undefined;
  try {
    const [user = '', ...rest] = credentials.split(':').map(decodeURIComponent);
    const password = rest.length === 0 ? undefined : rest.join(':');
    // A plus sign is one, as it is before the hosts.
    const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
    const sentinelPassword = parameters.get('sentinelPassword') ?? undefined;
    const raw = [
      credentials.slice(credentials.indexOf(':') + 1),
      ...query.split('&').flatMap((each) => /^(?:sentinelP|p)assword=(.*)/.exec(each)?.[1] ?? []),
    ];
    const [master = '', database = '0'] = path.split('/').map(decodeURIComponent);
    const parsed = hosts.split(',').map((host) => new URL(`redis://${host}`));
    if (mode === 'sentinel' && master === '') return undefined;
    return {
      mode,
      isEncrypted: encrypted === 's',
      hosts: parsed.map(({ hostname, port }) => ({
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(port === '' ? PORTS[mode] : port),
      })),
      username: user === '' ? undefined : user,
      password,
      master,
      database: Number(database),
      sentinelPassword,
      secrets: [password, sentinelPassword, parameters.get('password'), password && raw[0], ...raw.slice(1)].flatMap(
        (secret) => secret || [],
      ),
    };
  } catch {
    return undefined;
  }
};

const isMode = (text: string): text is RedisAddress['mode'] => text in PORTS;

/** A connection's own settings; what all have in common is here. */
type Own = Pick<
  RedisOptions,
  'commandTimeout' | 'socketTimeout' | 'maxRetriesPerRequest' | 'enableOfflineQueue' | 'connectTimeout'
>;
type RedisClient = Redis | Cluster;

export interface RedisConnections {
  /** A new connection, which comes back by itself whenever it was lost. */
  connect(own: Own): RedisClient;
  /** The same, once it is there, or soon afterwards: a Redis that is down must not keep the server from starting. */
  connectSoon(own: Own): Promise<RedisClient>;
  close(): void;
}

/** Enough for a Redis that is there. */
const FIRST_CONNECTION_MS = 2_000;
const retryStrategy = (times: number): number => Math.min(100 * times, 2_000);

/** Opens nothing yet; throws a Failure `queue_url_invalid`. */
export const redisAt = (url: string, report: (fields: object, error: unknown) => void): RedisConnections => {
  const address = readRedisUrl(url);
  if (address === undefined) throw new Failure(`REDIS_URL ${REDIS_URL_RULE}`, { code: 'queue_url_invalid' });
  const clients: RedisClient[] = [];
  const watch = <Client extends RedisClient>(client: Client): Client => {
    client.on('error', (error: Error) => report({ backend: 'redis' }, error));
    client.setMaxListeners(50);
    // BullMQ duplicates a client to block on, and stops listening to it before it is gone.
    const duplicate = client.duplicate.bind(client) as (...given: unknown[]) => RedisClient;
    Object.assign(client, { duplicate: (...given: unknown[]) => watch(duplicate(...given)) });
    clients.push(client);
    return client;
  };
  const connect = (own: Own): RedisClient => watch(open(url, address, own));
  return {
    connect,
    connectSoon: async (own) => {
      const client = connect(own);
      await once(client, 'ready', { signal: AbortSignal.timeout(FIRST_CONNECTION_MS) }).catch(() => undefined);
      return client;
    },
    close: () => {
      for (const client of clients) client.disconnect();
    },
  };
};

const open = (
  url: string,
  { mode, isEncrypted, hosts, username, password, master, database, sentinelPassword }: RedisAddress,
  { enableOfflineQueue = true, ...own }: Own,
): RedisClient => {
  const options = {
    connectTimeout: 10_000,
    keepAlive: 10_000,
    // After a failover the old primary is a read-only replica.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...own,
  };
  if (mode === 'single') return new Redis(url, { ...options, enableOfflineQueue, retryStrategy });
  const access = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isEncrypted ? { tls: {} } : {}),
  };
  if (mode === 'cluster') {
    return new Cluster([...hosts], {
      redisOptions: { ...options, ...access },
      enableOfflineQueue,
      clusterRetryStrategy: retryStrategy,
      // A certificate is for a name, not for the address that it resolves to.
      ...(isEncrypted ? { dnsLookup: (name, found) => found(null, name) } : {}),
    });
  }
  return new Redis({
    ...options,
    ...access,
    enableOfflineQueue,
    retryStrategy,
    sentinels: [...hosts],
    name: master,
    db: database,
    sentinelRetryStrategy: retryStrategy,
    ...(isEncrypted ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  });
};
