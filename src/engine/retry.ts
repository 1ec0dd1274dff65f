export interface Backoff {
  readonly waitMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait after try number `attempt` (from 1): doubling from `waitMs` up to `maxMs`, with up to a quarter taken
 * off by `random` (in [0, 1)) so that many that failed together do not come back together. What the carrier asked for
 * (`askedMs`, its Retry-After) is never undercut.
 */
export const backoffMs = (backoff: Backoff, attempt: number, random: number, askedMs = 0): number => {
  const doubled = Math.min(backoff.waitMs * 2 ** Math.min(attempt - 1, 40), backoff.maxMs);
  return Math.max(Math.round(doubled * (1 - random / 4)), askedMs);
};

/** `Retry-After` of RFC 9110, seconds or a date, as milliseconds from now; undefined when there is none to be read. */
export const parseRetryAfter = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\s*\d{1,8}\s*$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
};
