import { describe, expect, it } from 'vitest';
import { createRateLimiter, sourceOf } from '../../../src/platform/api/rate-limit.ts';
import { readConfig } from '../../../src/platform/processes/config.ts';
import { fakeClock } from '../../support/clock.ts';
import { ADMIN_TOKEN, apiWorld } from './world.ts';

const limit = (perMinute: number, keysMax?: number) => {
  const clock = fakeClock();
  const limiter = createRateLimiter(perMinute, clock.now, { keysMax });
  const grants = (...keys: string[]) => keys.map((key) => limiter.take(key).ok);
  const looks = (...keys: string[]) => keys.map((key) => limiter.look(key).ok);
  return { clock, limiter, grants, looks };
};

describe('a limit', () => {
  it('grants a whole minute’s worth at once, and then as time passes', () => {
    const { clock, limiter, grants } = limit(60);
    expect(grants(...Array.from({ length: 60 }, () => 'a'))).not.toContain(false);
    expect(limiter.take('a')).toMatchObject({ ok: false, retryAfterMs: 1_000 });
    clock.advance(400);
    expect(limiter.take('a')).toMatchObject({ ok: false, retryAfterMs: expect.closeTo(600) });
    clock.advance(600);
    expect(grants('a', 'a')).toEqual([true, false]);
  });

  it('is each key’s own, and never grows beyond full', () => {
    const { clock, grants } = limit(1);
    expect(grants('a', 'a', 'b')).toEqual([true, false, true]);
    clock.advance(86_400_000);
    expect(grants('a', 'a')).toEqual([true, false]);
  });

  it('looked at takes nothing', () => {
    const { grants, looks } = limit(1);
    expect([looks('a', 'a'), grants('a'), looks('a')]).toEqual([[true, true], [true], [false]]);
  });

  it('forgets the key that was not used for the longest time', () => {
    const { grants, looks } = limit(1, 2);
    grants('a', 'b', 'a', 'c');
    expect(looks('a', 'b', 'c')).toEqual([false, true, false]);
  });

  it('fills nothing when the clock is set back', () => {
    const { clock, limiter, grants } = limit(1);
    grants('a');
    clock.advance(-3_600_000);
    expect(limiter.take('a')).toMatchObject({ ok: false, retryAfterMs: 60_000 });
  });

  it('of 0 is none', () => {
    expect(limit(0).grants(...Array.from({ length: 1_000 }, () => 'a'))).not.toContain(false);
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

/** The statuses of that many answers, one after another. */
const statuses = async (count: number, ask: (turn: number) => Promise<{ status: number }>): Promise<number[]> => {
  const seen: number[] = [];
  for (let turn = 0; turn < count; turn += 1) seen.push((await ask(turn)).status);
  return seen;
};
const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

describe('a token', () => {
  const api = apiWorld({}, { limits: { perMinute: 6 } });
  const { shop } = api;
  const list = () => shop.get('/v2/webhooks');

  it('that asks too often is told when to come back, in the spec’s shape', async () => {
    const calm = await api.newShipper();
    expect(await statuses(6, list)).toEqual(times(6, 200));
    const { status, headers, body } = await shop.create({});
    expect([status, headers['retry-after']]).toEqual([429, '10']);
    expect(body).toEqual({
      timestamp: expect.stringMatching(/GMT\+0000$/),
      status: 'TOO_MANY_REQUESTS',
      code: 'too_many_requests',
      message: 'Too many requests with this token; try again in 10 s',
      errors: ['Too many requests with this token; try again in 10 s'],
    });
    expect((await calm.get('/v2/webhooks')).status).toBe(200);
    api.clock.advance(10_000);
    expect(await statuses(2, list)).toEqual([200, 429]);
  });

  it('is limited at labels, too; a link without one is not', async () => {
    const url = '/v2/labels/AAAAAAAAAAAAAAAAAAAAAAAA';
    expect(await statuses(7, () => shop.get(url))).toEqual([...times(6, 404), 429]);
    expect((await api.call({ url })).status).toBe(404);
  });

  it('of a carrier is limited, too, and another of that carrier’s is not with it', async () => {
    const [leaked, genuine] = [await api.issue('carriers/acme'), await api.issue('carriers/acme')];
    const push = ({ token }: { token: string }) => api.as(token).post('/v2/carriers/acme/statuses', { value: 'T1' });
    expect(await statuses(6, () => push(leaked))).toEqual(times(6, 200));
    expect(await push(leaked)).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
    expect((await push(genuine)).status).toBe(200);
    expect(await api.sql('select count(*) from pushes')).toEqual([{ count: 7 }]);
  });
});

describe('wrong tokens', () => {
  const api = apiWorld({}, { limits: { perMinute: 1_000, wrongTokensPerMinute: 5 } });
  const from = (remoteAddress: string, token: string, url = '/v2/webhooks') =>
    api.call({ url, remoteAddress, headers: { authorization: `Bearer ${token}` } });
  const guess = (address: string) => (turn: number) => from(address, `wb_shipper_abc${turn}_${'x'.repeat(43)}`);

  it('are limited by the address they come from; tokens known as right go on there', async () => {
    const [known, stranger] = [await api.newShipper(), await api.newShipper()];
    expect((await from('192.0.2.1', known.token)).status).toBe(200);
    expect(await statuses(5, guess('192.0.2.1'))).toEqual(times(5, 401));
    expect(await guess('192.0.2.1')(6)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '12' },
      body: { status: 'TOO_MANY_REQUESTS' },
    });
    expect((await from('192.0.2.1', known.token)).status).toBe(200);
    expect((await from('192.0.2.1', stranger.token)).status).toBe(429);
    expect((await from('192.0.2.2', stranger.token)).status).toBe(200);
    expect((await guess('192.0.2.2')(7)).status).toBe(401);
    api.clock.advance(12_000);
    expect((await guess('192.0.2.1')(8)).status).toBe(401);
  });

  it('of the admin are counted as well, and the right one always passes', async () => {
    const tries = statuses(6, () => from('192.0.2.9', 'nonsense', '/admin/carriers'));
    expect(await tries).toEqual([...times(5, 401), 429]);
    expect((await api.admin.get('/admin/carriers')).status).toBe(200);
  });

  it('of sessions that are made up are counted as well, and one known as right goes on', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const begun = await api.call({ method: 'POST', url: '/admin/session', remoteAddress: '192.0.2.7', headers });
    const right = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    const look = (cookie: string) =>
      api.call({ url: '/admin/session', remoteAddress: '192.0.2.7', headers: { cookie } });
    expect((await look(right)).status).toBe(200);
    const tries = statuses(6, (turn) =>
      look(right.replace(/=.{12}\..{43}$/, `=${turn}${'x'.repeat(11)}.${'x'.repeat(43)}`)),
    );
    expect(await tries).toEqual([...times(5, 401), 429]);
    expect((await look(right)).status).toBe(200);
  });

  it('are no matter where none is brought', async () => {
    const tries = statuses(10, () => api.call({ url: '/v2/webhooks', remoteAddress: '192.0.2.5' }));
    expect(await tries).toEqual(times(10, 401));
  });
});

describe('X-Forwarded-For', () => {
  const options = { limits: { perMinute: 1_000, wrongTokensPerMinute: 2 } };
  const behind = apiWorld({ trustProxy: ['10.0.0.0/8'], metrics: () => Promise.reject(new Error('broken')) }, options);
  const bare = apiWorld({}, options);
  const ask = (api: typeof bare, remoteAddress: string, forwardedFor: string) =>
    api.call({
      url: '/v2/webhooks',
      headers: { authorization: 'Bearer wrong', 'x-forwarded-for': forwardedFor },
      remoteAddress,
    });

  it('from a trusted proxy gives each client limits of its own, and none by what it writes there itself', async () => {
    const claims = ['192.0.2.1', '203.0.113.9, 192.0.2.1', '203.0.113.8, 192.0.2.1', '192.0.2.2'];
    const seen = await statuses(4, (turn) => ask(behind, '10.0.0.1', claims[turn] ?? ''));
    expect(seen).toEqual([401, 401, 429, 401]);
  });

  it.each([
    ['past the proxy', behind, '198.51.100.1'],
    ['without a proxy', bare, '127.0.0.1'],
  ])('%s says nothing', async (_, api, address) => {
    expect(await statuses(3, (turn) => ask(api, address, `192.0.2.3${turn}`))).toEqual([401, 401, 429]);
  });

  it('names the client in the log', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    await behind.call({ url: '/metrics', headers, remoteAddress: '10.0.0.1' });
    expect(JSON.stringify(behind.log.lines)).toContain('"from":"192.0.2.77"');
  });

  it('is believed from a list of addresses and CIDRs, by default from none', () => {
    expect(readConfig({}).trustProxy).toEqual([]);
    const { trustProxy } = readConfig({ TRUST_PROXY: ' 10.0.0.1,10.1.0.0/16 , fd00::/8' });
    expect(trustProxy).toEqual(['10.0.0.1', '10.1.0.0/16', 'fd00::/8']);
  });

  it.each(['true', '*', 'proxy.example', '10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.1/', '10.0.0'])(
    'is not believed by TRUST_PROXY=%s',
    (given) => {
      expect(() => readConfig({ TRUST_PROXY: given })).toThrow(/TRUST_PROXY must be a list of addresses/);
    },
  );
});
