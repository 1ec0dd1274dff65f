/** How often somebody may ask: token buckets in this process, so each API process allows as much again. */

export type Taken = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

interface Limiter {
  /** Takes one from the bucket of that key, or says when there will be one. */
  take(key: string): Taken;
  /** As `take` would answer; takes nothing. */
  look(key: string): Taken;
}

interface LimiterOptions {
  /** What a full bucket holds, and by how much it fills up in a minute; 0: no limit. */
  readonly perMinute: number;
  readonly nowMs: () => number;
  /** Buckets that are remembered; beyond that the one not used for the longest time is forgotten, as if full. */
  readonly keysMax?: number;
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

const MINUTE_MS = 60_000;
const KEYS_MAX = 10_000;
const GRANTED: Taken = { ok: true };

export const createLimiter = ({ perMinute, nowMs, keysMax = KEYS_MAX }: LimiterOptions): Limiter => {
  if (perMinute === 0) return { take: () => GRANTED, look: () => GRANTED };
  // The order of a Map is that of use, as each use sets its key anew.
  const buckets = new Map<string, Bucket>();
  const levelNow = (key: string, atMs: number): number => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return perMinute;
    // A clock that was set back fills nothing.
    const passedMs = Math.max(0, atMs - bucket.atMs);
    return Math.min(perMinute, bucket.level + (passedMs * perMinute) / MINUTE_MS);
  };
  const refused = (level: number): Taken => ({ ok: false, retryAfterMs: ((1 - level) * MINUTE_MS) / perMinute });
  return {
    look: (key) => {
      const level = levelNow(key, nowMs());
      return level >= 1 ? GRANTED : refused(level);
    },
    take: (key) => {
      const atMs = nowMs();
      const level = levelNow(key, atMs);
      buckets.delete(key);
      buckets.set(key, { level: level >= 1 ? level - 1 : level, atMs });
      if (buckets.size > keysMax) {
        for (const oldest of buckets.keys()) {
          buckets.delete(oldest);
          break;
        }
      }
      return level >= 1 ? GRANTED : refused(level);
    },
  };
};

export interface Limits {
  /** Requests, by the token they bring. */
  readonly requests: Limiter;
  /** Tokens that are none, by the address they come from. */
  readonly wrongTokens: Limiter;
  /** Tokens that were right lately: these are looked up even where many wrong ones come from the same address. */
  readonly provenTokens: Proven;
  /** Requests to a carrier's webhook that did not prove to be the carrier's, by that carrier and their address. */
  readonly wrongProofs: Limiter;
  /** From where a carrier did prove itself: its pushes are not refused for what else comes from there. */
  readonly provenSources: Proven;
  /** Test events to webhooks, by the shipper: they go to any host, whether it asked for them or not. */
  readonly testEvents: Limiter;
}

interface Proven {
  add(key: string): void;
  has(key: string): boolean;
}

const WRONG_TOKENS_PER_MINUTE = 120;
const WRONG_PROOFS_PER_MINUTE = 120;
const TEST_EVENTS_PER_MINUTE = 10;
const TOKEN_PROVEN_FOR_MS = 3_600_000;
/** Many a carrier has nothing to tell for days, and does not tell it twice. */
const SOURCE_PROVEN_FOR_MS = 7 * 86_400_000;

export const createLimits = ({
  perMinute,
  nowMs,
  wrongTokensPerMinute = WRONG_TOKENS_PER_MINUTE,
  wrongProofsPerMinute = WRONG_PROOFS_PER_MINUTE,
}: Pick<LimiterOptions, 'perMinute' | 'nowMs'> & {
  readonly wrongTokensPerMinute?: number;
  readonly wrongProofsPerMinute?: number;
}): Limits => {
  // Who switches limits off has another in front of us.
  const unlessOff = (most: number): Limiter => createLimiter({ perMinute: perMinute === 0 ? 0 : most, nowMs });
  return {
    requests: createLimiter({ perMinute, nowMs }),
    wrongTokens: unlessOff(wrongTokensPerMinute),
    provenTokens: createProven(nowMs, TOKEN_PROVEN_FOR_MS),
    wrongProofs: unlessOff(wrongProofsPerMinute),
    provenSources: createProven(nowMs, SOURCE_PROVEN_FOR_MS),
    testEvents: unlessOff(TEST_EVENTS_PER_MINUTE),
  };
};

const createProven = (nowMs: () => number, forMs: number): Proven => {
  const provenAtMs = new Map<string, number>();
  return {
    add: (key) => {
      provenAtMs.delete(key);
      provenAtMs.set(key, nowMs());
      if (provenAtMs.size > KEYS_MAX) {
        for (const oldest of provenAtMs.keys()) {
          provenAtMs.delete(oldest);
          break;
        }
      }
    },
    has: (key) => nowMs() - (provenAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < forMs,
  };
};

/** Who has one address of IPv6 has the whole /64 behind it. */
export const sourceOf = (address: string): string => {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? 0 : tail.split(':').length;
    groups.push(...Array.from({ length: Math.max(0, 8 - groups.length - behind) }, () => '0'), ...tail.split(':'));
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};
