import { describe, expect, it } from 'vitest';
import { createRateLimiter, createLimits, sourceOf } from '../../../src/platform/api/rate-limit.ts';
import { fakeClock } from '../../support/clock.ts';
import { apiUnderTest } from './harness.ts';

describe('a limit', () => {
  it('grants a whole minute’s worth at once, and then as time passes', () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ perMinute: 60, nowMs: clock.now });
    for (let asked = 0; asked < 60; asked += 1) expect(limiter.take('a')).toEqual({ ok: true });
    expect(limiter.take('a')).toEqual({ ok: false, retryAfterMs: 1_000 });
    clock.advance(400);
    expect(limiter.take('a')).toEqual({ ok: false, retryAfterMs: expect.closeTo(600) });
    clock.advance(600);
    expect(limiter.take('a')).toEqual({ ok: true });
    expect(limiter.take('a').ok).toBe(false);
  });

  it('is each key’s own, and never grows beyond full', () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ perMinute: 1, nowMs: clock.now });
    expect([limiter.take('a').ok, limiter.take('a').ok, limiter.take('b').ok]).toEqual([true, false, true]);
    clock.advance(86_400_000);
    expect([limiter.take('a').ok, limiter.take('a').ok]).toEqual([true, false]);
  });

  it('looked at takes nothing', () => {
    const limiter = createRateLimiter({ perMinute: 1, nowMs: fakeClock().now });
    expect([limiter.look('a').ok, limiter.look('a').ok, limiter.take('a').ok, limiter.look('a').ok]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('forgets the key that was not used for the longest time', () => {
    const limiter = createRateLimiter({ perMinute: 1, nowMs: fakeClock().now, keysMax: 2 });
    for (const key of ['a', 'b', 'a', 'c']) limiter.take(key);
    expect([limiter.look('a').ok, limiter.look('b').ok, limiter.look('c').ok]).toEqual([false, true, false]);
  });

  it('fills nothing when the clock is set back', () => {
    const clock = fakeClock();
    const limiter = createRateLimiter({ perMinute: 1, nowMs: clock.now });
    limiter.take('a');
    clock.advance(-3_600_000);
    expect(limiter.take('a')).toEqual({ ok: false, retryAfterMs: 60_000 });
  });

  it('of 0 is none', () => {
    const limiter = createRateLimiter({ perMinute: 0, nowMs: fakeClock().now });
    for (let asked = 0; asked < 1_000; asked += 1) expect(limiter.take('a').ok).toBe(true);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('of %s the source is %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});

describe('a token', () => {
  const api = apiUnderTest({}, { limits: (nowMs) => createLimits({ perMinute: 6, nowMs }) });

  it('that asks too often is told when to come back, in the spec’s shape', async () => {
    const [busy, calm] = [await api.newShipper(), await api.newShipper()];
    for (let asked = 0; asked < 6; asked += 1) expect((await busy('GET', '/v2/webhooks')).statusCode).toBe(200);
    const refused = await busy.create({});
    expect(refused).toMatchObject({ statusCode: 429, headers: { 'retry-after': '10' } });
    expect(refused.data).toEqual({
      timestamp: expect.stringMatching(/GMT\+0000$/),
      status: 'TOO_MANY_REQUESTS',
      message: 'Too many requests with this token; try again in 10 s',
      errors: ['Too many requests with this token; try again in 10 s'],
    });
    expect((await calm('GET', '/v2/webhooks')).statusCode).toBe(200);
    api.clock.advance(10_000);
    expect((await busy('GET', '/v2/webhooks')).statusCode).toBe(200);
    expect((await busy('GET', '/v2/webhooks')).statusCode).toBe(429);
  });

  it('is limited at labels, too; a link without one is not', async () => {
    const busy = await api.newShipper();
    const url = '/v2/labels/AAAAAAAAAAAAAAAAAAAAAAAA';
    for (let asked = 0; asked < 6; asked += 1) expect((await busy('GET', url)).statusCode).toBe(404);
    expect((await busy('GET', url)).statusCode).toBe(429);
    expect((await api.call({ url })).statusCode).toBe(404);
  });

  it('of a carrier is limited, too, and another of that carrier’s is not with it', async () => {
    const push = async (token: string) => await api.as(token)('POST', '/v2/carriers/acme/statuses', []);
    const tokens = [];
    for (let issued = 0; issued < 2; issued += 1)
      tokens.push((await api.admin('POST', '/admin/carriers/acme/tokens')).data.token as string);
    const [leaked = '', genuine = ''] = tokens;
    for (let pushed = 0; pushed < 6; pushed += 1) expect((await push(leaked)).statusCode).toBe(200);
    expect(await push(leaked)).toMatchObject({ statusCode: 429, headers: { 'retry-after': '10' } });
    expect((await push(genuine)).statusCode).toBe(200);
    const { rows } = await api.database.pool.query('select count(*) from pushes');
    expect(rows[0]?.count).toBe(7);
  });
});

const wrong = (n: number) => `wb_shipper_abc${n}_${'x'.repeat(43)}`;

describe('wrong tokens', () => {
  const api = apiUnderTest(
    {},
    { limits: (nowMs) => createLimits({ perMinute: 1_000, wrongTokensPerMinute: 5, nowMs }) },
  );
  const from = async (remoteAddress: string, token: string, url = '/v2/webhooks') =>
    await api.call({ url, remoteAddress, headers: { authorization: `Bearer ${token}` } });

  it('are limited by the address they come from; tokens known as right go on there', async () => {
    const [shipper, stranger] = [await api.newShipper(), await api.newShipper()];
    expect((await from('192.0.2.1', shipper.token)).statusCode).toBe(200);
    for (let tried = 0; tried < 5; tried += 1) expect((await from('192.0.2.1', wrong(tried))).statusCode).toBe(401);
    const refused = await from('192.0.2.1', wrong(6));
    expect(refused).toMatchObject({ statusCode: 429, headers: { 'retry-after': '12' } });
    expect(refused.data.status).toBe('TOO_MANY_REQUESTS');
    expect((await from('192.0.2.1', shipper.token)).statusCode).toBe(200);
    expect((await from('192.0.2.1', stranger.token)).statusCode).toBe(429);
    expect((await from('192.0.2.2', stranger.token)).statusCode).toBe(200);
    expect((await from('192.0.2.2', wrong(7))).statusCode).toBe(401);
    api.clock.advance(12_000);
    expect((await from('192.0.2.1', wrong(8))).statusCode).toBe(401);
  });

  it('of the admin are counted as well, and the right one always passes', async () => {
    for (let tried = 0; tried < 5; tried += 1)
      expect((await from('192.0.2.9', 'nonsense', '/admin/carriers')).statusCode).toBe(401);
    expect((await from('192.0.2.9', 'nonsense', '/admin/carriers')).statusCode).toBe(429);
    expect((await api.admin('GET', '/admin/carriers')).statusCode).toBe(200);
  });

  it('are no matter where none is brought', async () => {
    for (let tried = 0; tried < 10; tried += 1)
      expect((await api.call({ url: '/v2/webhooks', remoteAddress: '192.0.2.5' })).statusCode).toBe(401);
  });
});
