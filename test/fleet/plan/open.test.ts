import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Begun, joinRoutes, openProblem } from '../../../src/fleet/plan/open.ts';
import { faultsOf } from './check.ts';
import { problems } from './problems.ts';
import { delivery, driver, HOUR_S, outline, planned, town } from './town.ts';

it('plans anew what is open: done stops stay, loaded goods stay aboard, a new pickup joins a route under way', () => {
  const problem = town([driver('ann')], [delivery('a', 2), delivery('b', 5), delivery('c', 9)]);
  const before = planned(problem);
  const [first, ...rest] = before.routes[0]!.stops;
  const begun: Begun[] = [{ resource: 'ann', stops: 1, leavesS: 10 * HOUR_S, isBreakTaken: false }];
  const stop = { place: 7, windows: [], serviceS: 60 };
  const more = town(
    [driver('ann'), driver('bob')],
    [...problem.tasks, { id: 'new', kind: 'pickup', stop, collects: { weightKg: 10 }, skills: [], priority: 0 }],
  );
  const open = openProblem(more, before, begun);
  expect(open.tasks.map(({ id }) => id).toSorted()).toEqual([...rest.map(({ task }) => task), 'new'].toSorted());
  const after = planned(open);
  expect(faultsOf(open, after)).toEqual([]);
  expect(after.routes.map(({ resource, startS }) => [resource, startS >= 10 * HOUR_S])).toEqual([['ann', true]]);
  expect(outline({ routes: joinRoutes(before, begun, after) as never })[0]).toMatch(
    new RegExp(`^ann: ${first!.task} `),
  );
});

it('what could not be delivered is aboard to the end', () => {
  const problem = town([driver('ann')], [delivery('a', 2), delivery('b', 5)]);
  const before = planned(problem);
  const { task } = before.routes[0]!.stops[0]!;
  const begun = { resource: 'ann', stops: 1, leavesS: 9 * HOUR_S, isBreakTaken: false };
  const aboard = (failed: readonly string[]) =>
    openProblem(problem, before, [{ ...begun, failed }]).resources[0]!.aboard;
  expect(aboard([task])).toMatchObject({ weightKg: 10 });
  expect(aboard([])).toMatchObject({ weightKg: 0 });
});

it('wherever a day is broken off as planned, the rest can still be done as planned', () => {
  fc.assert(
    fc.property(problems(60), fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), (problem, cuts) => {
      const before = planned(problem);
      const begun = before.routes.map(({ resource, stops, startS, break: pause }, index): Begun => {
        const count = cuts[index]! % (stops.length + 1);
        const leavesS = stops[count - 1]?.departureS ?? startS;
        return { resource, stops: count, leavesS, isBreakTaken: pause !== undefined && pause.before < count };
      });
      const open = openProblem(problem, before, begun);
      const rest = planned({ ...open, objective: 'least_cost', budget: { iterations: 300 } });
      expect(faultsOf(open, rest)).toEqual([]);
      const joined = joinRoutes(before, begun, rest).flatMap(({ resource, stops }) =>
        stops.map(({ task, stop }) => `${resource} ${task} ${stop}`),
      );
      expect(new Set(joined).size).toBe(joined.length);
      for (const [index, { resource, stops }] of before.routes.entries()) {
        for (const { task, stop } of stops.slice(0, begun[index]!.stops))
          expect(joined).toContain(`${resource} ${task} ${stop}`);
      }
    }),
    { numRuns: 30 },
  );
});
