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
    { file: 'platform/records/dispatches.ts', find: 'FIRST_LEASE_MS = 60_000', put: `FIRST_LEASE_MS = ${leaseMs}` },
    {
      file: 'platform/records/attempt-log.ts',
      find: 'MARGIN_MS = 15_000',
      put: `MARGIN_MS = ${Math.min(15_000, 3_000 * patience)}`,
    },
    {
      file: 'platform/records/deliveries.ts',
      find: 'HOLDS_A_PLACE_MS = 15_000',
      put: `HOLDS_A_PLACE_MS = ${Math.min(15_000, leaseMs / 2)}`,
    },
    {
      file: 'platform/records/deliveries.ts',
      find: 'LEASE_MS = 45_000',
      put: `LEASE_MS = ${Math.min(45_000, leaseMs)}`,
    },
    {
      file: 'platform/api/idempotent.ts',
      find: 'ABANDONED_AFTER_MS = 60_000',
      put: `ABANDONED_AFTER_MS = ${abandonedMs}`,
    },
    { file: 'platform/processes/upkeep.ts', find: 'GRACE_MS = 10_000', put: 'GRACE_MS = 2_000' },
    { file: 'platform/processes/upkeep.ts', find: 'REQUEUE_EVERY_MS = 5_000', put: 'REQUEUE_EVERY_MS = 1_000' },
    { file: 'platform/queue/worker.ts', find: 'lockDurationMs = 30_000', put: `lockDurationMs = ${lockMs}` },
    { file: 'platform/queue/worker.ts', find: 'stalledIntervalMs = 5_000', put: 'stalledIntervalMs = 2_000' },
  ];
};

/** Reconcilers that take everything for lost at once, twenty times a second. */
export const EAGER: readonly Patch[] = [
  { file: 'platform/processes/upkeep.ts', find: 'GRACE_MS = 10_000', put: 'GRACE_MS = 0' },
  { file: 'platform/processes/upkeep.ts', find: 'REQUEUE_EVERY_MS = 5_000', put: 'REQUEUE_EVERY_MS = 50' },
  { file: 'platform/processes/upkeep.ts', find: 'LOOK_EVERY_MS = 1_000', put: 'LOOK_EVERY_MS = 10' },
];
