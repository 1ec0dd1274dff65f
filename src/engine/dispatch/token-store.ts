import type { LoggedIn, TokenStore, WantedToken } from './ports.ts';

/** How much of a token's life is used before a new one is fetched. */
const RENEW_AT = 0.9;

/** Whether a token fetched at `fetchedAtMs` is still to be used. */
export const isFresh = (fetchedAtMs: number, expiresAtMs: number | undefined, nowMs: number): boolean =>
  expiresAtMs === undefined || nowMs < fetchedAtMs + (expiresAtMs - fetchedAtMs) * RENEW_AT;

/** What is remembered of a login: a token, or that the credentials were refused. */
export interface RememberedLogin {
  readonly got: Extract<LoggedIn, { kind: 'token' | 'refused' }>;
  readonly fetchedAtMs: number;
  readonly profileHash: string;
}

/** Whether what is remembered spares a login: a token in force, or a refusal that this version of the profile met. */
export const isInForce = (known: RememberedLogin, { profileHash }: WantedToken, nowMs: number): boolean =>
  known.got.kind === 'refused'
    ? known.profileHash === profileHash
    : isFresh(known.fetchedAtMs, known.got.expiresAtMs, nowMs);

/** Tokens of one process: for cases, and for commands that end with it. */
export const createMemoryTokens = (nowMs: () => number): TokenStore => {
  const remembered = new Map<string, RememberedLogin>();
  const underWay = new Map<string, Promise<LoggedIn>>();
  const refreshTokens = new Map<string, string>();

  const fetch = async (wanted: WantedToken, login: Parameters<TokenStore['get']>[1]): Promise<LoggedIn> => {
    const { key, refreshKey = '', profileHash } = wanted;
    const got = await login(refreshTokens.get(refreshKey));
    if (got.kind === 'token' || got.kind === 'refused') {
      remembered.set(key, { got, fetchedAtMs: nowMs(), profileHash });
    }
    if (got.kind === 'token' && got.refreshToken !== undefined) refreshTokens.set(refreshKey, got.refreshToken);
    return got;
  };

  return {
    get: async (wanted, login) => {
      const { key } = wanted;
      const known = remembered.get(key);
      if (known !== undefined && isInForce(known, wanted, nowMs())) return known.got;
      const running = underWay.get(key) ?? fetch(wanted, login).finally(() => underWay.delete(key));
      underWay.set(key, running);
      return await running;
    },
    drop: (key, token) => {
      const known = remembered.get(key);
      if (known?.got.kind === 'token' && known.got.token.token === token) remembered.delete(key);
      return Promise.resolve();
    },
  };
};
