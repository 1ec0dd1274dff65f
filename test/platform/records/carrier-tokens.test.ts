import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LoginOutcome, WantedToken } from '../../../src/engine/dispatch/ports.ts';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { createCarrierTokens, forgetEndedLogins } from '../../../src/platform/records/carrier-tokens.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { fakeClock } from '../../support/clock.ts';
import { ageLeases } from '../../support/leases.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { sealer } from './world.ts';

const wanted: WantedToken = { key: 'acme/1/production/1/login', profileHash: 'v1' };
const problem = { code: 'http_400', messages: ['invalid_client'] };

const tokenOf = (got: LoginOutcome): string => (got.kind === 'token' ? got.token.token : got.kind);

describe('tokens of carriers in the records', () => {
  const database = freshDatabase();
  const clock = fakeClock();
  let logins = 0;
  const token = (more: Partial<Extract<LoginOutcome, { kind: 'token' }>> = {}): LoginOutcome => ({
    kind: 'token',
    token: { token: `tok-${logins}-secret`, saved: { depot: '0530' } },
    expiresAtMs: clock.now() + 1_000_000,
    ...more,
  });
  const logIn = (): Promise<LoginOutcome> => {
    logins += 1;
    return Promise.resolve(token());
  };
  const slowly = () => sleep(300).then(logIn);
  /** As a process of its own. */
  const store = () => createCarrierTokens(database.pool, sealer, clock.now);

  beforeEach(async () => {
    logins = 0;
    await database.pool.query('delete from carrier_tokens');
  });

  it('are fetched by one of many processes, and shared with what the login saved', async () => {
    const got = await Promise.all(
      [store(), store(), store()].flatMap((one) => [one.get(wanted, slowly), one.get(wanted, slowly)]),
    );
    expect(logins).toBe(1);
    for (const one of got)
      expect(one).toMatchObject({ kind: 'token', token: { token: 'tok-1-secret', saved: { depot: '0530' } } });
  });

  it('are forgotten long after their end, but for what renews them and for who was refused', async () => {
    const ended = new Date(clock.now() - 1_000);
    await database.pool.query(
      `insert into carrier_tokens (key, token, fetched_at, expires_at, refused, refresh_token, lease, lease_until) values
         ('ended', 'x', $1, $1, null, null, null, null), ('endless', 'x', $1, null, null, null, null, null),
         ('abandoned', 'x', $1, $1, null, null, gen_random_uuid(), $1),
         ('in force', 'x', $1, $2, null, null, null, null), ('renews', null, $1, null, null, 'x', null, null),
         ('refused', null, $1, null, '{}', null, null, null), ('under way', 'x', $1, $1, null, null, gen_random_uuid(), $2)`,
      [ended, new Date(clock.now() + 1_000)],
    );
    expect(await forgetEndedLogins(database.pool, new Date(clock.now()))).toBe(3);
    const kept = await database.values('select key from carrier_tokens order by key');
    expect(kept).toEqual(['in force', 'refused', 'renews', 'under way']);
  });

  it('hold no connection while a carrier is slow to log us in', async () => {
    const pool = createPool({ databaseUrl: database.databaseUrl, log: quietLog, max: 1 });
    const tokens = createCarrierTokens(pool, sealer, clock.now);
    const got = await tokens.get(wanted, async () => {
      await pool.query('select 1');
      return await logIn();
    });
    expect(got.kind).toBe('token');
    await pool.end();
  });

  it('are asked of the records once, then remembered until 90% of their life', async () => {
    const one = store();
    await one.get(wanted, logIn);
    await database.pool.query('delete from carrier_tokens');
    clock.advance(899_000);
    expect(tokenOf(await one.get(wanted, logIn))).toBe('tok-1-secret');
    clock.advance(2_000);
    expect(tokenOf(await one.get(wanted, logIn))).toBe('tok-2-secret');
  });

  it('lie sealed', async () => {
    await store().get(
      { ...wanted, refreshKey: 'refresh' },
      async () => ({ ...(await logIn()), refreshToken: 'refresh-secret-2' }) as LoginOutcome,
    );
    const text = (await database.values('select row_to_json(t)::text from carrier_tokens t')).join();
    for (const secret of ['tok-1-secret', 'refresh-secret-2', '0530']) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('when dropped by one process are fetched anew once, and learnt by the other', async () => {
    const [one, other] = [store(), store()];
    await one.get(wanted, logIn);
    await other.get(wanted, logIn);
    await one.drop(wanted.key, 'tok-1-secret');
    expect(tokenOf(await one.get(wanted, logIn))).toBe('tok-2-secret');
    await other.drop(wanted.key, 'tok-1-secret');
    expect(tokenOf(await other.get(wanted, logIn))).toBe('tok-2-secret');
    expect(logins).toBe(2);
  });

  it('keep a rotated refresh token, whoever rotated it, for any version of the account', async () => {
    const seen: (string | undefined)[] = [];
    const rotate = (refreshToken: string | undefined): Promise<LoginOutcome> => {
      seen.push(refreshToken);
      return Promise.resolve(token({ refreshToken: `refresh-${seen.length}` }));
    };
    const refreshKey = 'acme/1/production/refresh/login/x';
    await store().get({ ...wanted, refreshKey }, rotate);
    await store().get({ ...wanted, key: 'acme/1/production/2/login', refreshKey }, rotate);
    await store().get({ ...wanted, key: 'acme/1/production/3/login', refreshKey: 'another' }, rotate);
    expect(seen).toEqual([undefined, 'refresh-1', undefined]);
  });

  it('that were refused are not asked for again, by no process, until account or profile change', async () => {
    const refused = { kind: 'refused', problem } as const;
    const log = recordingLog();
    const one = createCarrierTokens(database.pool, sealer, clock.now, createAlert(log));
    expect(await one.get(wanted, () => Promise.resolve(refused))).toEqual(refused);
    expect(await one.get(wanted, logIn)).toEqual(refused);
    const about = { carrier: 'acme', account: '1', environment: 'production', code: problem.code };
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ alert: 'login_failed', ...about }]);
    expect(await store().get(wanted, logIn)).toEqual(refused);
    expect(logins).toBe(0);
    expect((await store().get({ ...wanted, key: 'acme/1/production/2/login' }, logIn)).kind).toBe('token');
    expect((await store().get({ ...wanted, profileHash: 'v2' }, logIn)).kind).toBe('token');
  });

  it.each(['retry', 'config_error'] as const)('that failed by %s are asked for again the next time', async (word) => {
    const one = store();
    expect((await one.get(wanted, () => Promise.resolve({ kind: 'failed', word, problem }))).kind).toBe('failed');
    expect((await one.get(wanted, logIn)).kind).toBe('token');
  });

  it('are not lost to a login that throws', async () => {
    const one = store();
    await expect(one.get(wanted, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect((await store().get(wanted, logIn)).kind).toBe('token');
  });

  it('of a process that died over its login are fetched by another when its lease is over', async () => {
    await database.pool.query(
      `insert into carrier_tokens (key, lease, lease_until) values ($1, gen_random_uuid(), now() + interval '20 s')`,
      [wanted.key],
    );
    const ahead = createCarrierTokens(database.pool, sealer, () => Date.now() + 3_600_000);
    const held = await ahead.get(wanted, logIn);
    expect(held).toMatchObject({ kind: 'failed', word: 'held_back', problem: { code: 'login_under_way' } });
    await ageLeases(database.pool, 'carrier_tokens', 20_001);
    expect((await store().get(wanted, logIn)).kind).toBe('token');
  });
});
