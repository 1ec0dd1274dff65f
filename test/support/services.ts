import { once } from 'node:events';
import { createServer } from 'node:http';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/records/embedded.ts';
import { migrate } from '../../src/platform/records/migrate.ts';
import { startRedisServer } from './redis-server.ts';
import { addMonths } from '../../src/platform/records/partitions.ts';
import { createPool } from '../../src/platform/records/pool.ts';
import { quietLog } from './log.ts';
import { whenWeAreGone } from './watchdog.ts';

const MIGRATIONS = fileURLToPath(new URL('../../src/platform/records/migrations', import.meta.url));
const TEMPLATE = 'waybill_template';
const ROOM_BYTES = 4 * 1024 ** 3;

export interface PostgresService {
  /** Of a database to connect to for making others. */
  readonly adminUrl: string;
  /** Migrated; to be cloned, not used. */
  readonly template: string;
}

export interface RedisService {
  readonly url: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servicesUrl: string;
  }
}

/**
 * Vitest's global setup. Test files ask this process for the servers of the run; each is started when first asked for,
 * so that a run without a database pays for none, and ended with the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stops: (() => Promise<void>)[] = [];
  await keepInMemory(stops);
  const started = new Map<string, Promise<PostgresService | RedisService>>();
  const service = (url: string) => {
    const known = started.get(url) ?? (url === '/redis' ? startRedis(stops) : startPostgres(stops));
    started.set(url, known);
    return known;
  };
  const server = createServer((request, response) => {
    service(request.url ?? '').then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => {
        response.statusCode = 500;
        response.end(error instanceof Error ? error.stack : String(error));
      },
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  project.provide('servicesUrl', `http://127.0.0.1:${(server.address() as { port: number }).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    for (const stop of stops.toReversed()) await stop();
  };
}

/**
 * Has this run and all that it starts keep temporary files in memory, where there is room: PostgreSQL makes some 350
 * files for each database, which a disk takes ten times as long for.
 */
async function keepInMemory(stops: (() => Promise<void>)[]): Promise<void> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  if (memory === undefined || memory.bavail * memory.bsize < ROOM_BYTES) return;
  const folder = await mkdtemp('/dev/shm/waybill-test-');
  // PostgreSQL's user passes through it.
  await chmod(folder, 0o711);
  process.env['TMPDIR'] = folder;
  stops.push(() => rm(folder, { recursive: true, force: true }));
  // After the servers that have their files there.
  whenWeAreGone('sleep 3; rm -rf "$1"', folder);
}

async function startPostgres(stops: (() => Promise<void>)[]): Promise<PostgresService> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-test-postgres-'));
  stops.push(() => rm(folder, { recursive: true, force: true }));
  whenWeAreGone('[ -d "$1" ] && kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 1; rm -rf "$1"', folder);
  const postgres = await startEmbeddedPostgres({ folder, log: quietLog, fsync: false });
  stops.push(() => postgres.stop());
  const template = new URL(postgres.databaseUrl);
  template.pathname = `/${TEMPLATE}`;
  const client = new Client({ connectionString: postgres.databaseUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  await migrate(template.href, MIGRATIONS);
  const pool = createPool({ databaseUrl: template.href, log: quietLog });
  await addMonths(pool, quietLog);
  await pool.end();
  return { adminUrl: postgres.databaseUrl, template: TEMPLATE };
}

async function startRedis(stops: (() => Promise<void>)[]): Promise<RedisService> {
  const server = await startRedisServer();
  stops.push(() => server.stop());
  return { url: server.url };
}
