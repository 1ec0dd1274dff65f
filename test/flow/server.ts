import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EXTENSIONS } from '../../src/cli/extensions.ts';
import type { Companion } from '../../src/platform/processes/companion.ts';
import { type Role, serve } from '../../src/platform/processes/serve.ts';
import { freePort } from '../../simulator/demo/server.ts';
import { until } from '../support/until.ts';

export const ADMIN = 'flow-test-admin-token-that-is-only-for-this-run';

const SHIM = path.resolve(import.meta.dirname, '../../src/cli/waybill.js');

/** The minimal profile of the language's reference, as written there but for where the carrier lives. */
export const minimalProfile = (url: string): string => `carrier: plain
name: Plain Carrier
environments:
  production: { url: '${url}' }
credentials:
  token: { secret: true }
auth: { bearer: { token: '\${credentials.token}' } }
`;

export const makeHome = async (profiles: Readonly<Record<string, string>>): Promise<string> => {
  const home = await mkdtemp(path.join(tmpdir(), 'waybill-flow-'));
  for (const [code, profile] of Object.entries(profiles)) {
    const file = path.join(home, 'carriers', `${code}.yaml`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, profile);
  }
  return home;
};

export interface Where {
  readonly home: string;
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly role?: Role;
  /** What runs beside the platform; of a process of its own, always all. */
  readonly companions?: readonly Companion[] | undefined;
}

export const environmentOf = ({ home, databaseUrl, redisUrl, env }: Where, port: number): Record<string, string> => ({
  WAYBILL_HOME: home,
  DATABASE_URL: databaseUrl,
  ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  WAYBILL_ADMIN_TOKEN: ADMIN,
  WAYBILL_SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
  ALLOW_PRIVATE_NETWORKS: 'true',
  LOG_LEVEL: 'silent',
  STOP_DELAY_MS: '0',
  ...env,
});

/** The server in this process, on a port of its own. */
export const startServer = async (where: Where, logTo?: { write(line: string): void }) => {
  const port = await freePort();
  const env = environmentOf(where, port);
  const { role = 'all', companions = [] } = where;
  const server = await serve({ role, env, print: () => {}, logTo, extensions: EXTENSIONS, companions });
  return { ...server, url: env['PUBLIC_URL']! };
};

/** The server as a process of its own, to be stopped or killed. */
export const spawnServer = async (where: Where): Promise<{ readonly url: string; readonly child: ChildProcess }> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, WORKER_PORT: String(port), ...environmentOf(where, port) };
  const child = spawn(process.execPath, [SHIM, 'serve', '--role', where.role ?? 'all'], { env, stdio: 'ignore' });
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
  await until('the server is ready', isReady);
  return { url, child };
};

export interface Reply {
  readonly status: number;
  readonly body: Record<string, never>;
}

export const call = async (url: string, token: string, request: RequestInit): Promise<Reply> => {
  const type = request.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${token}`, ...type, ...(request.headers as object) };
  const response = await fetch(url, { ...request, headers });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, never> };
};
