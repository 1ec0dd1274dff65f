/** How often somebody may ask, and how much may come: token buckets in this process, so each API process allows as much again. */
import ipaddr from 'ipaddr.js';

export type Taken = ({ readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number }) & {
  /** Of the bucket, as it is now; without where there is no limit. */
  readonly bucket?: Bucket;
};
interface Bucket {
  readonly size: number;
  readonly level: number;
  readonly fullInMs: number;
}

interface RateLimiter {
  /** Takes one, or as many as told, from the bucket of that key, or says when there will be as many. Below 0: gives back. */
  take(key: string, count?: number): Taken;
  /** As `take` would answer; takes nothing. */
  look(key: string): Taken;
}

const MINUTE_MS = 60_000;
const KEYS_MAX = 10_000;
const GRANTED: Taken = { ok: true };

/** Sets the key as the one used last, and forgets the one that was not used for the longest time. */
const setLast = <Value>(map: Map<string, Value>, key: string, value: Value, keysMax: number): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size <= keysMax) return;
  const [oldest = key] = map.keys();
  map.delete(oldest);
};

/**
 * A full bucket holds `burst`, and fills up by `perMinute` in a minute; 0: no limit. Of more than `keysMax` buckets the
 * one not used for the longest time is forgotten, as if full.
 */
export const createRateLimiter = (
  perMinute: number,
  nowMs: () => number,
  { keysMax = KEYS_MAX, burst = perMinute }: { readonly keysMax?: number | undefined; readonly burst?: number } = {},
): RateLimiter => {
  if (perMinute === 0) return { take: () => GRANTED, look: () => GRANTED };
  const buckets = new Map<string, { readonly level: number; readonly atMs: number }>();
  const levelOf = (key: string, atMs: number): number => {
    const { level, atMs: sinceMs } = buckets.get(key) ?? { level: burst, atMs };
    // A clock that was set back fills nothing.
    return Math.min(burst, level + (Math.max(0, atMs - sinceMs) * perMinute) / MINUTE_MS);
  };
  const msToFill = (count: number): number => (count * MINUTE_MS) / perMinute;
  const takenAt = (level: number, count: number, left: number): Taken => {
    const bucket = { size: burst, level: left, fullInMs: msToFill(burst - left) };
    return level >= count ? { ok: true, bucket } : { ok: false, retryAfterMs: msToFill(count - level), bucket };
  };
  return {
    look: (key) => {
      const level = levelOf(key, nowMs());
      return takenAt(level, 1, level);
    },
    take: (key, count = 1) => {
      const atMs = nowMs();
      const level = levelOf(key, atMs);
      const left = level >= count ? level - count : level;
      setLast(buckets, key, { level: left, atMs }, keysMax);
      return takenAt(level, count, left);
    },
  };
};

/** Keys that did right lately. */
const createProven = (nowMs: () => number, forMs: number) => {
  const provenAtMs = new Map<string, number>();
  return {
    add: (key: string): void => setLast(provenAtMs, key, nowMs(), KEYS_MAX),
    has: (key: string): boolean => nowMs() - (provenAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < forMs,
  };
};

export type Limits = ReturnType<typeof createLimits>;

/** Of one address in a minute; of requests to webhooks, of one carrier there. */
export const WRONG_PER_MINUTE = 120;
export const TEST_EVENTS_PER_MINUTE = 10;
const MB = 1_000_000;
/** Of the bytes of a minute, what may come at once: at least one request. */
const burstOf = (bytesPerMinute: number): number => Math.max(3 * MB, bytesPerMinute / 8);
const TOKEN_PROVEN_FOR_MS = 3_600_000;
/** Many a carrier has nothing to tell for days, and does not tell it twice. */
const SOURCE_PROVEN_FOR_MS = 7 * 86_400_000;

export const createLimits = ({
  perMinute,
  largeMbPerMinute = 0,
  nowMs,
  wrongTokensPerMinute = WRONG_PER_MINUTE,
  wrongProofsPerMinute = WRONG_PER_MINUTE,
}: {
  readonly perMinute: number;
  readonly largeMbPerMinute?: number;
  readonly nowMs: () => number;
  readonly wrongTokensPerMinute?: number;
  readonly wrongProofsPerMinute?: number;
}) => {
  // Who switches limits off has another in front of us.
  const unlessOff = (most: number): RateLimiter => createRateLimiter(perMinute === 0 ? 0 : most, nowMs);
  return {
    /** Requests, by the token they bring. */
    requests: createRateLimiter(perMinute, nowMs),
    /** Bytes of large requests, by the token they bring, or the address of who brings none. */
    largeBytes: createRateLimiter(largeMbPerMinute * MB, nowMs, { burst: burstOf(largeMbPerMinute * MB) }),
    /** Tokens that are none, by the address they come from. */
    wrongTokens: unlessOff(wrongTokensPerMinute),
    /** Tokens that were right lately: these are looked up even where many wrong ones come from the same address. */
    provenTokens: createProven(nowMs, TOKEN_PROVEN_FOR_MS),
    /** Requests to a carrier's webhook that did not prove to be the carrier's, by that carrier and their address. */
    wrongProofs: unlessOff(wrongProofsPerMinute),
    /** From where a carrier did prove itself: its pushes are not refused for what else comes from there. */
    provenSources: createProven(nowMs, SOURCE_PROVEN_FOR_MS),
    /** Test events to webhooks, by the shipper: they go to any host, whether it asked for them or not. */
    testEvents: unlessOff(TEST_EVENTS_PER_MINUTE),
  };
};

/** Who has one address of IPv6 has the whole /64 behind it. */
export const sourceOf = (address: string): string => {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
};
