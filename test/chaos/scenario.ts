/** What one row of the fault table is made of. See docs/reliability.md for the table. */

/** small: CI; quick: every row within ten minutes, on both backends; full: the table. */
export const DOSES = ['small', 'quick', 'full'] as const;
export type Dose = (typeof DOSES)[number];

export const BACKENDS = ['postgres', 'redis'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Sizes told on the command line; a row takes its dose's own where there is none. */
export interface Sizes {
  readonly dispatches?: number;
  readonly kills?: number;
  readonly minutes?: number;
}

export interface ScenarioContext {
  /** All random choices come from it. */
  readonly seed: number;
  readonly dose: Dose;
  readonly sizes: Sizes;
  readonly backend: Backend;
  /** What limits of time are multiplied by: 1 on a machine of our own, more on one that others keep busy. */
  readonly patience: number;
  /** Of the row; gone when it ends, unless CHAOS_KEEP is set. */
  readonly folder: string;
  /** Aborts when the time of the row is up. */
  readonly signal: AbortSignal;
  log(line: string): void;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, number | string>>;
  /** What did not hold. A row without any is green. */
  readonly violations: readonly string[];
  /** Why the row could not be tried here; shown, never taken for green. */
  readonly skipped?: string;
}

export interface Scenario {
  readonly name: string;
  /** One line: what holds. */
  readonly promise: string;
  /** The queue backend that it is about; runs on each unless told. */
  readonly onlyOn?: Backend;
  /** How much of a machine it needs, against one that mostly waits: 1 unless told. See `--parallel`. */
  readonly weight?: number;
  /** A row that takes longer is red. Standard: see `main.ts`. */
  readonly limitMinutes?: Readonly<Partial<Record<Dose, number>>>;
  run(context: ScenarioContext): Promise<Outcome>;
}
