import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool, type QueryResultRow } from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { createPool } from '../../src/platform/records/pool.ts';
import { quietLog } from './log.ts';
import type { PostgresService } from './services.ts';

export interface TestDatabase {
  readonly databaseUrl: string;
  /** Ended with the file; one's own pools and connections are to be ended by the test that made them. */
  readonly pool: Pool;
  rows<Row extends QueryResultRow>(sql: string, ...values: readonly unknown[]): Promise<Row[]>;
  /** The first column of what a query finds. */
  values<Value = string>(sql: string, ...values: readonly unknown[]): Promise<Value[]>;
}

/**
 * A database for this test file, with all migrations applied, dropped after it. Call it at the top of the file or of a
 * `describe`; its fields are there once the tests run. A connection that is still open at the end fails the file.
 */
export function freshDatabase(): TestDatabase {
  const rows = async (sql: string, ...values: unknown[]) =>
    (await fresh.pool.query<Record<string, never>>(sql, values)).rows;
  const values = async (sql: string, ...of: unknown[]) => (await rows(sql, ...of)).map((row) => Object.values(row)[0]);
  const fresh = { rows, values } as unknown as { -readonly [Field in keyof TestDatabase]: TestDatabase[Field] };
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const made = await createDatabase();
    fresh.databaseUrl = made.databaseUrl;
    fresh.pool = createPool({ databaseUrl: made.databaseUrl, log: quietLog, applicationName: 'test' });
    drop = made.drop;
  });
  afterAll(async () => {
    if (drop === undefined) return;
    await fresh.pool.end();
    await drop();
  });
  return fresh;
}

/**
 * Makes a database by hand: migrated, or an empty one. `drop` throws, after it dropped it, when connections were open.
 */
export async function createDatabase({ empty = false } = {}): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const response = await fetch(`${inject('servicesUrl')}/postgres`);
  if (!response.ok) throw new Error(await response.text());
  const { adminUrl, template } = (await response.json()) as PostgresService;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await connected(adminUrl, (admin) =>
    admin.query(`create database ${name} template ${empty ? 'template0' : template}`),
  );
  const databaseUrl = new URL(adminUrl);
  databaseUrl.pathname = `/${name}`;
  return {
    databaseUrl: databaseUrl.href,
    async drop() {
      const leaked = await connected(adminUrl, async (admin) => {
        const open = await openConnections(admin, name);
        await admin.query(`drop database if exists ${name} with (force)`);
        return open;
      });
      if (leaked.length > 0) throw new Error(`connections left open by this file: ${leaked.join('; ')}`);
    },
  };
}

/** The rows of a query over a connection of its own. */
export const queryAt = <Row extends QueryResultRow>(databaseUrl: string, sql: string): Promise<Row[]> =>
  connected(databaseUrl, async (client) => (await client.query<Row>(sql)).rows);

/** What is still connected a second after it should have gone. */
async function openConnections(admin: Client, name: string): Promise<readonly string[]> {
  let open: readonly string[] = [];
  for (let tries = 0; tries < 40; tries += 1) {
    const { rows } = await admin.query<{ what: string }>(
      `select format('%s: %s', application_name, left(query, 120)) as what from pg_stat_activity
       where datname = $1 and backend_type = 'client backend'`,
      [name],
    );
    open = rows.map(({ what }) => what);
    if (open.length === 0) break;
    await sleep(25);
  }
  return open;
}

async function connected<Result>(url: string, fn: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, application_name: 'test-admin' });
  await client.connect();
  try {
    return await fn(client);
  } finally {
    await client.end();
  }
}
