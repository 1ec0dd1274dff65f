import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/platform/records/listener.ts';
import { createPool, transaction } from '../../../src/platform/records/pool.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { until } from '../../support/until.ts';

const database = freshDatabase();

const cutOthers = () =>
  database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);

const startListening = async (own: Partial<Parameters<typeof listen>[0]> = {}) => {
  const heard: string[] = [];
  let reconnects = 0;
  let losses = 0;
  const listener = await listen({ databaseUrl: database.databaseUrl, log: quietLog, ...own });
  onTestFinished(() => listener.close());
  await listener.hear('answers', {
    heard: (payload) => void heard.push(`answers: ${payload}`),
    lost: () => {
      losses += 1;
    },
    missed: () => {
      reconnects += 1;
    },
  });
  const other = { heard: (payload: string) => void heard.push(`Other channel: ${payload}`), missed: () => undefined };
  await listener.hear('Other channel', other);
  return { listener, heard, losses: () => losses, reconnects: () => reconnects };
};
const notify = (channel: string, payload: string) => database.rows('select pg_notify($1, $2)', channel, payload);
const poolWith = (own: Partial<Parameters<typeof createPool>[0]> = {}): Pool => {
  const pool = createPool({ databaseUrl: database.databaseUrl, log: quietLog, ...own });
  onTestFinished(() => pool.end());
  return pool;
};

/** It has a connection that lives. */
const expectAlive = async (pool: Pool) => expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);

describe('a pool', () => {
  it('reads bigint as an exact number, and days and zoneless times as text', async () => {
    const rows = await database.rows(`select 9007199254740991::bigint as most, count(*) as count,
      array[1, null, -2]::bigint[] as list, date '2026-03-29' as day, timestamp '2026-03-29 02:30' as local,
      timestamptz '2026-03-29T02:30:00+02:00' as instant, 1.10::numeric as amount from generate_series(1, 3)`);
    expect(rows).toEqual([
      {
        most: Number.MAX_SAFE_INTEGER,
        count: 3,
        list: [1, null, -2],
        day: '2026-03-29',
        local: '2026-03-29 02:30:00',
        instant: new Date('2026-03-29T00:30:00Z'),
        amount: '1.10',
      },
    ]);
  });

  it('fails rather than round a bigint', async () => {
    await expect(database.pool.query('select 9007199254740993::bigint as x')).rejects.toMatchObject({
      code: 'bigint_out_of_range',
    });
    await expectAlive(database.pool);
  });

  it('ends a statement that takes too long, and names itself', async () => {
    const pool = poolWith({ statementTimeoutMs: 1_500, applicationName: 'waybill-here' });
    await expect(pool.query('select pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
    expect((await pool.query('show application_name')).rows).toEqual([{ application_name: 'waybill-here' }]);
  });

  it('survives the loss of its connections, idle or in use', async () => {
    const log = recordingLog();
    const pool = poolWith({ log });
    await pool.query('select 1');
    await cutOthers();
    await until('the loss of the idle one is logged', () => log.lines.length === 1);
    const client = await pool.connect();
    const lost = once(client, 'error');
    await cutOthers();
    await lost;
    await expect(client.query('select 1')).rejects.toThrow();
    client.release(true);
    await expectAlive(pool);
  });

  it('prepares over few connections, which plan for all values and live on after a loss', async () => {
    const log = recordingLog();
    const databaseUrl = `${database.databaseUrl}?options=${encodeURIComponent('-c work_mem=5MB')}`;
    const pool = poolWith({ log, databaseUrl });
    const prepared = async () =>
      await pool.query<{ mode: string; own: string; pid: number }>({
        name: 'mode',
        text: `select current_setting('plan_cache_mode') as mode, current_setting('work_mem') as own,
          pg_backend_pid() as pid, pg_sleep(0.1)`,
      });
    const asked = await Promise.all(Array.from({ length: 10 }, prepared));
    const pids = new Set(asked.map(({ rows: [row] }) => row?.pid));
    expect(pids.size).toBe(4);
    const settings = new Set(asked.map(({ rows: [row] }) => `${row?.mode}, ${row?.own}`));
    expect([...settings]).toEqual(['force_generic_plan, 5MB']);
    expect((await pool.query('show plan_cache_mode')).rows).toEqual([{ plan_cache_mode: 'auto' }]);
    await cutOthers();
    await until('the loss of each is logged', () => log.lines.length === pids.size + 1);
    expect((await prepared()).rows).toHaveLength(1);
  });

  it('says nothing of connections that are lost once it ends', async () => {
    const log = recordingLog();
    const pool = createPool({ databaseUrl: database.databaseUrl, log });
    await pool.query('select 1');
    const ended = pool.end();
    pool.emit('error', new Error('terminating connection due to administrator command'), {});
    await ended;
    expect(log.lines).toEqual([]);
  });
});

const behindProxy = async () => {
  const url = new URL(database.databaseUrl);
  const proxy = await startSilentProxy(Number(url.port));
  url.port = String(proxy.port);
  onTestFinished(() => proxy.close());
  return { proxy, databaseUrl: url.href };
};
const poolBehindProxy = async () => {
  const { proxy, databaseUrl } = await behindProxy();
  return { proxy, pool: poolWith({ databaseUrl, statementTimeoutMs: 1_000, max: 1 }) };
};

describe('over a connection that fell silent', () => {
  it('a query ends a little after the time that a statement may take, and the next one has a connection that lives', async () => {
    const { proxy, pool } = await poolBehindProxy();
    await pool.query('select 1');
    proxy.swallow();
    const asked = pool.query('select 1');
    proxy.heal();
    await expect(asked).rejects.toThrow('Query read timeout');
    await expectAlive(pool);
  });

  it('a transaction ends with its first query that gets no answer: nothing is asked of a dead connection', async () => {
    const { proxy, pool } = await poolBehindProxy();
    const asked: string[] = [];
    const failing = transaction(pool, async (client) => {
      const query = client.query.bind(client) as (text: string) => Promise<unknown>;
      client.query = ((text: string) => {
        asked.push(text);
        return query(text);
      }) as typeof client.query;
      proxy.swallow();
      return await client.query('select 1');
    });
    await expect(failing).rejects.toThrow('Query read timeout');
    expect(asked).toEqual(['select 1']);
    proxy.heal();
    await expectAlive(pool);
  });

  it('a listener notices, and listens again', async () => {
    const { proxy, databaseUrl } = await behindProxy();
    const { heard, reconnects } = await startListening({ databaseUrl, provedEveryMs: 1_000 });
    proxy.swallow();
    proxy.heal();
    await until('it has a connection that lives', () => reconnects() === 1);
    await notify('answers', 'again');
    await until('it hears', () => heard.length === 1);
  });
});

describe('a transaction', () => {
  it('commits what it did', async () => {
    await database.pool.query('create table done (id int)');
    const result = await transaction(database.pool, async (client) => {
      await client.query('insert into done values (1)');
      return 'well';
    });
    expect(result).toBe('well');
    expect(await database.values('select id from done')).toEqual([1]);
  });

  it('leaves nothing behind when it rejects', async () => {
    await database.pool.query('create table undone (id int)');
    const failing = transaction(database.pool, async (client) => {
      await client.query('insert into undone values (1)');
      throw new Error('second thoughts');
    });
    await expect(failing).rejects.toThrow('second thoughts');
    expect(await database.values('select id from undone')).toEqual([]);
  });

  it('rejects when its connection is lost, and does not return it to the pool', async () => {
    const failing = transaction(database.pool, (client) =>
      client.query('select pg_terminate_backend(pg_backend_pid())'),
    );
    await expect(failing).rejects.toThrow();
    const again = await transaction(database.pool, (client) => client.query('select 1 as one'));
    expect(again.rows).toEqual([{ one: 1 }]);
  });
});

describe('listening', () => {
  it('hears its channels and no others', async () => {
    const { heard } = await startListening();
    await notify('answers', 'one');
    await notify('elsewhere', 'two');
    await notify('Other channel', '');
    await until('both are heard', () => heard.length === 2);
    expect(heard).toEqual(['answers: one', 'Other channel: ']);
  });

  it('comes back when its connection is cut, says so, and hears again', async () => {
    const { heard, losses, reconnects } = await startListening();
    for (const round of [1, 2]) {
      await cutOthers();
      await until('it is back', () => reconnects() === round);
      expect(losses()).toBe(round);
      await notify('answers', `after ${round}`);
      await until('it hears', () => heard.length === round);
    }
    expect(heard).toEqual(['answers: after 1', 'answers: after 2']);
  });

  it('keeps trying while the database takes no connections, and ends when told to', async () => {
    const log = recordingLog();
    const { listener, heard, reconnects } = await startListening({ log });
    const [name] = await database.values('select current_database()');
    const admin = poolWith({ databaseUrl: database.databaseUrl.replace(`/${name}`, '/postgres') });
    const allow = (isAllowed: boolean) => admin.query(`alter database ${name} with allow_connections ${isAllowed}`);
    await allow(false);
    await cutOthers();
    await until('it has tried in vain', () => log.lines.length >= 3);
    await allow(true);
    await until('it is back', () => reconnects() === 1);
    await notify('answers', 'again');
    await until('it hears', () => heard.length === 1);
    await allow(false);
    await cutOthers();
    await until('it tries again', () => log.lines.length >= 6);
    await listener.close();
    const tries = log.lines.length;
    await allow(true);
    await sleep(300);
    expect(log.lines.length).toBe(tries);
    expect(reconnects()).toBe(1);
  });

  it('rejects when it cannot start', async () => {
    const url = new URL(database.databaseUrl);
    url.port = '1';
    await expect(startListening({ databaseUrl: url.href })).rejects.toThrow('ECONNREFUSED');
  });
});
