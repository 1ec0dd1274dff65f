/** The platform's processes over a database (and a Redis) of their own, and what every row asks of them first. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { orderTo } from '../order.ts';
import type { ScenarioContext } from '../scenario.ts';
import { call, callFor, inTurns, type Reply } from './call.ts';
import { residentBytesOf } from './children.ts';
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { openDatabase, type Postgres } from './postgres.ts';
import { keepCommands } from './redis.ts';

export interface PlatformOptions extends Partial<Pick<FleetOptions, 'roles' | 'patches' | 'point' | 'ownEnv'>> {
  /** By carrier. */
  readonly profiles: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** A file of `preload/`, loaded into each process before the server. */
  readonly preload?: string;
  /** Default: the server that all rows share. */
  readonly postgres?: Postgres;
  /** What stands between: yields the URL that the processes are given. */
  readonly through?: {
    readonly database?: (url: string) => Promise<string>;
    readonly redis?: (url: string) => Promise<string>;
  };
  readonly readyWithinMs?: number;
}

/** What the records say of a dispatch. */
interface DispatchState {
  readonly carrier: string;
  readonly reference: string;
  readonly state: string;
  /** JSON. */
  readonly failure: string | null;
  /** Of its first package. */
  readonly trackingNumber: string | null;
}

interface ShopOptions {
  /** Those where it has an account. */
  readonly carriers?: readonly string[];
  readonly credentials?: (carrier: string) => Readonly<Record<string, string>>;
  readonly code?: string;
}

interface CreateOptions {
  readonly packages?: number;
  /** It does not wait for the carrier. */
  readonly isAsync?: boolean;
}

export interface Platform extends AsyncDisposable {
  readonly url: string;
  /** Its WAYBILL_HOME. */
  readonly home: string;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly redis: RedisServer | undefined;
  readonly fleet: Fleet;
  readonly adminToken: string;
  readonly secretKey: string;
  /** Resident memory of the first process, in bytes. */
  residentBytes(): Promise<number>;
  call(method: string, where: string, token: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Yields the token of a new shipper. */
  openShop(options?: ShopOptions): Promise<string>;
  /** Yields the secret of the subscription. */
  subscribe(shop: string, url: string): Promise<string>;
  /** Yields a token by which the carrier pushes. */
  carrierToken(carrier: string): Promise<string>;
  create(shop: string, carrier: string, reference: string, options?: CreateOptions): Promise<Reply>;
  /** Of consignments whose reference is like this pattern of SQL. */
  dispatches(like?: string): Promise<readonly DispatchState[]>;
  /** What the first process has logged. */
  log(): Promise<string>;
}

const DISPATCHES = `
  select c.reference_number as reference, c.carrier_code as carrier, d.state, d.failure,
    (select p.tracking_number from packages p where p.consignment_id = c.id order by p.position limit 1) as "trackingNumber"
  from consignments c join dispatches d on d.consignment_id = c.id where c.reference_number like $1 order by d.id`;
/** Accounts that are saved together. */
const AT_ONCE = 8;
const PRELOADS = path.join(import.meta.dirname, '../preload');

/** Of 32 bytes, in characters that every encoding writes otherwise. */
export const newSecret = (): string => `pl+${randomBytes(32).toString('base64')}`;

/** Starts its processes (one for all work unless told) and waits until they are ready. */
export const startPlatform = async (
  { folder, backend, patience }: ScenarioContext,
  options: PlatformOptions,
): Promise<Platform> => {
  const { profiles, env, preload, postgres, through, readyWithinMs = 60_000 * patience } = options;
  await using starting = new AsyncDisposableStack();
  const home = await mkdtemp(path.join(folder, 'home-'));
  await mkdir(path.join(home, 'carriers'));
  for (const [code, profile] of Object.entries(profiles))
    await writeFile(path.join(home, 'carriers', `${code}.yaml`), profile);
  const { databaseUrl, pool } = starting.use(await openDatabase(postgres));
  const redis = backend === 'redis' ? await startRedisServer() : undefined;
  if (redis !== undefined) {
    starting.defer(redis.stop);
    await keepCommands(redis.url);
  }
  const redisUrl = redis?.url ?? '';
  const [adminToken, secretKey] = [newSecret(), randomBytes(32).toString('base64')];
  const { roles = ['all'], patches = [], point, ownEnv } = options;
  const fleet = await startFleet({
    roles,
    patches,
    point,
    ownEnv,
    readyWithinMs,
    folder: home,
    env: {
      WAYBILL_HOME: home,
      DATABASE_URL: (await through?.database?.(databaseUrl)) ?? databaseUrl,
      REDIS_URL: redisUrl === '' ? '' : ((await through?.redis?.(redisUrl)) ?? redisUrl),
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://waybill.example',
      WAYBILL_ADMIN_TOKEN: adminToken,
      WAYBILL_SECRET_KEY: secretKey,
      ALLOW_PRIVATE_NETWORKS: 'true',
      LOG_LEVEL: 'warn',
      ...(preload === undefined
        ? {}
        : { NODE_OPTIONS: `--import ${pathToFileURL(path.join(PRELOADS, preload)).href}` }),
      ...env,
    },
  });
  starting.defer(fleet.stop);
  const url = fleet.urls[0] ?? '';
  const ask: Platform['call'] = async (method, where, token, body, headers = {}) =>
    await call({ method, url: `${url}${where}`, token, body, headers });
  const admin = async <Body>(method: string, where: string, body: object): Promise<Body> =>
    await callFor<Body>({ method, url: `${url}${where}`, token: adminToken, body });
  const started = starting.move();
  return {
    url,
    home,
    databaseUrl,
    pool,
    redis,
    fleet,
    adminToken,
    secretKey,
    residentBytes: async () => await residentBytesOf(fleet.members[0]?.child.pid),
    call: ask,
    openShop: async ({ carriers = [], credentials = () => ({}), code = 'shop' } = {}) => {
      const { token } = await admin<{ token: string }>('POST', '/admin/shippers', { code, name: 'Example Shop' });
      const save = async (carrier: string): Promise<void> =>
        await admin('PUT', '/admin/accounts', { shipper: code, carrier, credentials: credentials(carrier) });
      await inTurns(AT_ONCE, carriers, save);
      return token;
    },
    subscribe: async (token, to) => {
      const body = { url: to, orderTypes: ['FORWARD'] };
      return (await callFor<{ secret: string }>({ method: 'POST', url: `${url}/v2/webhooks`, token, body })).secret;
    },
    carrierToken: async (carrier) =>
      (await admin<{ token: string }>('POST', `/admin/carriers/${carrier}/tokens`, {})).token,
    create: async (shop, carrier, reference, { packages, isAsync = false } = {}) => {
      const headers: Record<string, string> = isAsync ? { prefer: 'respond-async' } : {};
      return await ask('POST', '/v2/consignments', shop, orderTo(carrier, reference, packages), headers);
    },
    dispatches: async (like = '%') => (await pool.query<DispatchState>(DISPATCHES, [like])).rows,
    log: async () => await readFile(fleet.logs[0] ?? '', 'utf8'),
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
};
