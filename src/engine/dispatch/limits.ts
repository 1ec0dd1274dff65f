/** How hard a carrier may be asked: calls at a time and in a span, and a pause while it keeps failing. */
import type { Limits } from '../profile/carrier.ts';
import { type BreakerReport, type BreakerView, type CircuitBreaker, createCircuitBreaker } from './breaker.ts';
import { createPlaces, type Demand, type Places, type Share } from './places.ts';
import type { Admission, CarrierLimits } from './ports.ts';

const FIRST_TYPICAL_MS = 400;
const LEAST_WAIT_MS = 100;
/** A refused call is told to come back within this time, however long the line, unless the rate says later. */
const LONGEST_LINE_MS = 60_000;
const LIMITERS_MAX = 1_000;
/** No rate looks back further. */
const DAY_MS = 86_400_000;
/** Where other processes have all places: until some are given back. */
const NONE_HELD_MS = 1_000;

interface Timing {
  readonly nowMs: () => number;
  readonly random: () => number;
}
type Rates = Pick<Limits, 'concurrency' | 'rate'>;
type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Between the calls of a line, when each of the places is taken for so long. */
const gapOf = (places: Places, spanMs: number): number => spanMs / places.likely();

const refuse = (waitMs: number, why: string): Admission => ({ admitted: false, waitMs, why });

/**
 * Calls at a time and calls in a span. A refused call is told when a turn is likely, each later than the one before, so
 * that a long line comes back one after another and not all at once. `onIdle`: it counts nothing any more.
 */
const createRateLimiter = (
  { concurrency, rate }: Rates,
  { nowMs, random }: Timing,
  isShared: boolean,
  onIdle: () => void,
) => {
  const calls = createPlaces(concurrency, 0, nowMs, isShared);
  const starts = rate === undefined ? undefined : createPlaces(rate.count, rate.perMs, nowMs, isShared);
  const both = starts === undefined ? [calls] : [calls, starts];
  let nextTurnMs = 0;
  /** Moving average over healthy calls: one that hangs says nothing of the next. */
  let typicalMs = FIRST_TYPICAL_MS;
  let lastUsedMs = nowMs();

  /** How long to wait for a turn, the first of which is free at `freeMs`. */
  const waitForTurn = (freeMs: number, gapMs = gapOf(calls, typicalMs)): number => {
    const turnMs = Math.min(Math.max(freeMs, nextTurnMs), freeMs + Math.max(LONGEST_LINE_MS, gapMs));
    nextTurnMs = turnMs + gapMs;
    return Math.max(LEAST_WAIT_MS, Math.round(turnMs - nowMs() + (gapMs * random()) / 2));
  };

  return {
    waitForTurn,
    enter: (): Admission => {
      const beganMs = nowMs();
      lastUsedMs = beganMs;
      if (!calls.isFree()) {
        calls.refuse();
        const freeInMs = calls.held() === 0 ? NONE_HELD_MS : gapOf(calls, typicalMs);
        return refuse(waitForTurn(beganMs + freeInMs), 'as many calls as allowed are under way');
      }
      if (starts?.isFree() === false) {
        starts.refuse();
        const freeAtMs = starts.nextFreeAtMs() ?? beganMs + NONE_HELD_MS;
        const waitMs = waitForTurn(freeAtMs, gapOf(starts, rate?.perMs ?? 0));
        return refuse(waitMs, 'as many calls as allowed were made in this span');
      }
      for (const places of both) places.take();
      return {
        admitted: true,
        leave: (healthy) => {
          for (const places of both) places.end();
          if (healthy === true) typicalMs = typicalMs * 0.8 + (nowMs() - beganMs) * 0.2;
          if (both.every((places) => places.isUntouched()) && nextTurnMs <= nowMs()) onIdle();
        },
      };
    },
    /** Somebody is waiting for places to be given. */
    want: (): void => {
      lastUsedMs = nowMs();
      for (const places of both) places.refuse();
    },
    /** Others have places, and we have none that is free. */
    lacksPlaces: (): boolean => both.some((places) => places.held() < places.total && !places.isFree()),
    places: both,
    isUnused: (forMs: number): boolean => calls.isUntouched() && lastUsedMs < nowMs() - forMs,
  };
};

/** A rate limiter for each name that is in use. */
const createRateLimiters = (timing: Timing, isShared = false) => {
  const limiters = new Map<string, RateLimiter>();
  const limiterOf = (name: string, rates: Rates): RateLimiter => {
    const known = limiters.get(name);
    if (known !== undefined) return known;
    if (limiters.size >= LIMITERS_MAX) {
      for (const [key, limiter] of limiters) if (limiter.isUnused(DAY_MS)) limiters.delete(key);
    }
    const created = createRateLimiter(rates, timing, isShared, () => void (isShared || limiters.delete(name)));
    limiters.set(name, created);
    return created;
  };
  return { limiterOf, limiters };
};

/** Who counts for all processes, and what it last said. */
export interface Sharing {
  /** What was given holds until then, milliseconds as the limits' own clock has them. */
  leaseEndMs(): number;
  /** False: it did not answer when it was last asked. */
  isUp(): boolean;
  /** Those that were alive when it last answered, this one included. */
  processes(): number;
  /** Makes a round soon; resolves when that has ended, at once while it does not answer, and before long in any case. */
  ask(): Promise<void>;
}

/** What is said of one limit or one breaker in a round, and who takes what comes back. */
export type Exchange =
  | { readonly name: string; readonly demand: Demand; hear(share: Share): boolean }
  | { readonly name: string; readonly seen: BreakerReport; hear(view: BreakerView): void; retract(): void };

/** Who asks seldom gives all places back, and takes some again. */
const UNUSED_MS = 10_000;
const ASKED_EVERY_MS = 500;

const partyOf = (carrier: string, account: number, { per }: Limits): string =>
  per === 'account' ? `${carrier}/${account}` : carrier;
const nameOf = (party: string, { concurrency, rate }: Rates): string =>
  `${party} ${concurrency} ${rate === undefined ? '' : `${rate.count}/${rate.perMs}`}`;
const partyIn = (name: string): string => name.slice(0, name.indexOf(' '));

/** A step with limits of its own is counted apart, its failures are not. */
const createLimits = (timing: Timing, isShared: boolean) => {
  const { limiterOf, limiters } = createRateLimiters(timing, isShared);
  const breakers = new Map<string, CircuitBreaker>();
  const breakerOf = (party: string): CircuitBreaker => breakers.get(party) ?? createCircuitBreaker(timing.nowMs);
  const enter = (party: string, limits: Limits): Admission => {
    const limiter = limiterOf(nameOf(party, limits), limits);
    const breaker = breakerOf(party);
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
        if (!isShared && breaker.isIdle()) breakers.delete(party);
      },
    };
  };
  return { enter, limiterOf, limiters, breakerOf, breakers };
};

/** The limits of carriers in one process that is alone. */
export const createCarrierLimits = (nowMs: () => number, random: () => number) => {
  const { enter } = createLimits({ nowMs, random }, false);
  return {
    enter: (carrier: string, account: number, limits: Limits): Admission =>
      enter(partyOf(carrier, account, limits), limits),
  };
};

/** Limits that hold for all processes: each has a share of the places, ahead of need, and calls are counted against it. */
export const createSharedLimits = (timing: Timing, sharing: Sharing) => {
  const { nowMs } = timing;
  const { enter, limiterOf, limiters, breakerOf, breakers } = createLimits(timing, true);
  const asking = new Map<RateLimiter, { readonly atMs: number; readonly asked: Promise<void>; isOver: boolean }>();
  /** Those that nobody gave a share of since this process was on its own. */
  const alone = new Set<RateLimiter>();

  const isLeased = (): boolean => nowMs() < sharing.leaseEndMs();
  /** A round that may bring what is missing; undefined: there is no sense in asking. */
  const askFor = (party: string, limits: Limits): Promise<void> | undefined => {
    if (!sharing.isUp()) return undefined;
    const limiter = limiterOf(nameOf(party, limits), limits);
    const breaker = breakerOf(party);
    const last = asking.get(limiter);
    const isTrialDue = breaker.asksForTrial(limits.breaker);
    if (isLeased() && !isTrialDue && !limiter.lacksPlaces()) return undefined;
    if (last !== undefined && !last.isOver) return last.asked;
    if (isLeased() && !isTrialDue && last !== undefined && nowMs() - last.atMs < ASKED_EVERY_MS) return undefined;
    limiter.want();
    const current = { atMs: nowMs(), asked: sharing.ask(), isOver: false };
    asking.set(limiter, current);
    void current.asked.finally(() => (current.isOver = true));
    return current.asked;
  };
  const decide = (party: string, limits: Limits): Admission => {
    if (isLeased()) return enter(party, limits);
    if (sharing.isUp()) return refuse(ASKED_EVERY_MS, 'other processes are asked for their part');
    // While nobody gives shares, each process goes on with what is its own in any case.
    const limiter = limiterOf(nameOf(party, limits), limits);
    alone.add(limiter);
    for (const places of limiter.places) places.fallBack(sharing.processes(), sharing.leaseEndMs());
    return enter(party, limits);
  };

  return {
    enter: ((carrier, account, limits) => {
      const party = partyOf(carrier, account, limits);
      return askFor(party, limits)?.then(() => decide(party, limits)) ?? decide(party, limits);
    }) satisfies CarrierLimits['enter'],
    /** Of all that is in use. `isLast`: the process ends. */
    exchanges: (isLast = false): readonly Exchange[] => {
      const askedAtMs = nowMs();
      const parties = new Set([...limiters.keys()].map(partyIn));
      const ofLimits = [...limiters].flatMap(([name, limiter]): Exchange[] => {
        const isUnused = isLast || limiter.isUnused(UNUSED_MS);
        if (isUnused) {
          limiters.delete(name);
          asking.delete(limiter);
        }
        return limiter.places.map((places, at) => {
          if (!alone.has(limiter) && !isLeased()) places.forfeit();
          return { name: `${name} ${at}`, demand: places.report(isUnused), hear: places.apply };
        });
      });
      const ofBreakers = [...parties].map((party): Exchange => {
        const breaker = breakerOf(party);
        const seen = breaker.report();
        const hear = (view: BreakerView): void => {
          if (view.failures > 0) breakers.set(party, breaker);
          breaker.apply(view, askedAtMs);
        };
        return { name: party, seen, hear, retract: () => breaker.retract(seen) };
      });
      for (const [party, breaker] of breakers) if (!parties.has(party) && breaker.isIdle()) breakers.delete(party);
      return [...ofLimits, ...ofBreakers];
    },
    /** Shares are given again. */
    rejoin: (): void => alone.clear(),
    isInUse: (): boolean => limiters.size > 0,
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
  const { limiterOf } = createRateLimiters({ nowMs, random });
  return { enter: (carrier) => limiterOf(carrier, { concurrency, rate: undefined }).enter() };
};

/** For cases, which run one after another. */
export const UNLIMITED: CarrierLimits = { enter: () => ({ admitted: true, leave: () => {} }) };
