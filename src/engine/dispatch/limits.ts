/** How hard this process may ask a carrier: calls at a time and in a span, and a pause while it keeps failing. */
import type { Limits } from '../profile/carrier.ts';
import type { Admission, CarrierLimits } from './ports.ts';

const FIRST_TYPICAL_MS = 400;
const LEAST_WAIT_MS = 100;
/** A refused call is told to come back within this time, however long the line, unless the rate says later. */
const LONGEST_LINE_MS = 60_000;
const LIMITERS_MAX = 1_000;
const DAY_MS = 86_400_000;

interface Timing {
  readonly nowMs: () => number;
  readonly random: () => number;
}
type Rates = Pick<Limits, 'concurrency' | 'rate'>;
type RateLimiter = ReturnType<typeof createRateLimiter>;

const refuse = (waitMs: number, why: string): Admission => ({ admitted: false, waitMs, why });

/**
 * Calls at a time and calls in a span. A refused call is told when a turn is likely, each later than the one before, so
 * that a long line comes back one after another and not all at once. `onIdle`: it counts nothing any more.
 */
const createRateLimiter = ({ concurrency, rate }: Rates, { nowMs, random }: Timing, onIdle: () => void) => {
  /** When the calls of the current span began, oldest first; only kept where there is a rate. */
  const startsMs: number[] = [];
  let underWay = 0;
  let nextTurnMs = 0;
  /** Moving average over healthy calls: one that hangs says nothing of the next. */
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
    /** No rate looks back further than a day. */
    isForgettable: () => underWay === 0 && lastUsedMs < nowMs() - DAY_MS,
  };
};

/** A rate limiter for each name that is in use. */
const createRateLimiters = (timing: Timing) => {
  const limiters = new Map<string, RateLimiter>();
  return (name: string, rates: Rates): RateLimiter => {
    const known = limiters.get(name);
    if (known !== undefined) return known;
    if (limiters.size >= LIMITERS_MAX) {
      for (const [key, limiter] of limiters) if (limiter.isForgettable()) limiters.delete(key);
    }
    const created = createRateLimiter(rates, timing, () => void limiters.delete(name));
    limiters.set(name, created);
    return created;
  };
};

/** A call that hangs for so long weighs as much as one more error. */
const HANGS_MS = 10_000;
/** While a trial call is under way, others come back after so long; if it was not answered by then, at the next. */
const TRIAL_ANSWERS_MS = 3_000;

type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** After failures in a row it admits one trial call in each pause, until one succeeds: one that hangs blocks none after it. */
const createCircuitBreaker = (nowMs: () => number) => {
  let underWay = 0;
  let failuresInARow = 0;
  /** Of the calls that reached the carrier. */
  let newest: { readonly beganMs: number; isUnderWay: boolean } | undefined;
  /** When the newest healthy call began: the end of an older one says nothing of the carrier as it is now. */
  let healthySinceMs = -Infinity;
  return {
    /** When to come back, milliseconds since 1970; undefined: a call may go now. */
    openUntilMs: ({ failures, pauseMs }: Limits['breaker']): number | undefined => {
      if (newest === undefined || failuresInARow < failures) return undefined;
      const nextTrialMs = newest.beganMs + pauseMs;
      const answeredMs = newest.beganMs + TRIAL_ANSWERS_MS;
      if (nowMs() >= nextTrialMs) return undefined;
      return newest.isUnderWay && nowMs() < answeredMs ? Math.min(answeredMs, nextTrialMs) : nextTrialMs;
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
          healthySinceMs = Math.max(healthySinceMs, call.beganMs);
        } else if (call.beganMs >= healthySinceMs) {
          failuresInARow += 1 + Math.max(0, Math.floor((nowMs() - call.beganMs) / HANGS_MS));
        }
      };
    },
    isIdle: () => underWay === 0 && failuresInARow === 0,
  };
};

/** The limits of carriers in one process. A step with limits of its own is counted apart, its failures are not. */
export const createCarrierLimits = (nowMs: () => number, random: () => number): CarrierLimits => {
  const limiterOf = createRateLimiters({ nowMs, random });
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
 * Keeps a part of a process's slots for the other carriers: whatever delays the work of one (its answers, its logins,
 * its many accounts), no more than `concurrency` of it is in hand at a time, and the rest comes back in a line.
 */
export const createConcurrencyLimiter = (
  concurrency: number,
  nowMs: () => number,
  random: () => number,
): ConcurrencyLimiter => {
  const limiterOf = createRateLimiters({ nowMs, random });
  return { enter: (carrier) => limiterOf(carrier, { concurrency, rate: undefined }).enter() };
};

/** For cases, which run one after another. */
export const UNLIMITED: CarrierLimits = { enter: () => ({ admitted: true, leave: () => {} }) };
