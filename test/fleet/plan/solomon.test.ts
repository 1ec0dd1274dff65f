import { expect, it } from 'vitest';
import { readSolomon, SOLOMON_MISSING, solomonProblem } from '../../../bench/fleet/solomon.ts';
import { solve } from '../../../src/fleet/plan/solve.ts';
import { faultsOf } from './check.ts';

const read = readSolomon();

/** With a small part of the iterations of a minute; `bench/fleet` has the rest. */
it.for([
  ['C101', 10, 1.001],
  ['R101', 19, 1.05],
  ['RC201', 4, 1.15],
] as const)('%s of Solomon is planned with the best-known vehicles: %i', ([name, vehicles, share], { skip }) => {
  if (read === undefined) return skip(SOLOMON_MISSING);
  const problem = solomonProblem(read.instances[name]!, 1, { iterations: 4_000 });
  const plan = solve(problem, { nowMs: () => 0, isStopped: () => false });
  expect(faultsOf(problem, plan)).toEqual([]);
  expect(plan.unassigned).toEqual([]);
  expect(plan.routes).toHaveLength(vehicles);
  expect(plan.cost / read.bestKnown[name]!.distance).toBeLessThan(share);
});
