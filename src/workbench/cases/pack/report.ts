import type { CaseProblem } from '../report.ts';

/** What became of a scenario of the platform's own pack, for one carrier. */
export interface ScenarioReport {
  readonly carrier: string;
  /** Stable, as `timeout-after-send`. */
  readonly scenario: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'pending';
  /** Of a pending one: what it waits for. */
  readonly reason: string | undefined;
  readonly problems: readonly CaseProblem[];
}
