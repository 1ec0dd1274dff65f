import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFairSemaphore } from '../../../src/engine/fair-semaphore.ts';
import { changed, leastOrder } from '../../engine/consignment/orders.ts';
import { apiUnderTest } from './harness.ts';

const api = apiUnderTest();

it('a request that would only lengthen the line for the database is told to come back', async () => {
  const shipper = await api.newShipper();
  const { pool } = api.database;
  const holding = await Promise.all(Array.from({ length: pool.options.max ?? 10 }, async () => await pool.connect()));
  const line = Array.from({ length: 501 }, async () => (await pool.connect()).release());

  const refused = await shipper('GET', '/v2/webhooks');
  expect(refused).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
  expect(refused.data).toMatchObject({ status: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('try again') });
  expect((await api.call({ method: 'GET', url: '/healthz' })).statusCode).toBe(200);
  const pushed = api.call({
    method: 'POST',
    url: '/v2/carriers/acme/statuses',
    headers: { authorization: 'Bearer x' },
  });

  for (const client of holding) client.release();
  await Promise.all(line);
  expect((await pushed).statusCode).toBe(401);
  expect((await shipper('GET', '/v2/webhooks')).statusCode).toBe(200);
  expect(api.log.lines).toEqual([]);
});

describe('a request that the records keep waiting', () => {
  const hasty = apiUnderTest({ answerWithinMs: 1_000 });

  it.each(['GET', 'POST'] as const)('has its answer in time: %s', async (method) => {
    const shipper = await hasty.newShipper();
    const { pool } = hasty.database;
    const holding = await Promise.all(Array.from({ length: pool.options.max ?? 10 }, async () => await pool.connect()));
    const late = await shipper(method, '/v2/webhooks', method === 'GET' ? undefined : {});
    expect(late).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
    expect(late.data).toMatchObject({ status: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('too long') });
    for (const client of holding) client.release();
  });
});

describe('one turn at a time', () => {
  const turns = createFairSemaphore({ atOnce: 1, lineMax: 3 });
  const carrierAnswers = Promise.withResolvers<void>();
  const narrow = apiUnderTest({ turns, turnWaitMs: 1_000, waitForDispatch: async () => await carrierAnswers.promise });

  let url = '';
  beforeAll(async () => {
    url = await narrow.app().listen({ host: '127.0.0.1', port: 0 });
  });

  /** Somebody else's turn. */
  const whileTaken = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const turn = await turns.enter('somebody', 1_000);
    if (typeof turn === 'string') throw new Error(`nobody had left: ${turn}`);
    return await act().finally(turn.leave);
  };

  it('a request whose turn does not come is told to come back, and so is one too many of a shipper', async () => {
    const shipper = await narrow.newShipper();
    const other = await narrow.newShipper();
    await whileTaken(async () => {
      const asked = Array.from({ length: 4 }, async () => await shipper('GET', '/v2/webhooks'));
      await Promise.race(asked);
      // The one too many: the others wait on.
      expect(turns.waiting()).toBe(3);
      for (const { statusCode, headers } of await Promise.all(asked))
        expect([statusCode, headers['retry-after']]).toEqual([503, '2']);
    });
    expect((await other('GET', '/v2/webhooks')).statusCode).toBe(200);
  });

  it('who waits for a carrier, or for the first of two equal requests, keeps nobody else waiting', async () => {
    const shipper = await narrow.newShipper();
    const body = changed(leastOrder(), { 'consignmentDetails.referenceNumber': 'R-waits' });
    const key = { 'idempotency-key': 'twice' };
    const created = [shipper.create(body, key), shipper.create(body, key)];
    await sleep(400);
    for (let number = 0; number < 5; number += 1) expect((await shipper('GET', '/v2/webhooks')).statusCode).toBe(200);
    carrierAnswers.resolve();
    expect((await Promise.all(created)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  });

  it('who dribbles a body has no turn until it is here', async () => {
    const shipper = await narrow.newShipper();
    const slow = request(`${url}/v2/consignments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shipper.token}`,
        'content-type': 'application/json',
        'content-length': 100,
      },
    });
    slow.on('error', () => undefined);
    slow.write('{');
    await sleep(300);
    expect((await shipper('GET', '/v2/webhooks')).statusCode).toBe(200);
    slow.destroy();
  });

  it('comes back whatever becomes of a request: refused, unknown, or left by its client', async () => {
    const shipper = await narrow.newShipper();
    await shipper.create({ nonsense: true });
    await shipper('GET', '/v2/consignments/unknown');
    await whileTaken(async () => {
      const headers = { authorization: `Bearer ${shipper.token}` };
      const left = fetch(`${url}/v2/webhooks`, { headers, signal: AbortSignal.timeout(100) });
      await expect(left).rejects.toThrow('timeout');
    });
    expect((await shipper('GET', '/v2/webhooks')).statusCode).toBe(200);
    await whileTaken(() => Promise.resolve());
  });
});
