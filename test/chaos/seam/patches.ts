/** Changes of the sources for a run: what makes it quicker, and what must turn it red. */
import type { ScenarioContext } from '../scenario.ts';

/** Sent to a child: its point kills no more. */
export const DISARM = 'disarm';

/** Begins the line, on standard error, of a process that dies at a point of its own. */
export const DIES_AT = 'chaos: dies at ';

export interface Patch {
  /** Under src/. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

/** Gives the constant another value than the source does. */
const constant = (file: string, find: string, value: number): Patch => ({
  file,
  find,
  put: find.replace(/[\d_]+$/, String(value)),
});

/** The full dose waits as long as one waits in production. */
export const leases = ({ dose, patience }: ScenarioContext): readonly Patch[] =>
  dose === 'full' ? [] : shortLeases(patience);

/** Leases of seconds, so that a run need not wait for a minute: the same rules, sooner. */
export const shortLeases = (patience: number): readonly Patch[] => {
  const leaseMs = Math.min(60_000, 8_000 * patience);
  // Whoever is still at it after the deadline of every answer is no longer there.
  const abandonedMs = Math.min(60_000, 12_000 * patience);
  const lockMs = Math.min(30_000, 6_000 * patience);
  return [
    constant('platform/records/dispatches.ts', 'FIRST_LEASE_MS = 60_000', leaseMs),
    constant('platform/records/attempt-log.ts', 'MARGIN_MS = 15_000', Math.min(15_000, 3_000 * patience)),
    constant('platform/records/deliveries.ts', 'LEASE_MS = 45_000', Math.min(45_000, leaseMs)),
    constant('platform/api/idempotent.ts', 'ABANDONED_AFTER_MS = 60_000', abandonedMs),
    constant('platform/queue/dispatch-queue.ts', 'LOCK_MS = 30_000', lockMs),
    constant('platform/queue/dispatch-queue.ts', 'STALLED_INTERVAL_MS = 5_000', 2_000),
  ];
};

/** Pumps that look twenty times a second. */
export const EAGER: readonly Patch[] = [
  constant('platform/processes/deliveries.ts', 'LOOK_EVERY_MS = 2_000', 50),
  constant('platform/processes/workers.ts', 'LOOK_EVERY_MS = 2_000', 50),
  constant('platform/processes/labels.ts', 'LOOK_EVERY_MS = 5_000', 50),
  constant('platform/processes/dispatching.ts', 'LOOK_EVERY_MS = 1_000', 10),
];
