import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEvaluate } from '../../../src/fleet/plan/evaluate.ts';
import type { Plan, Problem, Progress } from '../../../src/fleet/plan/problem.ts';
import { solve } from '../../../src/fleet/plan/solve.ts';
import { faultsOf } from './check.ts';
import { problems } from './problems.ts';

const plan = (problem: Problem): Plan => solve(problem, { nowMs: () => 0, isStopped: () => false });

it('every plan of a random problem keeps all constraints, and leaves nothing over without a reason', () => {
  fc.assert(
    fc.property(problems(100), (problem) => {
      expect(faultsOf(problem, plan(problem))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it('a budget of no iterations gives the plan of the construction', () => {
  fc.assert(
    fc.property(problems(1), (random) => {
      const problem = { ...random, budget: { iterations: 0 } };
      const fractions: number[] = [];
      const onProgress = ({ fraction }: Progress): void => void fractions.push(fraction);
      const made = solve(problem, { nowMs: () => 0, isStopped: () => false, onProgress });
      expect(made.iterations).toBe(0);
      expect(fractions).toEqual([1]);
      expect(faultsOf(problem, made)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

it('the same seed and iterations give the same plan', () => {
  fc.assert(
    fc.property(problems(300), (problem) => {
      expect(plan(problem)).toEqual(plan(structuredClone(problem)));
    }),
    { numRuns: 30 },
  );
});

it('what the planner holds feasible, the evaluation of its routes does too', () => {
  fc.assert(
    fc.property(problems(50), (problem) => {
      const evaluate = createEvaluate(problem);
      for (const route of plan(problem).routes) {
        expect(evaluate(route.resource, route.stops)).toEqual({ route, violations: [] });
      }
    }),
    { numRuns: 50 },
  );
});
