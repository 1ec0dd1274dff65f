const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms 30s 5m 2h 45d` → milliseconds, or undefined when the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
};

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** `20/s 600/m 10/d` → a count in a span, or undefined when the text is not a rate. */
export const parseRate = (text: string): Rate | undefined => {
  const match = /^(\d{1,6})\/(s|m|h|d)$/.exec(text.trim());
  if (match === null || Number(match[1]) === 0) return undefined;
  return { count: Number(match[1]), perMs: UNIT_MS[match[2] as keyof typeof UNIT_MS] };
};

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

/** Milliseconds as `parseDuration` reads them, in the largest unit that divides them. */
export const formatDuration = (ms: number): string => {
  const [unit, size] = Object.entries(UNIT_MS).findLast(([, each]) => ms > 0 && ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
};
