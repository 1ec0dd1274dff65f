/** Limits of a carrier: concurrency, rate, and a circuit breaker. */
import type { Limits } from '../profile/carrier.ts';
import { type BreakerReport, type BreakerView, type CircuitBreaker, createCircuitBreaker } from './breaker.ts';
import type { Demand, Share } from './places.ts';
import type { Admission, CarrierLimits } from './ports.ts';
import { createRateLimiter, type RateLimiter, type Rates, refuse, type Timing } from './rate-limiter.ts';

const LIMITERS_MAX = 1_000;
/** No rate looks back further. */
const DAY_MS = 86_400_000;

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
  /** Makes a round soon; whoever waits is served when that has ended, or is late. */
  ask(): void;
  /** The breaker of a carrier (`acme`), or of an account there (`acme/7`), has opened. Default: nobody is told. */
  opened?(party: string): void;
}

/** What is said of one limit or one breaker in a round, and who takes what comes back. */
export type Exchange =
  | { readonly name: string; readonly demand: Demand; hear(share: Share): boolean }
  | { readonly name: string; readonly seen: BreakerReport; hear(view: BreakerView): void; retract(): void };

/** Who asks seldom gives all places back, and takes some again. */
const UNUSED_MS = 10_000;
const ASKED_EVERY_MS = 500;

export const limitedParty = (carrier: string, account: number, { per }: Limits): string =>
  per === 'account' ? `${carrier}/${account}` : carrier;
const nameOf = (party: string, { concurrency, rate }: Rates): string =>
  `${party} ${concurrency} ${rate === undefined ? '' : `${rate.count}/${rate.perMs}`}`;
const partyIn = (name: string): string => name.slice(0, name.indexOf(' '));

/**
 * A step with limits of its own is counted apart, its failures are not. `isReady`: it is known what this process may
 * take.
 */
const createLimits = (
  timing: Timing,
  isReady?: (limiter: RateLimiter) => boolean,
  opened: Sharing['opened'] = () => undefined,
) => {
  const isShared = isReady !== undefined;
  const { limiterOf, limiters } = createRateLimiters(timing, isShared);
  const breakers = new Map<string, CircuitBreaker>();
  const breakerOf = (party: string): CircuitBreaker => breakers.get(party) ?? createCircuitBreaker(timing.nowMs);
  const enter = (party: string, limits: Limits): Admission | Promise<Admission> => {
    const limiter = limiterOf(nameOf(party, limits), limits);
    return limiter.enter({
      mayGo: () => {
        const breaker = breakerOf(party);
        if (isReady?.(limiter) === false || (isShared && breaker.asksForTrial(limits.breaker))) return 'later';
        if (breaker.hasOpened(limits.breaker)) opened(party);
        const openUntilMs = breaker.openUntilMs(limits.breaker);
        if (openUntilMs === undefined) return undefined;
        return refuse(limiter.waitForTurn(openUntilMs), 'the carrier failed too often in a row', true);
      },
      begin: () => {
        const breaker = breakerOf(party);
        breakers.set(party, breaker);
        const end = breaker.begin();
        return (healthy) => {
          end(healthy);
          if (breaker.hasOpened(limits.breaker)) opened(party);
          if (!isShared && breaker.isIdle()) breakers.delete(party);
        };
      },
    });
  };
  return { enter, limiterOf, limiters, breakerOf, breakers };
};

/** The limits of carriers in one process that is alone. */
export const createCarrierLimits = (nowMs: () => number, random: () => number, patienceMs?: number) => {
  const { enter } = createLimits({ nowMs, random, patienceMs });
  return {
    enter: (carrier: string, account: number, limits: Limits): Admission | Promise<Admission> =>
      enter(limitedParty(carrier, account, limits), limits),
  };
};

/** Limits that hold for all processes: each has a share of the places, ahead of need, and calls are counted against it. */
export const createSharedLimits = (timing: Timing, sharing: Sharing) => {
  const { nowMs } = timing;
  const isLeased = (): boolean => nowMs() < sharing.leaseEndMs();
  /** Those that nobody gave a share of since this process was on its own. */
  const alone = new Set<RateLimiter>();
  const isReady = (limiter: RateLimiter): boolean => {
    if (isLeased()) return true;
    if (sharing.isUp()) return false;
    // While nobody gives shares, each process goes on with what is its own in any case.
    alone.add(limiter);
    for (const places of limiter.places) places.fallBack(sharing.processes(), sharing.leaseEndMs());
    return true;
  };
  const { enter, limiterOf, limiters, breakerOf, breakers } = createLimits(timing, isReady, sharing.opened);
  const askedAtMs = new WeakMap<RateLimiter, number>();

  /** Asks for a round that may bring what is missing, where there is sense in it. */
  const askFor = (party: string, limits: Limits): void => {
    if (!sharing.isUp()) return;
    const limiter = limiterOf(nameOf(party, limits), limits);
    const isUrgent = breakerOf(party).asksForTrial(limits.breaker) || !isLeased();
    const isAsked = nowMs() - (askedAtMs.get(limiter) ?? -Infinity) < ASKED_EVERY_MS;
    if (!isUrgent && (isAsked || !limiter.lacksPlaces())) return;
    limiter.want();
    askedAtMs.set(limiter, nowMs());
    sharing.ask();
  };

  return {
    enter: ((carrier, account, limits) => {
      const party = limitedParty(carrier, account, limits);
      askFor(party, limits);
      return enter(party, limits);
    }) satisfies CarrierLimits['enter'],
    /** After a round: more may go, or less is known. */
    serve: (): void => {
      for (const limiter of limiters.values()) limiter.serve();
    },
    /** Of all that is in use. `isLast`: the process ends. */
    exchanges: (isLast = false): readonly Exchange[] => {
      const askedAtMs = nowMs();
      const parties = new Set([...limiters.keys()].map(partyIn));
      const ofLimits = [...limiters].flatMap(([name, limiter]): Exchange[] => {
        const isUnused = isLast || limiter.isUnused(UNUSED_MS);
        if (isUnused) {
          limiters.delete(name);
        }
        return limiter.places.map((places, at) => {
          if (!alone.has(limiter) && !isLeased()) places.forfeit();
          return { name: `${name} ${at}`, demand: places.report(isUnused, limiter.waiting()), hear: places.apply };
        });
      });
      const ofBreakers = [...parties].map((party): Exchange => {
        const breaker = breakerOf(party);
        const seen = breaker.report();
        const hear = (view: BreakerView): void => {
          if (view.failures > 0 || view.keptOpenForMs !== undefined) breakers.set(party, breaker);
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
    /** Those whose breakers are open, as far as this process knows. */
    open: (): readonly string[] => [...breakers].flatMap(([party, breaker]) => (breaker.isOpen() ? [party] : [])),
  };
};

/** What the work of one carrier may take up of a process. */
export interface ConcurrencyLimiter {
  enter(carrier: string): Admission;
  /** How much more of it would be admitted now. */
  room(carrier: string): number;
  /** Carriers of which no more would be admitted now. */
  full(): readonly string[];
}

/**
 * Keeps a part of a process's slots for the other carriers: whatever delays the work of one (its answers, its logins,
 * its many accounts), no more than `concurrency` of it is in hand at a time, and no more than leaves as many of all
 * `slots` free; the rest comes back in a line.
 */
export const createConcurrencyLimiter = (
  concurrency: number,
  nowMs: () => number,
  random: () => number,
  slots = Infinity,
): ConcurrencyLimiter => {
  const { limiterOf, limiters } = createRateLimiters({ nowMs, random });
  let inHand = 0;
  const work = {
    mayGo: () => undefined,
    begin: () => {
      inHand += 1;
      return () => void (inHand -= 1);
    },
  };
  const room = (carrier: string): number => {
    // One that is only asked about is not remembered: its name may come from anywhere.
    const underWay = limiters.get(carrier)?.underWay() ?? 0;
    return Math.max(0, Math.min(concurrency - underWay, Math.ceil((slots - inHand - underWay) / 2)));
  };
  return {
    enter: (carrier) => limiterOf(carrier, { concurrency, rate: undefined }).enterNow(work, slots - inHand),
    room,
    full: () => [...limiters.keys()].filter((carrier) => room(carrier) === 0),
  };
};

/** For cases, which run one after another. */
export const UNLIMITED: CarrierLimits = { enter: () => ({ admitted: true, leave: () => {} }) };
