// The platform as anyone would run it: a process of its own, spoken to over HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const READY_WITHIN_MS = 60_000;

export interface Platform {
  readonly url: string;
  readonly adminToken: string;
  call(method: string, path: string, token: string, body?: unknown): Promise<Reply>;
  stop(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly bytes: Buffer;
  readonly type: string;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

/** Starts `waybill serve` in this home and waits until it says that it is ready. */
export async function startPlatform(home: string, env: Readonly<Record<string, string>>): Promise<Platform> {
  const port = await freePort();
  const adminToken = 'demo-admin-token-that-is-only-for-this-run!';
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [path.join(PROJECT, 'src/cli/waybill.js'), 'serve'], {
    cwd: home,
    env: {
      ...process.env,
      ...env,
      WAYBILL_HOME: home,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      WAYBILL_ADMIN_TOKEN: adminToken,
      WAYBILL_SECRET_KEY: process.env['WAYBILL_SECRET_KEY'] ?? Buffer.alloc(32, 7).toString('base64'),
      ALLOW_PRIVATE_NETWORKS: 'true',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  await untilReady(url, child);
  return {
    url,
    adminToken,
    call: async (method, where, token, body) => {
      const response = await fetch(url + where, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(40_000),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const type = response.headers.get('content-type') ?? '';
      const isJson = type.includes('json');
      const parsed = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
      return { status: response.status, body: parsed, bytes, type };
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill('SIGKILL');
  throw new Error(`the server was not ready within ${READY_WITHIN_MS / 1_000} s`);
}
