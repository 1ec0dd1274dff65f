import type { LoginOutcome, TokenStore, WantedToken } from './ports.ts';

/** How much of a token's life is used before a new one is fetched. */
const RENEW_AT = 0.9;

/** Whether a token fetched at `fetchedAtMs` is still to be used. */
export const isFresh = (fetchedAtMs: number, expiresAtMs: number | undefined, nowMs: number): boolean =>
  expiresAtMs === undefined || nowMs < fetchedAtMs + (expiresAtMs - fetchedAtMs) * RENEW_AT;

/** What is remembered of a login: a token, or that the credentials were refused. */
export interface RememberedLogin {
  readonly got: Extract<LoginOutcome, { kind: 'token' | 'refused' }>;
  readonly fetchedAtMs: number;
  readonly profileHash: string;
}

/** Whether what is remembered spares a login: a token in force, or a refusal that this version of the profile met. */
export const isInForce = (known: RememberedLogin, { profileHash }: WantedToken, nowMs: number): boolean =>
  known.got.kind === 'refused'
    ? known.profileHash === profileHash
    : isFresh(known.fetchedAtMs, known.got.expiresAtMs, nowMs);

/** What one process remembers of logins; of those who ask for the same key at once, only the first logs in. */
export const createLoginCache = (nowMs: () => number) => {
  const remembered = new Map<string, RememberedLogin>();
  const underWay = new Map<string, Promise<LoginOutcome>>();
  return {
    get: async (wanted: WantedToken, fetch: () => Promise<LoginOutcome>): Promise<LoginOutcome> => {
      const { key } = wanted;
      const known = remembered.get(key);
      if (known !== undefined && isInForce(known, wanted, nowMs())) return known.got;
      const running = underWay.get(key) ?? fetch().finally(() => underWay.delete(key));
      underWay.set(key, running);
      return await running;
    },
    remember: (key: string, login: RememberedLogin): void => void remembered.set(key, login),
    forget: (key: string, token: string): void => {
      const { got } = remembered.get(key) ?? {};
      if (got?.kind === 'token' && got.token.token === token) remembered.delete(key);
    },
  };
};

/** Tokens of one process: for cases, and for commands that end with it. */
export const createMemoryTokens = (nowMs: () => number): TokenStore => {
  const cache = createLoginCache(nowMs);
  const refreshTokens = new Map<string, string>();
  return {
    get: async (wanted, login) =>
      await cache.get(wanted, async () => {
        const { key, refreshKey = '', profileHash } = wanted;
        const got = await login(refreshTokens.get(refreshKey));
        if (got.kind === 'token' || got.kind === 'refused') {
          cache.remember(key, { got, fetchedAtMs: nowMs(), profileHash });
        }
        if (got.kind === 'token' && got.refreshToken !== undefined) refreshTokens.set(refreshKey, got.refreshToken);
        return got;
      }),
    drop: (key, token) => Promise.resolve(cache.forget(key, token)),
  };
};
