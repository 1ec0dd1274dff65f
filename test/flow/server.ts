import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Pool } from 'pg';
import { type Role, serve, type Server } from '../../src/platform/processes/serve.ts';
import { freePort } from '../../simulator/demo/server.ts';

export const ADMIN = 'flow-test-admin-token-that-is-only-for-this-run';

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
  await mkdir(path.join(home, 'carriers'));
  for (const [code, profile] of Object.entries(profiles))
    await writeFile(path.join(home, 'carriers', `${code}.yaml`), profile);
  return home;
};

export interface Where {
  readonly home: string;
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
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

export interface Running extends Server {
  readonly url: string;
}

/** The server in this process, on a port of its own. */
export const startServer = async (
  where: Where,
  role: Role = 'all',
  logTo?: { write(line: string): void },
): Promise<Running> => {
  const port = await freePort();
  const server = await serve({ role, env: environmentOf(where, port), print: () => {}, logTo });
  return { ...server, url: `http://127.0.0.1:${port}` };
};

export interface Reply {
  readonly status: number;
  readonly body: Record<string, never>;
}

export const call = async (
  url: string,
  method: string,
  token: string,
  body?: unknown,
  headers = {},
): Promise<Reply> => {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, never> };
};

/** A shipper with a token and an account at the minimal carrier. */
export const openShop = async (url: string): Promise<string> => {
  const shipper = await call(`${url}/admin/shippers`, 'POST', ADMIN, { code: 'shop', name: 'Example Shop' });
  await call(`${url}/admin/accounts`, 'PUT', ADMIN, {
    shipper: 'shop',
    carrier: 'plain',
    environment: 'production',
    credentials: { token: 'carrier-token-1' },
    settings: {},
  });
  return String(shipper.body['token']);
};

/** Databases of tests are clones of one, but must not share what is named after them on a shared Redis. */
export const renameInstallation = async (pool: Pool): Promise<void> => {
  await pool.query('update installation set id = gen_random_uuid()');
};
