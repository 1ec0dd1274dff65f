import { describe, expect, it } from 'vitest';
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
