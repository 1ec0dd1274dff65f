/** The platform as a process of its own over a database (and a Redis) of its own, and a shipper who calls it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { whenWeAreGone } from '../../support/watchdog.ts';
import type { Backend } from '../scenario.ts';
import { openRecords } from './records.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const READY_WITHIN_MS = 180_000;
export const ADMIN = 'chaos-admin-token-that-is-only-for-this-run';

export interface HouseOptions {
  /** By code. */
  readonly profiles: Readonly<Record<string, string>>;
  readonly backend: Backend;
  readonly env?: Readonly<Record<string, string>>;
  /** Processes beside the first, which work and serve nobody, each with what differs in its environment. */
  readonly workers?: readonly Readonly<Record<string, string>>[];
  /** Of the row: told when it is closed, if one of its processes has ended by itself. */
  readonly violations: string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape are looked into
  readonly json: any;
}

export interface House {
  readonly url: string;
  /** Its WAYBILL_HOME. */
  readonly home: string;
  readonly databaseUrl: string;
  readonly pool: Pool;
  /** Resident memory of the server, in bytes. */
  residentBytes(): Promise<number>;
  call(method: string, where: string, token: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The shipper's token; accounts at all carriers, with these credentials. */
  openShop(carriers: readonly string[], credentials?: Readonly<Record<string, string>>, code?: string): Promise<string>;
  loadedCarriers(): Promise<readonly string[]>;
  /** What the server has logged. */
  log(): Promise<string>;
  close(): Promise<void>;
}

/** Starts the server and waits until it is ready. */
export const openHouse = async ({
  profiles,
  backend,
  env = {},
  workers = [],
  violations,
}: HouseOptions): Promise<House> => {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).toReversed()) await end();
  };
  try {
    const home = await makeHome(profiles);
    closing.push(async () => await rm(home, { recursive: true, force: true }));
    const records = await openRecords();
    closing.push(records.close);
    const redis = backend === 'redis' ? await startRedisServer() : undefined;
    if (redis !== undefined) closing.push(redis.stop);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const logFile = path.join(home, 'server.log');
    const environment = {
      WAYBILL_HOME: home,
      DATABASE_URL: records.databaseUrl,
      ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      WAYBILL_ADMIN_TOKEN: ADMIN,
      WAYBILL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ALLOW_PRIVATE_NETWORKS: 'true',
      LOG_LEVEL: 'warn',
      ...env,
    };
    const start = (role: string, own: Readonly<Record<string, string>>): ChildProcess => {
      const child = spawnServer(logFile, role, { ...environment, ...own });
      closing.push(async () => {
        if (!isRunning(child)) violations.unshift(`a process (${role}) is gone: ${child.signalCode ?? child.exitCode}`);
        await endChild(child);
      });
      return child;
    };
    const child = start('all', {});
    await untilReady(url, child, logFile);
    for (const own of workers) start('worker', own);
    const call: House['call'] = async (method, where, token, body, headers = {}) =>
      await callAt(`${url}${where}`, method, token, body, headers);
    return {
      url,
      home,
      databaseUrl: records.databaseUrl,
      pool: records.pool,
      residentBytes: async () => await residentBytesOf(child.pid ?? 0),
      call,
      openShop: async (carriers, credentials = CREDENTIALS, code = 'shop') =>
        await openShop(call, code, carriers, credentials),
      loadedCarriers: async () => {
        const { json } = await call('GET', '/admin/carriers', ADMIN);
        return (json.carriers as { code: string }[]).map(({ code }) => code);
      },
      log: async () => await readFile(logFile, 'utf8'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const makeHome = async (profiles: HouseOptions['profiles']): Promise<string> => {
  const home = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-'));
  await mkdir(path.join(home, 'carriers'));
  for (const [code, profile] of Object.entries(profiles))
    await writeFile(path.join(home, 'carriers', `${code}.yaml`), profile);
  return home;
};

const spawnServer = (logFile: string, role: string, env: Readonly<Record<string, string>>): ChildProcess => {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [path.join(ROOT, 'src/cli/waybill.js'), 'serve', '--role', role], {
    cwd: env['WAYBILL_HOME'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  whenWeAreGone('grep -aq waybill "/proc/$1/cmdline" && kill -KILL "$1"', String(child.pid));
  return child;
};

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

const endChild = async (child: ChildProcess): Promise<void> => {
  if (!isRunning(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

const untilReady = async (url: string, child: ChildProcess, logFile: string): Promise<void> => {
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await sleep(50)) {
    if (!isRunning(child)) break;
    const ready = await fetch(`${url}/readyz`).then(
      async (response) => (await response.text(), response.ok),
      () => false,
    );
    if (ready) return;
  }
  throw new Error(`the server did not get ready: ${await readFile(logFile, 'utf8')}`);
};

/** `undefined` where it cannot be read as JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const callAt = async (
  url: string,
  method: string,
  token: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> => {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
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
