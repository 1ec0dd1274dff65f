import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createInsertions, insertionCosts } from '../../../src/fleet/plan/insertions.ts';
import type { Plan, TimeWindow } from '../../../src/fleet/plan/problem.ts';
import { createEvaluate } from '../../../src/fleet/plan/evaluate.ts';
import { planOf } from '../../../src/fleet/plan/solve.ts';
import { faultsOf } from './check.ts';
import { problems } from './problems.ts';
import { delivery, driver, HOUR_S, planned, town } from './town.ts';

it('says what each driver would take a task for, cheapest first, and why another cannot', () => {
  const problem = town(
    [driver('ann'), driver('bob'), driver('small', { capacity: { weightKg: 5 } })],
    [delivery('there', 8), delivery('asked', 6)],
  );
  const plan = planned({ ...problem, tasks: problem.tasks.slice(0, 1) });
  const [cheapest, next, last] = insertionCosts(problem, plan, 'asked');
  expect(cheapest).toMatchObject({ kind: 'possible', resource: plan.routes[0]!.resource, addedCost: 0, addedM: 0 });
  expect(next).toMatchObject({ kind: 'possible', addedCost: 22, positions: [0], arrivalS: 8 * HOUR_S + 360 });
  expect(last).toMatchObject({ kind: 'impossible', resource: 'small', code: 'capacity' });
});

const at = (id: string, window: TimeWindow) =>
  delivery(id, 10, { stop: { place: 10, windows: [window], serviceS: HOUR_S } });

it('checks slots: a window has room until the routes are full then', () => {
  const morning: TimeWindow = { fromS: 8 * HOUR_S, toS: 8 * HOUR_S + 1200 };
  const problem = town(
    [driver('ann')],
    [at('first', morning), at('second', morning), at('later', { ...morning, toS: 12 * HOUR_S })],
  );
  const full = planned({ ...problem, tasks: problem.tasks.slice(0, 1) });
  const hasRoom = (plan: Pick<Plan, 'routes'>, task: string): boolean =>
    createInsertions(problem)(plan, task).some(({ kind }) => kind === 'possible');
  expect(hasRoom({ routes: [] }, 'second')).toBe(true);
  expect(hasRoom(full, 'second')).toBe(false);
  expect(hasRoom(full, 'later')).toBe(true);
});

it('the cheapest insertion of every task keeps all constraints and costs what was said', () => {
  fc.assert(
    fc.property(problems(30), (problem) => {
      const plan = planned(problem);
      const evaluate = createEvaluate(problem);
      const insertions = createInsertions(problem);
      for (const { id } of problem.tasks) {
        const without = plan.routes.flatMap(({ resource, stops }) => {
          const left = stops.filter(({ task }) => task !== id);
          return left.length === 0 ? [] : [evaluate(resource, left).route];
        });
        for (const insertion of insertions(plan, id)) {
          if (insertion.kind === 'impossible') continue;
          const { resource, positions, addedCost, route } = insertion;
          expect(positions.map((at) => route.stops[at]?.task)).toEqual(positions.map(() => id));
          const { cost } = without.find((each) => each.resource === resource) ?? { cost: 0 };
          expect(addedCost).toBeCloseTo(route.cost - cost, 6);
          const routes = [...without.filter((each) => each.resource !== resource), route];
          expect(faultsOf(problem, planOf(problem, routes, 0))).toEqual([]);
        }
      }
    }),
    { numRuns: 15 },
  );
});
