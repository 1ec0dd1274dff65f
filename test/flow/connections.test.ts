/** PostgreSQL has no connection left: at the start, and while there is work. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, queryAt } from '../support/database.ts';
import { until } from '../support/until.ts';
import { flowWorld } from './world.ts';

const flow = flowWorld({ isServing: false });
const role = `few_${randomBytes(4).toString('hex')}`;
let made: Awaited<ReturnType<typeof createDatabase>>;
let databaseUrl: string;

/** From now on the server's role may have so many; what is open stays. */
const allow = async (connections: number): Promise<unknown> =>
  await queryAt(made.databaseUrl, `alter role ${role} connection limit ${connections}`);

beforeAll(async () => {
  made = await createDatabase({ empty: true });
  const url = new URL(made.databaseUrl);
  await queryAt(made.databaseUrl, `create role ${role} login password 'few' connection limit 0`);
  await queryAt(made.databaseUrl, `alter database ${url.pathname.slice(1)} owner to ${role}`);
  [url.username, url.password] = [role, 'few'];
  databaseUrl = url.href;
});
afterAll(async () => {
  await flow.server?.close();
  const admin = new URL(made.databaseUrl);
  await made.drop();
  admin.pathname = '/postgres';
  await queryAt(admin.href, `drop role ${role}`);
});

const ready = async (): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${flow.server.url}/readyz`);
  return { status: response.status, text: await response.text() };
};

it('a server that finds none says so, and what to do', async () => {
  await expect(flow.serve({ databaseUrl })).rejects.toMatchObject({
    code: 'database_full',
    message: expect.stringMatching(/^the database of DATABASE_URL cannot be reached: too many connections for role/),
    help: expect.stringContaining('max_connections'),
  });
});

it('a server that loses all of its own is not ready, answers 503 before work is done, and goes on when there are some', async () => {
  await allow(-1);
  await flow.serve({ databaseUrl });
  await flow.openShop();
  await flow.create('FEW-1');
  await allow(0);
  await queryAt(made.databaseUrl, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
  await until('it is not ready, and says why', async () => {
    const { status, text } = await ready();
    return status === 503 && text.includes('too many connections for role');
  });
  expect(await flow.create('FEW-2')).toMatchObject({ status: 503 });
  await allow(-1);
  await until('it is ready', async () => (await ready()).status === 200);
  await until('it takes orders', async () => (await flow.create('FEW-2')).status === 200);
  expect(JSON.stringify((await flow.read('FEW-2')).body)).toContain('T-FEW-2-PKG-1');
});
