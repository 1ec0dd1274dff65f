import type { Scenario } from './scenario.ts';

/** All rows, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [];
