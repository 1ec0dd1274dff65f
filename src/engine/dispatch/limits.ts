/** How hard this process may ask a carrier: calls at a time and in a span, and a pause while it keeps failing. */
import type { Limits } from '../profile/carrier.ts';
import type { Admission, CarrierLimits } from './ports.ts';

const FIRST_TYPICAL_MS = 400;
const LEAST_WAIT_MS = 100;
/** Whoever is refused comes back by then at the latest, however long the line, unless the rate says later. */
const LONGEST_LINE_MS = 60_000;
const LIMITERS_MAX = 1_000;
const DAY_MS = 86_400_000;

const refuse = (waitMs: number, why: string): Admission => ({ admitted: false, waitMs, why });

type RateLimits = Pick<Limits, 'concurrency' | 'rate'>;
type RateLimiter = ReturnType<typeof createRateLimiter>;

interface LimiterOptions {
  readonly nowMs: () => number;
  readonly random: () => number;
  /** It counts nothing any more. */
  readonly onIdle: () => void;
}

/**
 * Calls at a time and calls in a span. Whoever is refused is told when a turn is likely, each later than the one before,
 * so that a long line comes back one after another and not all at once.
 */
const createRateLimiter = ({ concurrency, rate }: RateLimits, { nowMs, random, onIdle }: LimiterOptions) => {
  /** When the calls of the current span began, oldest first; only kept where there is a rate. */
  const startsMs: number[] = [];
  let underWay = 0;
  let nextTurnMs = 0;
  /** How long a healthy call has taken of late: one that hangs says nothing of the next. */
  let typicalMs = FIRST_TYPICAL_MS;
  let lastUsedMs = nowMs();

  /** How long to wait for a turn, the first of which is free at `freeMs`. */
  const waitForTurn = (freeMs: number, gapMs = typicalMs / concurrency): number => {
    const turnMs = Math.min(Math.max(freeMs, nextTurnMs), freeMs + Math.max(LONGEST_LINE_MS, gapMs));
    nextTurnMs = turnMs + gapMs;
    return Math.max(LEAST_WAIT_MS, Math.round(turnMs - nowMs() + (gapMs * random()) / 2));
  };

  return {
    waitForTurn,
    enter: (): Admission => {
      const beganMs = nowMs();
      lastUsedMs = beganMs;
      if (underWay >= concurrency) {
        return refuse(waitForTurn(beganMs + typicalMs / concurrency), 'as many calls as allowed are under way');
      }
      if (rate !== undefined) {
        while (startsMs[0] !== undefined && startsMs[0] <= beganMs - rate.perMs) startsMs.shift();
        const [oldest] = startsMs;
        if (oldest !== undefined && startsMs.length >= rate.count) {
          const waitMs = waitForTurn(oldest + rate.perMs, rate.perMs / rate.count);
          return refuse(waitMs, 'as many calls as allowed were made in this span');
        }
        startsMs.push(beganMs);
      }
      underWay += 1;
      return {
        admitted: true,
        leave: (healthy) => {
          underWay -= 1;
          if (healthy === true) typicalMs = typicalMs * 0.8 + (nowMs() - beganMs) * 0.2;
          if (underWay === 0 && rate === undefined && nextTurnMs <= nowMs()) onIdle();
        },
      };
    },
    /** No rate looks back further. */
    isUnusedForADay: () => underWay === 0 && lastUsedMs < nowMs() - DAY_MS,
  };
};

/** A rate limiter for each name that is in use. */
const createRateLimiters = (nowMs: () => number, random: () => number) => {
  const limiters = new Map<string, RateLimiter>();
  return (name: string, limits: RateLimits): RateLimiter => {
    const onIdle = (): void => void limiters.delete(name);
    const known = limiters.get(name) ?? createRateLimiter(limits, { nowMs, random, onIdle });
    if (limiters.size >= LIMITERS_MAX) {
      for (const [key, limiter] of limiters) if (limiter.isUnusedForADay()) limiters.delete(key);
    }
    limiters.set(name, known);
    return known;
  };
};

/** Errors come quickly and say little; one call that hangs has cost as much as many of them. */
const weightOf = (tookMs: number): number => 1 + Math.max(0, Math.floor(tookMs / HANGS_MS));
const HANGS_MS = 10_000;
/** Others come back to hear of a try after so long; if it was not answered by then, they wait for the next. */
const TRY_ANSWERS_MS = 3_000;

type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** After failures in a row it lets one call try in each pause, until one goes well: a try that hangs holds up none after it. */
const createCircuitBreaker = (nowMs: () => number) => {
  let underWay = 0;
  let failuresInARow = 0;
  /** Of the calls that the carrier was asked with. */
  let newest: { readonly beganMs: number; isUnderWay: boolean } | undefined;
  /** When the newest call began that went well: what began before tells of a time that is over. */
  let wellSinceMs = -Infinity;
  return {
    /** When to come back, milliseconds since 1970; undefined: a call may go now. */
    openUntilMs: ({ failures, pauseMs }: Limits['breaker']): number | undefined => {
      if (newest === undefined || failuresInARow < failures) return undefined;
      const nextTryMs = newest.beganMs + pauseMs;
      const answeredMs = newest.beganMs + TRY_ANSWERS_MS;
      if (nowMs() >= nextTryMs) return undefined;
      return newest.isUnderWay && nowMs() < answeredMs ? Math.min(answeredMs, nextTryMs) : nextTryMs;
    },
    begin: () => {
      const call = { beganMs: nowMs(), isUnderWay: true };
      newest = call;
      underWay += 1;
      return (healthy: boolean | undefined): void => {
        underWay -= 1;
        call.isUnderWay = false;
        if (healthy === undefined) {
          if (newest === call) newest = undefined;
        } else if (healthy) {
          failuresInARow = 0;
          wellSinceMs = Math.max(wellSinceMs, call.beganMs);
        } else if (call.beganMs >= wellSinceMs) {
          failuresInARow += weightOf(nowMs() - call.beganMs);
        }
      };
    },
    isIdle: () => underWay === 0 && failuresInARow === 0,
  };
};

/**
 * The limits of carriers in one process. A step with limits of its own is counted by itself; what fails counts for the
 * whole carrier (or account).
 */
export const createCarrierLimits = (nowMs: () => number, random: () => number): CarrierLimits => {
  const limiterOf = createRateLimiters(nowMs, random);
  const breakers = new Map<string, CircuitBreaker>();
  return {
    enter: (carrier, account, limits) => {
      const { concurrency, rate } = limits;
      const party = limits.per === 'account' ? `${carrier}/${account}` : carrier;
      const name = `${party} ${concurrency} ${rate === undefined ? '' : `${rate.count}/${rate.perMs}`}`;
      const limiter = limiterOf(name, limits);
      const breaker = breakers.get(party) ?? createCircuitBreaker(nowMs);
      const openUntilMs = breaker.openUntilMs(limits.breaker);
      if (openUntilMs !== undefined) {
        return refuse(limiter.waitForTurn(openUntilMs), 'the carrier failed too often in a row');
      }
      const admission = limiter.enter();
      if (!admission.admitted) return admission;
      breakers.set(party, breaker);
      const end = breaker.begin();
      return {
        admitted: true,
        leave: (healthy) => {
          admission.leave(healthy);
          end(healthy);
          if (breaker.isIdle()) breakers.delete(party);
        },
      };
    },
  };
};

/** What the work of one carrier may take up of a process. */
export interface ConcurrencyLimiter {
  enter(carrier: string): Admission;
}

/**
 * Keeps a part of a process's slots for everybody else: whatever holds a carrier's work up (its answers, its logins,
 * its many accounts), no more than `concurrency` of it is in hand at a time, and the rest comes back in a line.
 */
export const createConcurrencyLimiter = (
  concurrency: number,
  nowMs: () => number,
  random: () => number,
): ConcurrencyLimiter => {
  const limiterOf = createRateLimiters(nowMs, random);
  return { enter: (carrier) => limiterOf(carrier, { concurrency, rate: undefined }).enter() };
};

/** For one story at a time: rates and breakers belong to the traffic of a server. */
export const UNLIMITED: CarrierLimits = { enter: () => ({ admitted: true, leave: () => {} }) };
