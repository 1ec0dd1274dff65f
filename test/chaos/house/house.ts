/** The platform as a process of its own over a database (and a Redis) of its own, and a shipper who calls it. */
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { orderTo } from '../order.ts';
import type { Backend } from '../scenario.ts';
import { lookUntil, type Reply, send } from '../world/call.ts';
import { endChild, isReady, isRunning, startServer } from '../world/children.ts';
import { openDatabase } from '../world/postgres.ts';

const READY_WITHIN_MS = 180_000;
export const ADMIN = 'chaos-admin-token-that-is-only-for-this-run';

/** A profile of a carrier of the contract, with what else it says. */
export const contractProfile = (code: string, url: string, more = ''): string => `carrier: ${code}
name: Example
extends: contract
environments: { production: { url: ${JSON.stringify(url)} } }
${more}`;

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

interface CreateOptions {
  readonly packages?: number;
  /** It does not wait for the carrier. */
  readonly isAsync?: boolean;
}

export interface HouseOptions {
  /** By code. */
  readonly profiles: Readonly<Record<string, string>>;
  readonly backend: Backend;
  readonly env?: Readonly<Record<string, string>>;
  /** A file of `preload/`, loaded into each process before the server. */
  readonly preload?: string;
  /** Processes beside the first, which work and serve nobody, each with what differs in its environment. */
  readonly workers?: readonly Readonly<Record<string, string>>[];
  /** Of the row: told when it is closed, if one of its processes has ended by itself. */
  readonly violations: string[];
}

export interface House extends AsyncDisposable {
  readonly url: string;
  /** Its WAYBILL_HOME. */
  readonly home: string;
  readonly databaseUrl: string;
  readonly pool: Pool;
  /** Resident memory of the server, in bytes. */
  residentBytes(): Promise<number>;
  call(method: string, where: string, token: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The shipper's token; accounts at all carriers, with these credentials. */
  openShop(carriers: readonly string[], credentials?: Readonly<Record<string, string>>, code?: string): Promise<string>;
  create(shop: string, carrier: string, reference: string, options?: CreateOptions): Promise<Reply>;
  /** Of consignments whose reference is like this pattern of SQL. */
  dispatches(like?: string): Promise<readonly DispatchState[]>;
  /** A token by which the carrier pushes. */
  carrierToken(carrier: string): Promise<string>;
  /** What the server has logged. */
  log(): Promise<string>;
}

/** Starts the server and waits until it is ready. */
export const openHouse = async ({
  profiles,
  backend,
  env = {},
  preload,
  workers = [],
  violations,
}: HouseOptions): Promise<House> => {
  await using starting = new AsyncDisposableStack();
  const home = await makeHome(profiles);
  starting.defer(async () => await rm(home, { recursive: true, force: true }));
  const database = starting.use(await openDatabase());
  const redis = backend === 'redis' ? await startRedisServer() : undefined;
  if (redis !== undefined) starting.defer(redis.stop);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const errorLog = path.join(home, 'server.log');
  const environment = {
    WAYBILL_HOME: home,
    DATABASE_URL: database.databaseUrl,
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    WAYBILL_ADMIN_TOKEN: ADMIN,
    WAYBILL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: 'warn',
    ...(preload === undefined ? {} : { NODE_OPTIONS: `--import ${pathToFileURL(path.join(PRELOADS, preload)).href}` }),
    ...env,
  };
  const start = (role: string, own: Readonly<Record<string, string>>): ChildProcess => {
    const child = startServer(role, { env: { ...environment, ...own }, errorLog, cwd: home });
    child.stdout?.resume();
    starting.defer(async () => {
      if (!isRunning(child)) violations.unshift(`a process (${role}) is gone: ${child.signalCode ?? child.exitCode}`);
      await endChild(child);
    });
    return child;
  };
  const child = start('all', {});
  await untilReady(url, child, errorLog);
  for (const own of workers) start('worker', own);
  const call: House['call'] = async (method, where, token, body, headers) =>
    await send({ method, url: `${url}${where}`, token, body, ...(headers === undefined ? {} : { headers }) });
  const started = starting.move();
  return {
    url,
    home,
    databaseUrl: database.databaseUrl,
    pool: database.pool,
    residentBytes: async () => await residentBytesOf(child.pid ?? 0),
    call,
    openShop: async (carriers, credentials = CREDENTIALS, code = 'shop') =>
      await openShop(call, code, carriers, credentials),
    create: async (shop, carrier, reference, { packages, isAsync = false } = {}) => {
      const headers: Record<string, string> = isAsync ? { prefer: 'respond-async' } : {};
      return await call('POST', '/v2/consignments', shop, orderTo(carrier, reference, packages), headers);
    },
    dispatches: async (like = '%') => (await database.pool.query<DispatchState>(DISPATCHES, [like])).rows,
    carrierToken: async (carrier) =>
      String((await call('POST', `/admin/carriers/${carrier}/tokens`, ADMIN, {})).json.token),
    log: async () => await readFile(errorLog, 'utf8'),
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
};

const makeHome = async (profiles: HouseOptions['profiles']): Promise<string> => {
  const home = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-'));
  await mkdir(path.join(home, 'carriers'));
  for (const [code, profile] of Object.entries(profiles))
    await writeFile(path.join(home, 'carriers', `${code}.yaml`), profile);
  return home;
};

const PRELOADS = path.join(import.meta.dirname, '../preload');
const DISPATCHES = `
  select c.reference_number as reference, c.carrier_code as carrier, d.state, d.failure,
    (select p.tracking_number from packages p where p.consignment_id = c.id order by p.position limit 1) as "trackingNumber"
  from consignments c join dispatches d on d.consignment_id = c.id where c.reference_number like $1 order by d.id`;

const untilReady = async (url: string, child: ChildProcess, logFile: string): Promise<void> => {
  const look = async () => !isRunning(child) || (await isReady(url));
  if (!(await lookUntil(READY_WITHIN_MS, look, (isOver) => isOver)) || !isRunning(child))
    throw new Error(`the server did not get ready: ${await readFile(logFile, 'utf8')}`);
};

const CREDENTIALS = { token: 'carrier-secret-token' };

const openShop = async (
  call: House['call'],
  code: string,
  carriers: readonly string[],
  credentials: Readonly<Record<string, string>>,
): Promise<string> => {
  const shop = await call('POST', '/admin/shippers', ADMIN, { code, name: 'Example Shop' });
  for (const carrier of carriers) {
    const saved = await call('PUT', '/admin/accounts', ADMIN, { shipper: code, carrier, credentials });
    if (saved.status !== 200) throw new Error(`no account at ${carrier}: ${saved.text}`);
  }
  return String(shop.json.token);
};

const residentBytesOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
};
