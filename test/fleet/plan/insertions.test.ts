import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { moveTask, unassignTask } from '../../../src/fleet/plan/edits.ts';
import { canInsert, createInsertions, insertionCosts } from '../../../src/fleet/plan/insertions.ts';
import type { TimeWindow } from '../../../src/fleet/plan/problem.ts';
import { problems } from './problems.ts';
import { delivery, driver, HOUR_S, planned, town } from './town.ts';

it('says what each driver would take a task for, cheapest first, and why another cannot', () => {
  const problem = town(
    [driver('ann'), driver('bob'), driver('small', { capacity: { weightKg: 5 } })],
    [delivery('there', 8), delivery('asked', 6)],
  );
  const plan = unassignTask(problem, planned(problem), 'asked').plan;
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
  expect(canInsert(problem, { routes: [] }, 'second')).toBe(true);
  expect(canInsert(problem, full, 'second')).toBe(false);
  expect(canInsert(problem, full, 'later')).toBe(true);
});

it('the cheapest insertion of every task keeps all constraints and costs what was said', () => {
  fc.assert(
    fc.property(problems(30), (problem) => {
      const plan = planned(problem);
      const insertions = createInsertions(problem, plan);
      for (const { id } of problem.tasks) {
        const without = unassignTask(problem, plan, id).plan;
        for (const insertion of insertions(id)) {
          if (insertion.kind === 'impossible') continue;
          const { resource, positions, addedCost } = insertion;
          const moved = moveTask(problem, without, id, { resource, positions });
          expect(moved.violations).toEqual([]);
          expect(moved.plan.cost - without.cost).toBeCloseTo(addedCost, 6);
        }
      }
    }),
    { numRuns: 15 },
  );
});
