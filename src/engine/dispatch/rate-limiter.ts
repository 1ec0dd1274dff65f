/** Limits concurrent calls and calls in a time window; further calls queue in order, or are told when to come back. */
import type { Limits } from '../profile/carrier.ts';
import { createPlaces, type Places } from './places.ts';
import type { Admission } from './ports.ts';

const FIRST_TYPICAL_MS = 400;
const LEAST_WAIT_MS = 100;
/** A refused call is told to come back within this time, however many are told so, unless the rate says later. */
const LONGEST_LINE_MS = 60_000;
/** Where other processes have all places: until some are given back. */
const NONE_HELD_MS = 1_000;
/**
 * How long a call may wait in the line: to put its dispatch back and take it up again asks the records four times. Far
 * less than a dispatch's first lease.
 */
const PATIENCE_MS = 10_000;

export interface Timing {
  readonly nowMs: () => number;
  readonly random: () => number;
  /** How long a call may wait in a line, also one that waits already. */
  patienceMs?: number | undefined;
}
export type Rates = Pick<Limits, 'concurrency' | 'rate'>;

/** What else decides on a call. */
interface Call {
  /** undefined: it may be made, if there is a place. `later`: that is not known yet. */
  readonly mayGo: () => 'later' | Admission | undefined;
  /** It is made; yields what is to be told when it has ended. */
  readonly begin: () => (healthy: boolean | undefined) => void;
}

interface Waiting {
  readonly call: Call;
  readonly sinceMs: number;
  readonly settle: (admission: Admission) => void;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export const refuse = (waitMs: number, why: string, isAway = false): Admission => ({
  admitted: false,
  waitMs,
  why,
  isAway,
});

/** What is sent a little late must not come together with what is sent in time. */
const spanOf = ({ perMs }: NonNullable<Rates['rate']>): number => perMs + Math.min(50, Math.round(perMs / 50));

/** Between the calls of a line, when each of the places is taken for so long. */
const gapOf = (places: Places, spanMs: number): number => spanMs / places.likely();

/**
 * A refused call is told when a turn is likely, each later than the one before, so that they come back one after another
 * and not all at once. `onIdle`: it counts nothing any more.
 */
export const createRateLimiter = (
  { concurrency, rate }: Rates,
  timing: Timing,
  isShared: boolean,
  onIdle: () => void,
) => {
  const { nowMs, random } = timing;
  const calls = createPlaces(concurrency, 0, nowMs, isShared);
  const starts = rate === undefined ? undefined : createPlaces(rate.count, spanOf(rate), nowMs, isShared);
  const both = starts === undefined ? [calls] : [calls, starts];
  const line: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let nextTurnMs = 0;
  /** Moving average over healthy calls: one that hangs says nothing of the next. */
  let typicalMs = FIRST_TYPICAL_MS;
  let lastUsedMs = nowMs();
  const patienceMs = (): number => timing.patienceMs ?? PATIENCE_MS;

  /** How long to wait for a turn, the first of which is free at `freeMs`. */
  const waitForTurn = (freeMs: number, gapMs = gapOf(calls, typicalMs)): number => {
    const turnMs = Math.min(Math.max(freeMs, nextTurnMs), freeMs + Math.max(LONGEST_LINE_MS, gapMs));
    nextTurnMs = turnMs + gapMs;
    return Math.max(LEAST_WAIT_MS, Math.round(turnMs - nowMs() + (gapMs * random()) / 2));
  };

  /** When the next call may start, by the rate; undefined: now. */
  const nextStartMs = (): number | undefined =>
    starts === undefined || starts.isFree() ? undefined : (starts.nextFreeAtMs() ?? nowMs() + NONE_HELD_MS);
  /** Until whoever joins the line now is likely to have a turn. */
  const lineMs = (): number => {
    if (both.some((places) => places.held() === 0)) return 0;
    const gapMs = Math.max(gapOf(calls, typicalMs), starts === undefined ? 0 : gapOf(starts, rate?.perMs ?? 0));
    return Math.max(0, (nextStartMs() ?? 0) - nowMs()) + line.length * gapMs;
  };

  const refusal = (): Admission => {
    for (const places of both) places.refuse();
    const startMs = calls.isFree() ? nextStartMs() : undefined;
    if (starts !== undefined && startMs !== undefined)
      return refuse(
        waitForTurn(startMs, gapOf(starts, rate?.perMs ?? 0)),
        'as many calls as allowed were made in this span',
      );
    const freeInMs = calls.held() === 0 ? NONE_HELD_MS : gapOf(calls, typicalMs);
    return refuse(waitForTurn(nowMs() + freeInMs), 'as many calls as allowed are under way');
  };

  const attempt = ({ mayGo, begin }: Call): Admission | undefined => {
    const verdict = mayGo();
    if (verdict === 'later') return undefined;
    if (verdict !== undefined) return verdict;
    if (both.some((places) => !places.isFree())) return undefined;
    const beganMs = nowMs();
    for (const places of both) places.take();
    const end = begin();
    return {
      admitted: true,
      leave: (healthy) => {
        for (const places of both) places.end();
        end(healthy);
        if (healthy === true) typicalMs = typicalMs * 0.8 + (nowMs() - beganMs) * 0.2;
        serve();
        if (line.length === 0 && both.every((places) => places.isUntouched()) && nextTurnMs <= nowMs()) onIdle();
      },
    };
  };

  /** Admits from the line whom there is a place for, and sends away who has waited for too long. */
  const serve = (): void => {
    clearTimeout(timer);
    for (let first = line[0]; first !== undefined; first = line[0]) {
      const untilMs = first.sinceMs + patienceMs();
      const admission = attempt(first.call) ?? (untilMs <= nowMs() ? refusal() : undefined);
      if (admission === undefined) {
        const nextMs = Math.min(untilMs, nextStartMs() ?? Infinity);
        timer = setTimeout(serve, Math.max(1, Math.ceil(nextMs - nowMs())));
        return;
      }
      line.shift();
      first.settle(admission);
    }
  };

  return {
    waitForTurn,
    /** At once, or after a time in the line. */
    enter: (call: Call): Admission | Promise<Admission> => {
      lastUsedMs = nowMs();
      const admission = line.length === 0 ? attempt(call) : undefined;
      if (admission !== undefined) return admission;
      if (lineMs() >= patienceMs()) return refusal();
      const { promise, resolve: settle } = Promise.withResolvers<Admission>();
      line.push({ call, sinceMs: lastUsedMs, settle });
      if (line.length === 1) serve();
      return promise;
    },
    /** Without a line; `most`: there may be less than that many under way. */
    enterNow: (call: Call, most: number): Admission => {
      lastUsedMs = nowMs();
      return (calls.underWay() < most ? attempt(call) : undefined) ?? refusal();
    },
    serve,
    /** Somebody is waiting for places to be given. */
    want: (): void => {
      lastUsedMs = nowMs();
      for (const places of both) places.refuse();
    },
    waiting: (): number => line.length,
    underWay: calls.underWay,
    /** Others have places, and we have none that is free. */
    lacksPlaces: (): boolean => both.some((places) => places.held() < places.total && !places.isFree()),
    places: both,
    isUnused: (forMs: number): boolean => line.length === 0 && calls.isUntouched() && lastUsedMs < nowMs() - forMs,
  };
};
