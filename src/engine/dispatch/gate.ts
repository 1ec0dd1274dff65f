import type { Limits } from '../profile/carrier.ts';
import type { Admission, Gate } from './ports.ts';

/** Calls that share one declaration of concurrency and rate. */
interface Lane {
  underWay: number;
  /** When the calls of the current span began, oldest first; only kept where there is a rate. */
  readonly startsMs: number[];
  /** When whoever is refused next is to come back: behind those refused before. */
  nextTurnMs: number;
  /** How long a call has taken of late, of those that were answered: one that hangs says nothing of the next. */
  typicalMs: number;
  lastUsedMs: number;
}

/** The breaker of a carrier (or account): what fails there fails in every lane. */
interface Breaker {
  underWay: number;
  /** One that was waited for weighs more: see `weightOf`. */
  failuresInARow: number;
  /** Of the calls that the carrier was asked with. */
  newest: { readonly beganMs: number; isUnderWay: boolean } | undefined;
  /** When the newest call began that went well: what began before tells of a time that is over. */
  wellSinceMs: number;
}

interface Refusal {
  readonly waitMs: number;
  readonly why: string;
}

const FIRST_TYPICAL_MS = 400;
const LEAST_WAIT_MS = 100;
/** Whoever is refused comes back by then at the latest, however long the line, unless the rate says later. */
const LONGEST_LINE_MS = 60_000;
const LANES_MAX = 1_000;

/**
 * The manners of one process: calls at a time, calls in a span, and a breaker that after failures in a row lets one
 * call try in each pause, until one goes well: a try that hangs holds up none after it. Whoever is refused is told when
 * a turn is likely, each later than the one before, so that a long line comes back one after another and not all at
 * once. A step with limits of its own is counted by itself.
 */
export const createGate = (nowMs: () => number, random: () => number): Gate => {
  const lanes = new Map<string, Lane>();
  const breakers = new Map<string, Breaker>();

  const turn = (lane: Lane, freeMs: number, gapMs: number): number => {
    const now = nowMs();
    const latestMs = freeMs + Math.max(LONGEST_LINE_MS, gapMs);
    const turnMs = Math.min(Math.max(freeMs, lane.nextTurnMs), latestMs);
    lane.nextTurnMs = turnMs + gapMs;
    return Math.max(LEAST_WAIT_MS, Math.round(turnMs - now + (gapMs * random()) / 2));
  };

  const refusal = (lane: Lane, breaker: Breaker, limits: Limits): Refusal | undefined => {
    const now = nowMs();
    const gapMs = lane.typicalMs / limits.concurrency;
    const { newest } = breaker;
    if (newest !== undefined && breaker.failuresInARow >= limits.breaker.failures) {
      const nextTryMs = newest.beganMs + limits.breaker.pauseMs;
      const answeredMs = newest.beganMs + TRY_ANSWERS_MS;
      if (now < nextTryMs) {
        const freeMs = newest.isUnderWay && now < answeredMs ? Math.min(answeredMs, nextTryMs) : nextTryMs;
        return { waitMs: turn(lane, freeMs, gapMs), why: 'the carrier failed too often in a row' };
      }
    }
    if (lane.underWay >= limits.concurrency) {
      return { waitMs: turn(lane, now + gapMs, gapMs), why: 'as many calls as allowed are under way' };
    }
    const { rate } = limits;
    if (rate === undefined) return undefined;
    forgetBefore(lane, now - rate.perMs);
    const [oldest] = lane.startsMs;
    if (oldest === undefined || lane.startsMs.length < rate.count) return undefined;
    const waitMs = turn(lane, oldest + rate.perMs, rate.perMs / rate.count);
    return { waitMs, why: 'as many calls as allowed were made in this span' };
  };

  return {
    enter: (carrier, account, limits): Admission => {
      const who = limits.per === 'account' ? `${carrier}/${account}` : carrier;
      const breaker = breakers.get(who) ?? newBreaker();
      const key = laneKey(who, limits);
      const beganMs = nowMs();
      const lane = lanes.get(key) ?? newLane(beganMs);
      lane.lastUsedMs = beganMs;
      if (lanes.size >= LANES_MAX) dropIdle(lanes, beganMs);
      lanes.set(key, lane);
      const refused = refusal(lane, breaker, limits);
      if (refused !== undefined) return { admitted: false, ...refused };
      breakers.set(who, breaker);
      lane.underWay += 1;
      breaker.underWay += 1;
      const call = { beganMs, isUnderWay: true };
      breaker.newest = call;
      if (limits.rate !== undefined) lane.startsMs.push(beganMs);
      return {
        admitted: true,
        leave: (healthy) => {
          lane.underWay -= 1;
          breaker.underWay -= 1;
          call.isUnderWay = false;
          const tookMs = nowMs() - beganMs;
          if (healthy === undefined) {
            if (breaker.newest === call) breaker.newest = undefined;
          } else if (healthy) {
            lane.typicalMs = lane.typicalMs * 0.8 + tookMs * 0.2;
            breaker.failuresInARow = 0;
            breaker.wellSinceMs = Math.max(breaker.wellSinceMs, beganMs);
          } else if (beganMs >= breaker.wellSinceMs) {
            breaker.failuresInARow += weightOf(tookMs);
          }
          if (breaker.underWay === 0 && breaker.failuresInARow === 0) breakers.delete(who);
          if (lane.underWay === 0 && limits.rate === undefined && lane.nextTurnMs <= nowMs()) lanes.delete(key);
        },
      };
    },
  };
};

/** Errors come quickly and say little; one call that hangs has cost as much as many of them. */
const weightOf = (tookMs: number): number => 1 + Math.max(0, Math.floor(tookMs / HANGS_MS));
const HANGS_MS = 10_000;

/** Others come back to hear of a try after so long; if it was not answered by then, they wait for the next. */
const TRY_ANSWERS_MS = 3_000;

const newBreaker = (): Breaker => ({ underWay: 0, failuresInARow: 0, newest: undefined, wellSinceMs: -Infinity });

const newLane = (nowMs: number): Lane => ({
  underWay: 0,
  startsMs: [],
  nextTurnMs: 0,
  typicalMs: FIRST_TYPICAL_MS,
  lastUsedMs: nowMs,
});

const laneKey = (who: string, { concurrency, rate }: Limits): string =>
  `${who} ${concurrency} ${rate === undefined ? '' : `${rate.count}/${rate.perMs}`}`;

const forgetBefore = (lane: Lane, beforeMs: number): void => {
  while (lane.startsMs[0] !== undefined && lane.startsMs[0] <= beforeMs) lane.startsMs.shift();
};

const DAY_MS = 86_400_000;

/** Lanes that nobody has used for a day count nothing any more: no rate looks back further. */
const dropIdle = (lanes: Map<string, Lane>, nowMs: number): void => {
  for (const [key, lane] of lanes) {
    if (lane.underWay === 0 && lane.lastUsedMs < nowMs - DAY_MS) lanes.delete(key);
  }
};
