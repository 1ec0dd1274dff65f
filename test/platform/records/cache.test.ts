import type { Pool } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findAccountById, findAccountId, saveAccount } from '../../../src/platform/records/accounts.ts';
import { forget, openCache, remember } from '../../../src/platform/records/cache.ts';
import { deleteFacility, findFacility, saveFacility } from '../../../src/platform/records/facilities.ts';
import { listen } from '../../../src/platform/records/listener.ts';
import { createPool, transaction } from '../../../src/platform/records/pool.ts';
import { findShipperById, saveShipper } from '../../../src/platform/records/shippers.ts';
import { findBearer, issueToken, replaceToken, revokeToken } from '../../../src/platform/records/tokens.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { ownerOfEachTest, sealer } from './world.ts';

const HOUR_MS = 3_600_000;

const details = (city: string) => ({ address: { city } }) as never;

describe('what a process remembers', () => {
  const database = freshDatabase();
  const owner = ownerOfEachTest(database);
  const by = { actor: 'admin', now: new Date() };

  /** A process of its own, and how many statements it has made. */
  const newProcess = async () => {
    const pool = createPool({ databaseUrl: database.databaseUrl, log: quietLog, max: 2 });
    const listener = await listen({ databaseUrl: database.databaseUrl, log: quietLog });
    onTestFinished(async () => {
      await listener.close();
      await pool.end();
    });
    await openCache(pool, listener);
    let asked = 0;
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    pool.query = ((...args: unknown[]) => {
      asked += 1;
      return query(...args);
    }) as typeof pool.query;
    const statements = async (act: () => Promise<unknown>): Promise<number> => {
      const before = asked;
      await act();
      return asked - before;
    };
    return { pool, statements };
  };
  const issue = async (expiresAt?: Date) => {
    const bearer = { kind: 'shipper', ...owner, code: 'x' } as const;
    return await transaction(database.pool, (client) => issueToken(client, bearer, { ...by, expiresAt }));
  };
  const account = { carrierCode: 'acme' };
  const accountKey = () => ({ ...owner, ...account });
  const save = async (pool: Pool, apiKey: string) =>
    await saveAccount(pool, sealer, accountKey(), { credentials: { apiKey }, settings: {} });

  it('is asked of the records once', async () => {
    const { token } = await issue();
    const id = await save(database.pool, 'one');
    await saveFacility(database.pool, owner, 'HUB', details('Hamburg'));
    const { pool, statements } = await newProcess();
    const all = async () => {
      expect(await findBearer(pool, token, by.now)).toMatchObject({ kind: 'shipper', ...owner });
      expect(await findShipperById(pool, owner.shipperId)).toMatchObject({ name: 'Example Shop' });
      expect(await findAccountId(pool, accountKey())).toBe(id);
      expect(await findAccountById(pool, sealer, id)).toMatchObject({ credentials: { apiKey: 'one' } });
      expect(await findFacility(pool, owner, 'HUB')).toMatchObject({ code: 'HUB' });
    };
    expect(await statements(all)).toBe(5);
    expect(await statements(all)).toBe(0);
  });

  it('is also that a shipper has no facility with a code, until there is one', async () => {
    const [here, there] = [await newProcess(), await newProcess()];
    const cityIn = async ({ pool }: typeof here) => (await findFacility(pool, owner, 'NEW'))?.details.address.city;
    for (const one of [here, there]) {
      expect(await cityIn(one)).toBeUndefined();
      expect(await one.statements(async () => await cityIn(one))).toBe(0);
    }
    await saveFacility(here.pool, owner, 'NEW', details('Rotterdam'));
    expect(await cityIn(here)).toBe('Rotterdam');
    await until('the other has heard', async () => (await cityIn(there)) === 'Rotterdam');
    await deleteFacility(here.pool, owner, 'NEW');
    await until('the other has heard that too', async () => (await cityIn(there)) === undefined);
  });

  it('is as it was changed, at once in the process that changed it and soon in the others', async () => {
    const [here, there] = [await newProcess(), await newProcess()];
    const id = await save(database.pool, 'one');
    await saveFacility(database.pool, owner, 'HUB', details('Hamburg'));
    const seenBy = async ({ pool }: typeof here) => [
      (await findAccountById(pool, sealer, id))?.credentials['apiKey'],
      (await findFacility(pool, owner, 'HUB'))?.details.address.city,
      (await findShipperById(pool, owner.shipperId))?.name,
    ];
    for (const one of [here, there]) expect(await seenBy(one)).toEqual(['one', 'Hamburg', 'Example Shop']);
    const [code = ''] = await database.values('select code from shippers where id = $1', owner.shipperId);
    await save(here.pool, 'two');
    forget(here.pool, 'accounts', id);
    await saveFacility(here.pool, owner, 'HUB', details('Kiel'));
    await saveShipper(here.pool, { code, name: 'Renamed', details: undefined });
    forget(here.pool, 'shippers', owner.shipperId);
    expect(await seenBy(here)).toEqual(['two', 'Kiel', 'Renamed']);
    await until('the other sees it', async () => (await seenBy(there)).join() === 'two,Kiel,Renamed');
    await deleteFacility(here.pool, owner, 'HUB');
    expect(await findFacility(here.pool, owner, 'HUB')).toBeUndefined();
    await until('the other sees that too', async () => (await findFacility(there.pool, owner, 'HUB')) === undefined);
  });

  it('accepts no token that was revoked, whoever revoked it', async () => {
    const [here, there] = [await newProcess(), await newProcess()];
    const { id, token } = await issue();
    for (const { pool } of [here, there]) expect(await findBearer(pool, token, by.now)).toBeDefined();
    await revokeToken(here.pool, id, by);
    expect(await findBearer(here.pool, token, by.now)).toBeUndefined();
    await until('the other has heard', async () => (await findBearer(there.pool, token, by.now)) === undefined);
  });

  it('accepts no token beyond its end, nor one that was replaced beyond the overlap', async () => {
    const { pool } = await newProcess();
    const at = (ms: number) => new Date(by.now.getTime() + ms);
    const { id, token } = await issue(at(2 * HOUR_MS));
    expect(await findBearer(pool, token, by.now)).toBeDefined();
    expect(await findBearer(pool, token, at(2 * HOUR_MS))).toBeUndefined();
    await replaceToken(pool, id, { ...by, overlapMs: HOUR_MS });
    expect(await findBearer(pool, token, at(HOUR_MS - 1))).toBeDefined();
    expect(await findBearer(pool, token, at(HOUR_MS))).toBeUndefined();
  });

  it('says nothing of a token whose secret is wrong', async () => {
    const { pool, statements } = await newProcess();
    const { token } = await issue();
    await findBearer(pool, token, by.now);
    const wrong = `${token.slice(0, -4)}xxxx`;
    for (let times = 0; times < 2; times += 1)
      expect(await statements(async () => expect(await findBearer(pool, wrong, by.now)).toBeUndefined())).toBe(1);
    expect(await statements(() => findBearer(pool, token, by.now))).toBe(0);
  });
});

describe('what is remembered', () => {
  const database = freshDatabase();
  const owner = ownerOfEachTest(database);
  const hearers: Parameters<Awaited<ReturnType<typeof listen>>['hear']>[1][] = [];
  let pool: Pool;
  beforeAll(async () => {
    pool = database.pool;
    const listener = { hear: (_: string, hearer: (typeof hearers)[0]) => Promise.resolve(void hearers.push(hearer)) };
    await openCache(pool, { ...listener, close: () => Promise.resolve() });
  });
  const nameNow = async () => (await findShipperById(pool, owner.shipperId))?.name;
  const rename = async (name: string) =>
    await database.rows('update shippers set name = $1 where id = $2', name, owner.shipperId);

  const ask = async (key: number, value: number) =>
    await remember(pool, ['accounts', key], () => Promise.resolve({ value }));

  it('is nothing while changes cannot be heard', async () => {
    const [hearer] = hearers;
    expect(await nameNow()).toBe('Example Shop');
    await rename('Unheard');
    expect(await nameNow()).toBe('Example Shop');
    hearer?.lost?.();
    expect(await nameNow()).toBe('Unheard');
    await rename('While away');
    expect(await nameNow()).toBe('While away');
    hearer?.missed();
    expect(await nameNow()).toBe('While away');
    await rename('Back');
    expect(await nameNow()).toBe('While away');
  });

  it('is never what was read before a change', async () => {
    const read = Promise.withResolvers<{ version: number }>();
    const first = remember(pool, ['shippers', 'x'], () => read.promise);
    hearers[0]?.heard('shippers:x');
    read.resolve({ version: 1 });
    expect(await first).toEqual({ version: 1 });
    expect(await remember(pool, ['shippers', 'x'], () => Promise.resolve({ version: 2 }))).toEqual({ version: 2 });
  });

  it('has a bound', async () => {
    for (let key = 0; key < 10_050; key += 1) await ask(key, 1);
    expect([await ask(0, 2), await ask(10_049, 2)]).toEqual([{ value: 2 }, { value: 1 }]);
  });
});
