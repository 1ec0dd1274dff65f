import { describe, expect, it } from 'vitest';
import { createLimits } from '../../../src/platform/api/rate-limit.ts';
import { readConfig } from '../../../src/platform/processes/config.ts';
import { apiUnderTest } from './harness.ts';

const limits = (nowMs: () => number) => createLimits({ perMinute: 1_000, nowMs, wrongTokensPerMinute: 2 });

const asking = (api: ReturnType<typeof apiUnderTest>) => async (remoteAddress: string, forwardedFor: string) => {
  const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': forwardedFor };
  return (await api.call({ url: '/v2/webhooks', headers, remoteAddress })).statusCode;
};

describe('behind a proxy that is trusted', () => {
  const api = apiUnderTest(
    { trustProxy: ['10.0.0.0/8'], metrics: () => Promise.reject(new Error('broken')) },
    { limits },
  );
  const ask = asking(api);

  it('each client has limits of its own, and none by what it writes into the header itself', async () => {
    expect(await ask('10.0.0.1', '192.0.2.1')).toBe(401);
    expect(await ask('10.0.0.1', '203.0.113.9, 192.0.2.1')).toBe(401);
    expect(await ask('10.0.0.1', '203.0.113.8, 192.0.2.1')).toBe(429);
    expect(await ask('10.0.0.1', '192.0.2.2')).toBe(401);
  });

  it('who comes past the proxy is believed nothing', async () => {
    const seen = [];
    for (const claimed of ['192.0.2.31', '192.0.2.32', '192.0.2.33']) seen.push(await ask('198.51.100.1', claimed));
    expect(seen).toEqual([401, 401, 429]);
  });

  it('the log names the client', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    await api.call({ url: '/metrics', headers, remoteAddress: '10.0.0.1' });
    expect(JSON.stringify(api.log.lines)).toContain('"from":"192.0.2.77"');
  });
});

describe('without a proxy', () => {
  const api = apiUnderTest({}, { limits });
  it('X-Forwarded-For says nothing', async () => {
    const seen = [];
    for (const claimed of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) seen.push(await asking(api)('127.0.0.1', claimed));
    expect(seen).toEqual([401, 401, 429]);
  });
});

describe('TRUST_PROXY', () => {
  it('is a list of addresses and CIDRs, by default of none', () => {
    expect(readConfig({}).trustProxy).toEqual([]);
    expect(readConfig({ TRUST_PROXY: ' 10.0.0.1,10.1.0.0/16 , fd00::/8' }).trustProxy).toEqual([
      '10.0.0.1',
      '10.1.0.0/16',
      'fd00::/8',
    ]);
  });

  it.each(['true', '*', 'proxy.example', '10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.1/', '10.0.0'])(
    'does not take %j',
    (given) => {
      expect(() => readConfig({ TRUST_PROXY: given })).toThrow(/TRUST_PROXY must be a list of addresses/);
    },
  );
});
