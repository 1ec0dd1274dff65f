import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFairSemaphore } from '../../../src/engine/fair-semaphore.ts';
import { until } from '../../support/until.ts';
import { apiWorld, order } from './world.ts';

/** Holds every connection of the pool; yields what gives them back. */
const holdAll = async ({ database: { pool } }: ReturnType<typeof apiWorld>) => {
  const held = await Promise.all(Array.from({ length: pool.options.max ?? 10 }, () => pool.connect()));
  return () => held.forEach((client) => client.release());
};

describe('a request that would only lengthen the line for the database', () => {
  const api = apiWorld();

  it('is told to come back', async () => {
    const { token } = await api.shop.opened();
    const giveBack = await holdAll(api);
    const line = Array.from({ length: 501 }, async () => (await api.database.pool.connect()).release());

    expect(await api.as(token).get('/v2/webhooks')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      body: { status: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('try again') },
    });
    expect((await api.call({ url: '/healthz' })).status).toBe(200);
    const pushed = api.as('x').post('/v2/carriers/acme/statuses');

    giveBack();
    await Promise.all(line);
    expect((await pushed).status).toBe(401);
    expect((await api.as(token).get('/v2/webhooks')).status).toBe(200);
    expect(api.log.lines).toEqual([]);
  });
});

describe('a request that the records keep waiting', () => {
  const api = apiWorld({
    answerWithinMs: 1_000,
    registerAccount: async () => {
      await sleep(1_500);
      return { kind: 'unknown' };
    },
  });

  it('has longer where a carrier is asked meanwhile', async () => {
    expect((await api.admin.post('/admin/accounts/7/register')).status).toBe(404);
  });

  it.each([
    ['GET', undefined],
    ['POST', {}],
  ] as const)('has its answer in time: %s', async (method, body) => {
    await api.shop.opened();
    const giveBack = await holdAll(api);
    expect(await api.shop.request(method, '/v2/webhooks', body)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { status: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('too long') },
    });
    giveBack();
  });
});

describe('one turn at a time', () => {
  const turns = createFairSemaphore({ atOnce: 1, lineMax: 3 });
  const carrierAnswers = Promise.withResolvers<boolean>();
  const api = apiWorld({ turns, turnWaitMs: 1_000, waitForDispatch: () => carrierAnswers.promise });
  const { shop } = api;
  const list = () => shop.get('/v2/webhooks');
  const isServed = async () => expect((await list()).status).toBe(200);
  const authorization = async () => `Bearer ${(await shop.opened()).token}`;

  let url = '';
  beforeAll(async () => {
    url = await api.app().listen({ host: '127.0.0.1', port: 0 });
  });

  /** Somebody else's turn. */
  const whileTaken = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const turn = await turns.enter('somebody', 1_000);
    if (typeof turn === 'string') throw new Error(`nobody had left: ${turn}`);
    return await act().finally(turn.leave);
  };

  it('a request whose turn does not come is told to come back, and so is one too many of a shipper', async () => {
    await shop.opened();
    const other = await api.newShipper();
    await whileTaken(async () => {
      const asked = Array.from({ length: 4 }, list);
      await Promise.race(asked);
      // The one too many: the others wait on.
      expect(turns.waiting()).toBe(3);
      asked.push(other.get('/v2/webhooks'));
      await until('another waits as well', () => turns.waiting() === 4);
      for (const { status, headers } of await Promise.all(asked))
        expect([status, headers['retry-after']]).toEqual([503, '2']);
    });
    expect((await other.get('/v2/webhooks')).status).toBe(200);
  });

  it('who waits for a carrier, or for the first of two equal requests, keeps nobody else waiting', async () => {
    await shop.opened();
    const key = { 'idempotency-key': 'twice' };
    const created = [shop.create(order(), key), shop.create(order(), key)];
    await sleep(400);
    for (let number = 0; number < 5; number += 1) await isServed();
    carrierAnswers.resolve(true);
    expect((await Promise.all(created)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('who dribbles a body has no turn until it is here', async () => {
    const headers = {
      authorization: await authorization(),
      'content-type': 'application/json',
      'content-length': 100,
    };
    const slow = request(`${url}/v2/consignments`, { method: 'POST', headers });
    slow.on('error', () => undefined);
    slow.write('{');
    await sleep(300);
    await isServed();
    slow.destroy();
  });

  it('comes back whatever becomes of a request: refused, unknown, or left by its client', async () => {
    await shop.create({ nonsense: true });
    await shop.get('/v2/consignments/unknown');
    const headers = { authorization: await authorization() };
    await whileTaken(async () => {
      const left = fetch(`${url}/v2/webhooks`, { headers, signal: AbortSignal.timeout(100) });
      await expect(left).rejects.toThrow('timeout');
    });
    await isServed();
    await whileTaken(() => Promise.resolve());
  });
});
