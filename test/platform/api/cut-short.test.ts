import type { Pool } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { apiWorld, order } from './world.ts';

/** Of queries that this fits, whoever asks hears no more, and PostgreSQL goes on. */
let lost: RegExp | undefined;
const left: Promise<unknown>[] = [];
const pool = new Proxy({} as Pool, {
  get: (_nothing, name) => {
    const real = api.database.pool;
    const value = Reflect.get(real, name, real) as unknown;
    if (name !== 'query') return typeof value === 'function' ? (value.bind(real) as unknown) : value;
    return async (query: string | { text: string }, values?: unknown[]) => {
      const asked = real.query(query as string, values);
      if (lost?.test(typeof query === 'string' ? query : query.text) !== true) return await asked;
      left.push(asked.catch(() => undefined));
      throw new Error('Connection terminated unexpectedly');
    };
  },
});
const api = apiWorld({ pool });
const { shop } = api;

afterEach(async () => {
  lost = undefined;
  await Promise.all(left.splice(0));
});

const ACCEPT = /insert into consignments/;
const consignments = () => api.sql('select reference_number from consignments order by 1');

/** While this lasts PostgreSQL does not come to the end of an accept; yields what ends it. */
const holdAccepts = async () => {
  const holder = await api.database.pool.connect();
  await holder.query('begin; lock table packages in share mode');
  return async () => {
    await holder.query('rollback');
    holder.release();
  };
};
const waiting = async (): Promise<number> => {
  const [{ n }] = await api.sql(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return n;
};

it('A create whose answer is lost and that is cancelled then is not answered as created', async () => {
  await shop.opened();
  lost = ACCEPT;
  expect((await shop.create(order())).status).toBe(503);
  await Promise.all(left.splice(0));
  lost = undefined;
  expect((await shop.cancel()).body).toMatchObject({ successCount: 1 });
  expect((await shop.create(order())).status).toBe(409);
});

describe.each([
  ['without a key', {}],
  ['with a key', { 'idempotency-key': 'k1' }],
])('A create %s whose answer is lost', (_, headers) => {
  const create = () => shop.create(order(), headers);

  it('is accepted once and answered as one, though PostgreSQL was still at it when its repeat came', async () => {
    await shop.opened();
    const before = await consignments();
    const letGo = await holdAccepts();
    lost = ACCEPT;
    expect((await create()).status).toBe(503);
    await until('the accept is under way', async () => (await waiting()) === 1);
    // Nor does it hear of the second.
    const second = create();
    expect((await second).status).toBe(503);
    lost = undefined;
    const third = create();
    await until('all three wait', async () => (await waiting()) === 3);
    await letGo();
    expect(await third).toMatchObject({ status: 200, body: { data: [{ trackingDetails: [{}] }] } });
    expect(await consignments()).toHaveLength(before.length + 1);
  });

  it('is answered as often as it is asked for', async () => {
    await shop.opened();
    lost = ACCEPT;
    expect((await create()).status).toBe(503);
    await Promise.all(left.splice(0));
    lost = /from dispatches/;
    expect((await create()).status).toBe(503);
    lost = undefined;
    for (let time = 0; time < 2; time += 1) expect((await create()).status).toBe(200);
  });

  it('is known again also where the records could not be told at first', async () => {
    await shop.opened();
    const away = `create function away() returns trigger language plpgsql as $$ begin raise 'away'; end $$`;
    await api.sql(`${away}; create trigger away before insert on cut_short execute function away()`);
    lost = ACCEPT;
    expect((await create()).status).toBe(503);
    lost = undefined;
    await api.sql('drop function away cascade');
    expect((await create()).status).toBe(200);
  });

  it('is another’s where the order is another', async () => {
    await shop.opened();
    lost = ACCEPT;
    expect((await create()).status).toBe(503);
    lost = undefined;
    await until(
      'it is recorded',
      async () => (await shop.get('/v2/consignments?referenceNumber=REF-1')).status === 200,
    );
    const other = order({ 'consignmentDetails.orderNumber': 'ORD-2' });
    expect((await shop.create(other, { ...headers, 'idempotency-key': 'k2' })).status).toBe(409);
    expect((await shop.create(other)).status).toBe(409);
    expect((await create()).status).toBe(200);
  });
});
