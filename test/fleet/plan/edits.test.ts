import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lockStops,
  lockTasks,
  moveTask,
  reassignRoute,
  reevaluate,
  splitRoute,
  unassignTask,
  unlockTasks,
} from '../../../src/fleet/plan/edits.ts';
import { faultsOf } from './check.ts';
import { problems } from './problems.ts';
import { delivery, driver, HOUR_S, outline, planned, town } from './town.ts';

const ann = driver('ann');
const bob = driver('bob', { skills: ['install'] });
const problem = town([ann, bob], [delivery('near', 2), delivery('middle', 5), delivery('far', 9)]);
const plan = planned(problem);

describe('a plan changed by hand', () => {
  it('begins as one route, out and back', () => {
    expect(outline(plan)).toHaveLength(1);
    expect(plan.distanceM).toBe(18_000);
  });

  it('has a task on another route, at the position that was asked for', () => {
    const [from] = plan.routes;
    const to = from?.resource === 'ann' ? 'bob' : 'ann';
    const moved = moveTask(problem, plan, 'middle', { resource: to });
    expect(moved.violations).toEqual([]);
    expect(faultsOf(problem, moved.plan)).toEqual([]);
    expect(outline(moved.plan)).toContain(`${to}: middle`);
    const first = moveTask(problem, moved.plan, 'far', { resource: to, positions: [0] });
    expect(outline(first.plan)).toContain(`${to}: far middle`);
  });

  it('leaves a task out, and says that there is room for it', () => {
    const { plan: less } = unassignTask(problem, plan, 'far');
    expect(less.unassigned).toEqual([expect.objectContaining({ task: 'far', code: 'not_planned' })]);
    expect(less.distanceM).toBe(10_000);
  });

  it('is split in two routes, and given to another driver whole', () => {
    const from = plan.routes[0]!.resource;
    const to = from === 'ann' ? 'bob' : 'ann';
    const split = splitRoute(problem, plan, { from, position: 1, to });
    expect(split.violations).toEqual([]);
    expect(split.plan.routes.map(({ stops }) => stops.length).toSorted((a, b) => a - b)).toEqual([1, 2]);
    const swapped = reassignRoute(problem, split.plan, from, to);
    expect(swapped.plan.routes.find(({ resource }) => resource === to)?.stops).toHaveLength(1);
    expect(faultsOf(problem, swapped.plan)).toEqual([]);
  });

  it('names what each edit breaks, and yields the plan all the same', () => {
    const needy = town(
      [ann, bob],
      [
        delivery('installed', 3, { skills: ['install'] }),
        delivery('early', 9, {
          stop: { place: 9, windows: [{ fromS: 8 * HOUR_S, toS: 8 * HOUR_S + 600 }], serviceS: 60 },
        }),
      ],
    );
    const before = planned(needy);
    const codes = (task: string, resource: string, positions?: number[]): unknown =>
      moveTask(needy, before, task, { resource, positions }).violations.map(({ code }) => code);
    expect(codes('installed', 'ann')).toContain('skills');
    const withEarly = before.routes.find(({ stops }) => stops.some(({ task }) => task === 'early'))!.resource;
    expect(codes('installed', withEarly, [0])).toContain('window');
    const one = town([ann], [delivery('light', 1), delivery('heavy', 2, { delivers: { weightKg: 95 } })]);
    const half = planned(one);
    const [{ task: left } = expect.fail()] = half.unassigned;
    const overloaded = moveTask(one, half, left, { resource: 'ann' });
    expect(overloaded.violations.map(({ code }) => code)).toEqual(['capacity']);
    expect(outline(overloaded.plan)).toHaveLength(1);
  });

  it('keeps what is locked: to a driver, or in its place', () => {
    const from = plan.routes[0]!.resource;
    const to = from === 'ann' ? 'bob' : 'ann';
    const bound = lockTasks(problem, plan, ['far']);
    expect(moveTask(bound, plan, 'far', { resource: to }).violations).toEqual([
      expect.objectContaining({ code: 'resource', task: 'far' }),
    ]);
    const [first] = plan.routes[0]!.stops;
    const fixed = lockStops(problem, plan, from, 1);
    const pushed = moveTask(fixed, plan, plan.routes[0]!.stops[2]!.task, { resource: from, positions: [0] });
    expect(pushed.violations).toEqual([expect.objectContaining({ code: 'head', task: first!.task })]);
    const free = unlockTasks(unlockTasks(fixed, [first!.task]), ['far']);
    expect(moveTask(free, plan, 'far', { resource: to }).violations).toEqual([]);
  });

  it('comes to the same by its sequences alone, whatever the problem', () => {
    fc.assert(
      fc.property(problems(40), (random) => {
        const made = planned(random);
        const { plan: again, violations } = reevaluate(random, made);
        expect(violations).toEqual([]);
        expect(again.routes).toEqual(made.routes);
      }),
      { numRuns: 30 },
    );
  });
});
