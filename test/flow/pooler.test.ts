/** The platform behind a pooler in transaction mode: every transaction may have another connection. */
import { expect, it, onTestFinished } from 'vitest';
import { createPool, transaction } from '../../src/platform/records/pool.ts';
import { createDatabase, freshDatabase } from '../support/database.ts';
import { quietLog } from '../support/log.ts';
import { describePooler, startPooler } from '../support/pgbouncer.ts';
import { until } from '../support/until.ts';
import { flowWorld } from './world.ts';

describePooler('behind a pooler', () => {
  const database = freshDatabase();
  const poolBehind = async () => {
    const pooler = await startPooler(database.databaseUrl);
    onTestFinished(pooler.stop);
    const pool = createPool({ databaseUrl: pooler.url, isPooled: true, log: quietLog, max: 12 });
    onTestFinished(() => pool.end());
    return pool;
  };

  it('statements with a name go to whatever connection is free', async () => {
    const pool = await poolBehind();
    const ask = async (number: number) =>
      (await pool.query({ name: 'sum', text: 'select $1::int + 1 as sum, pg_sleep(0.01)', values: [number] })).rows[0];
    const sums = await Promise.all(Array.from({ length: 60 }, async (_, number) => await ask(number)));
    expect(sums.map((row) => (row as { sum: number }).sum)).toEqual(
      Array.from({ length: 60 }, (_, number) => number + 1),
    );
  });

  it('a transaction has its limits, and leaves none behind', async () => {
    const pool = await poolBehind();
    const limitOf = `select current_setting('statement_timeout') as limit`;
    const inside = await transaction(pool, async (client) => (await client.query(limitOf)).rows[0]);
    expect(inside).toEqual({ limit: '25s' });
    const outside = await Promise.all(Array.from({ length: 20 }, async () => (await pool.query(limitOf)).rows[0]));
    expect(new Set(outside.map((row) => (row as { limit: string }).limit))).toEqual(new Set(['0']));
  });

  const flow = flowWorld({ isServing: false });

  it('a shipment goes its way: API and workers apart hear of one another past it', async () => {
    const { databaseUrl, drop } = await createDatabase({ empty: true });
    onTestFinished(drop);
    const pooler = await startPooler(databaseUrl);
    onTestFinished(pooler.stop);
    const env = { DATABASE_LISTEN_URL: databaseUrl, WORKER_PORT: 'off' };
    const where = { databaseUrl: pooler.url, env };
    await flow.serve({ ...where, role: 'worker' });
    onTestFinished(flow.server.close);
    await flow.serve({ ...where, role: 'api' });
    onTestFinished(flow.server.close);
    await flow.openShop();
    await flow.subscribe();
    const replies = await Promise.all(Array.from({ length: 20 }, async (_, n) => await flow.create(`POOLED-${n}`)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(JSON.stringify(replies)).toContain('T-POOLED-19-PKG-1');
    await flow.push({
      value: 'T-POOLED-7-PKG-1',
      carrierStatusCode: 'Order Picked Up',
      statusReceivedAt: '2030-05-02 08:15:00',
    });
    await until('all webhooks have come', () => flow.receiver.received.length >= 21);
  });
});
