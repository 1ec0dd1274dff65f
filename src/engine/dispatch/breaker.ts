/** The circuit breaker of a carrier: after failures in a row it admits one trial call in each pause, until one succeeds. */
import type { Limits } from '../profile/carrier.ts';

/** A call that hangs for so long weighs as much as one more error. */
const HANGS_MS = 10_000;
/** While a trial call is under way, others come back after so long; if it was not answered by then, at the next. */
const TRIAL_ANSWERS_MS = 3_000;

/** Our own call, as it comes back to us. */
const SAME_MS = 5;

/** What a process has seen of a carrier since it last said so. */
export interface BreakerReport {
  readonly failures: number;
  /** A call succeeded before those failures. */
  readonly isReset: boolean;
  readonly newestAgoMs: number | undefined;
  readonly healthyAgoMs: number | undefined;
  /** A trial is due here: whoever is told that it is theirs makes it. */
  readonly trial: Limits['breaker'] | undefined;
}

/** What all processes have seen. */
export interface BreakerView {
  readonly failures: number;
  readonly newestAgoMs: number | undefined;
  readonly healthyAgoMs: number | undefined;
  readonly isTrialOurs: boolean;
  /** An operator keeps it open for so long still. */
  readonly keptOpenForMs?: number | undefined;
}

const ago = (atMs: number | undefined, nowMs: number): number | undefined =>
  atMs === undefined || atMs === -Infinity ? undefined : nowMs - atMs;

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** A trial that hangs blocks none after it. */
export const createCircuitBreaker = (nowMs: () => number) => {
  let underWay = 0;
  let failuresInARow = 0;
  /** Of the calls that reached the carrier. */
  let newest: { readonly beganMs: number; isUnderWay: boolean } | undefined;
  /** When the newest healthy call began: the end of an older one says nothing of the carrier as it is now. */
  let healthySinceMs = -Infinity;
  /** Not reported yet. */
  let [failures, isReset] = [0, false];
  let trial: Limits['breaker'] | undefined;
  let isTrialOurs = false;
  let keptOpenUntilMs = -Infinity;
  const isKeptOpen = (): boolean => nowMs() < keptOpenUntilMs;
  let isKnownOpen = false;
  return {
    /** Once each time that it opens. */
    hasOpened: ({ failures: most }: Limits['breaker']): boolean => {
      const wasOpen = isKnownOpen;
      isKnownOpen = failuresInARow > 0 && (wasOpen || failuresInARow >= most);
      return isKnownOpen && !wasOpen;
    },
    /** It has opened, and no call went well since. */
    isOpen: () => isKnownOpen && failuresInARow > 0,
    /** When to come back, milliseconds since 1970; undefined: a call may go now. */
    openUntilMs: ({ failures: most, pauseMs }: Limits['breaker']): number | undefined => {
      // Whoever waits looks again before: an operator may close it.
      if (isKeptOpen()) return Math.min(keptOpenUntilMs, nowMs() + pauseMs);
      if (newest === undefined || failuresInARow < most || isTrialOurs) return undefined;
      const nextTrialMs = newest.beganMs + pauseMs;
      const answeredMs = newest.beganMs + TRIAL_ANSWERS_MS;
      if (nowMs() >= nextTrialMs) return undefined;
      return newest.isUnderWay && nowMs() < answeredMs ? Math.min(answeredMs, nextTrialMs) : nextTrialMs;
    },
    /** Whether other processes have to be asked who makes the trial that is due; then the next report asks. */
    asksForTrial: (limits: Limits['breaker']): boolean => {
      if (newest === undefined || failuresInARow < limits.failures || isTrialOurs || isKeptOpen()) return false;
      if (nowMs() < newest.beganMs + limits.pauseMs) return false;
      trial = limits;
      return true;
    },
    begin: () => {
      const call = { beganMs: nowMs(), isUnderWay: true };
      newest = call;
      underWay += 1;
      isTrialOurs = false;
      return (healthy: boolean | undefined): void => {
        underWay -= 1;
        call.isUnderWay = false;
        if (healthy === undefined) {
          if (newest === call) newest = undefined;
        } else if (healthy) {
          [failuresInARow, failures, isReset] = [0, 0, true];
          healthySinceMs = Math.max(healthySinceMs, call.beganMs);
        } else if (call.beganMs >= healthySinceMs) {
          const weight = 1 + Math.max(0, Math.floor((nowMs() - call.beganMs) / HANGS_MS));
          failuresInARow += weight;
          failures += weight;
        }
      };
    },
    isIdle: () => underWay === 0 && failuresInARow === 0 && !isKeptOpen(),
    report: (): BreakerReport => {
      const own = { newestAgoMs: ago(newest?.beganMs, nowMs()), healthyAgoMs: ago(healthySinceMs, nowMs()) };
      const report = { failures, isReset, ...own, trial };
      [failures, isReset, trial] = [0, false, undefined];
      return report;
    },
    /** A report that did not arrive is made again with the next. */
    retract: (report: BreakerReport): void => {
      if (!isReset) [failures, isReset] = [failures + report.failures, report.isReset];
    },
    /** `askedAtMs`: when the report was made, which the view looks back from. */
    apply: (view: BreakerView, askedAtMs: number): void => {
      failuresInARow = isReset ? failures : view.failures + failures;
      isTrialOurs = view.isTrialOurs;
      keptOpenUntilMs = askedAtMs + (view.keptOpenForMs ?? -Infinity);
      const newestMs = askedAtMs - (view.newestAgoMs ?? Infinity);
      if (newestMs > (newest?.beganMs ?? -Infinity) + SAME_MS) newest = { beganMs: newestMs, isUnderWay: true };
      healthySinceMs = Math.max(healthySinceMs, askedAtMs - (view.healthyAgoMs ?? Infinity));
    },
  };
};
