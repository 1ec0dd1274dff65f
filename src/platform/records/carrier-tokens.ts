import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createLoginCache, isInForce, type RememberedLogin } from '../../engine/dispatch/token-store.ts';
import type { LoginOutcome, Token, TokenStore, WantedToken } from '../../engine/dispatch/ports.ts';
import type { Alert } from './alert.ts';
import type { Sealer } from './sealer.ts';
import { Failure, type Problem, problem } from '../../engine/failure.ts';
import { dateOf, execute, fromNow, leasedTo, queryFirst, RELEASED } from './sql.ts';

interface TokenRow {
  readonly token: Buffer | undefined;
  readonly refreshToken: Buffer | undefined;
  readonly fetchedAtMs: number | undefined;
  readonly expiresAtMs: number | undefined;
  readonly refused: { readonly problem: Problem; readonly profileHash: string } | undefined;
}

/** How long a login is left to a process that has died over it. */
const LEASE_MS = 20_000;
const RENEW_EVERY_MS = 5_000;
/** How long to wait here for another process's login, and how often to look; then the call comes back later. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;
const UNDER_WAY = problem('login_under_way', 'another process is logging in at the carrier');

/**
 * Tokens in the records: shared by all processes, sealed. A lease on the row lets one login a key run anywhere, and
 * holds no connection meanwhile: a login may take as long as a carrier likes. This process remembers what it read, so
 * the path of a dispatch asks the database only when a token is new or at its end.
 */
export const createCarrierTokens = (pool: Pool, sealer: Sealer, nowMs: () => number, alert?: Alert): TokenStore => {
  const cache = createLoginCache(nowMs);
  const seal = (key: string, value: string): Buffer => sealer.seal(Buffer.from(value), `token/${key}`);
  /** Undefined: it is of a process with another key. A login is made again. */
  const open = (key: string, sealed: Buffer): string | undefined => {
    try {
      return sealer.open(sealed, `token/${key}`).toString();
    } catch (thrown) {
      if (thrown instanceof Failure && thrown.code === 'secret_key_missing') return undefined;
      throw thrown;
    }
  };

  const readRow = async (key: string) =>
    await queryFirst<TokenRow>(pool)`
      select token, refresh_token, fetched_at as fetched_at_ms, expires_at as expires_at_ms, refused::json as refused
      from carrier_tokens where key = ${key}`;

  const find = async (key: string): Promise<RememberedLogin | undefined> => {
    const { token: sealed, fetchedAtMs = 0, expiresAtMs, refused } = (await readRow(key)) ?? {};
    if (refused !== undefined) {
      const { problem: why, profileHash } = refused;
      return { got: { kind: 'refused', problem: why }, fetchedAtMs, profileHash };
    }
    if (sealed === undefined) return undefined;
    const text = open(key, sealed);
    if (text === undefined) return undefined;
    const token = JSON.parse(text) as Token;
    return { got: { kind: 'token', token, expiresAtMs }, fetchedAtMs, profileHash: '' };
  };

  /** The login in force that any process recorded. */
  const look = async (wanted: WantedToken): Promise<LoginOutcome | undefined> => {
    const known = await find(wanted.key);
    if (known === undefined || !isInForce(known, wanted, nowMs())) return undefined;
    cache.remember(wanted.key, known);
    return known.got;
  };

  const findRefreshToken = async (key: string | undefined): Promise<string | undefined> => {
    const sealed = key === undefined ? undefined : (await readRow(key))?.refreshToken;
    return key === undefined || sealed === undefined ? undefined : open(key, sealed);
  };

  const record = async ({ key, refreshKey, profileHash }: WantedToken, got: RememberedLogin['got']): Promise<void> => {
    const isToken = got.kind === 'token';
    if (isToken && got.refreshToken !== undefined && refreshKey !== undefined) {
      // First: the carrier may have forgotten the one before already.
      await execute(pool)`
        insert into carrier_tokens (key, refresh_token) values (${refreshKey}, ${seal(refreshKey, got.refreshToken)})
        on conflict (key) do update set refresh_token = excluded.refresh_token`;
    }
    const token = isToken ? seal(key, JSON.stringify(got.token)) : undefined;
    const expiresAt = isToken ? dateOf(got.expiresAtMs) : undefined;
    const refused = isToken ? undefined : JSON.stringify({ problem: got.problem, profileHash });
    await execute(pool)`
      update carrier_tokens set token = ${token}, fetched_at = ${new Date(nowMs())}, expires_at = ${expiresAt},
        refused = ${refused}
      where key = ${key}`;
    cache.remember(key, { got, fetchedAtMs: nowMs(), profileHash });
  };

  /** What will be mended by a person only; a refusal is remembered, so it is told once. */
  const alertOf = (key: string, got: LoginOutcome): void => {
    if (got.kind === 'token' || (got.kind === 'failed' && got.word !== 'config_error')) return;
    const [carrier, account, environment] = key.split('/');
    // What the carrier said may repeat what was sent: the exchange has it, masked.
    alert?.('login_failed', { carrier, account, environment, code: got.problem.code });
  };

  type Login = Parameters<TokenStore['get']>[1];
  /** Under the lease of `owner`. */
  const logIn = async (wanted: WantedToken, login: Login, owner: string): Promise<LoginOutcome> => {
    const { key } = wanted;
    const renewing = setInterval(() => {
      void execute(pool)`
        update carrier_tokens set lease_until = ${fromNow(LEASE_MS)} where key = ${key} and lease = ${owner}`.catch(
        () => undefined,
      );
    }, RENEW_EVERY_MS);
    try {
      // Another may have logged in between our look and our lease.
      const known = await look(wanted);
      if (known !== undefined) return known;
      const got = await login(await findRefreshToken(wanted.refreshKey));
      if (got.kind === 'token' || got.kind === 'refused') await record(wanted, got);
      alertOf(key, got);
      return got;
    } finally {
      clearInterval(renewing);
      await execute(pool)`update carrier_tokens set ${RELEASED} where key = ${key} and lease = ${owner}`;
    }
  };

  const fetch = async (wanted: WantedToken, login: Login): Promise<LoginOutcome> => {
    const owner = randomUUID();
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
      const known = await look(wanted);
      if (known !== undefined) return known;
      const leased = await execute(pool)`
        insert into carrier_tokens as kept (key, lease, lease_until)
        values (${wanted.key}, ${owner}, ${fromNow(LEASE_MS)})
        on conflict (key) do update set ${leasedTo(owner, LEASE_MS)}
        where kept.lease is null or kept.lease_until < now()`;
      if (leased === 1) return await logIn(wanted, login, owner);
      await sleep(LOOK_EVERY_MS);
    }
    return { kind: 'failed', word: 'held_back', waitMs: 1_000, problem: UNDER_WAY };
  };

  return {
    get: async (wanted, login) => await cache.get(wanted, async () => await fetch(wanted, login)),
    drop: async (key, token) => {
      cache.forget(key, token);
      const known = await find(key);
      if (known?.got.kind !== 'token' || known.got.token.token !== token) return;
      // Only the one that was read: a new one has a later time.
      await execute(pool)`
        update carrier_tokens set token = null where key = ${key} and fetched_at = ${new Date(known.fetchedAtMs)}`;
    },
  };
};

/** Forgets logins that ended before and that nobody renews: of accounts and profiles that have changed since. */
export const forgetEndedLogins = async (pool: Pool, before: Date): Promise<number> =>
  await execute(pool)`
    delete from carrier_tokens where coalesce(expires_at, fetched_at) < ${before}
      and refresh_token is null and refused is null and (lease is null or lease_until < ${before})`;
