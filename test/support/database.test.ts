import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createDatabase, freshDatabase } from './database.ts';

const database = freshDatabase();

it('a fresh database has the migrations applied, and is not the one of the next', async () => {
  const { rows } = await database.pool.query('select count(*) as applied from schema_migration');
  expect(rows[0]).toEqual({ applied: expect.any(Number) as unknown });
  await database.pool.query('create table only_here (id int)');
  const other = await createDatabase();
  const client = new Client({ connectionString: other.databaseUrl });
  await client.connect();
  expect((await client.query(`select to_regclass('only_here') as found`)).rows).toEqual([{ found: null }]);
  await client.end();
  await other.drop();
});

it('a connection that is left open is told of, and the database dropped all the same', async () => {
  const leaking = await createDatabase({ empty: true });
  const client = new Client({ connectionString: leaking.databaseUrl, application_name: 'forgotten' });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('select 42');
  await expect(leaking.drop()).rejects.toThrow('forgotten: select 42');
  await client.end().catch(() => undefined);
  const { rows } = await database.pool.query(`select 1 from pg_database where datname = $1`, [
    new URL(leaking.databaseUrl).pathname.slice(1),
  ]);
  expect(rows).toEqual([]);
});
