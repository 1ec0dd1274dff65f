import { expect, it } from 'vitest';
import { planInThread } from '../../../src/fleet/plan/thread.ts';
import { faultsOf } from './check.ts';
import { delivery, driver, planned, town } from './town.ts';

const problem = town(
  [driver('ann'), driver('bob')],
  Array.from({ length: 18 }, (_, index) => delivery(`task ${index}`, index + 1)),
);

it('a thread makes the same plan as the search itself', async () => {
  expect(await planInThread(problem)).toEqual(planned(problem));
});

it('a search that would go on is ended by its signal, and gives its best plan', async () => {
  const ended = new AbortController();
  const told: number[] = [];
  const plan = await planInThread(
    { ...problem, budget: { milliseconds: 600_000 } },
    {
      signal: ended.signal,
      onProgress: ({ iterations, fraction, best }) => {
        told.push(iterations);
        expect(fraction).toBeLessThan(1);
        expect(best.unassigned).toBe(0);
        ended.abort();
      },
    },
  );
  expect(faultsOf(problem, plan)).toEqual([]);
  expect(plan.unassigned).toEqual([]);
  expect(plan.iterations).toBeGreaterThanOrEqual(told[0]!);
});

it('one that is ended before it begins still gives every task a place', async () => {
  const plan = await planInThread({ ...problem, budget: { milliseconds: 600_000 } }, { signal: AbortSignal.abort() });
  expect(plan.unassigned).toEqual([]);
  expect(plan.iterations).toBeLessThan(100);
});

it('a problem that contradicts itself is refused', async () => {
  const lost = { ...problem, tasks: [delivery('lost', 99)] };
  await expect(planInThread(lost)).rejects.toMatchObject({ code: 'plan_problem_invalid' });
});
