/** Refuses a problem that contradicts itself, before anything indexes into it. */
import { Failure } from '../../engine/failure.ts';
import type { Problem, TimeWindow } from './problem.ts';
import { stopsOf } from './tasks.ts';

const isWindow = ({ fromS, toS }: TimeWindow): boolean => fromS <= toS;

/** What is wrong first, by its place in the problem. */
const contradiction = ({ places, travel, resources, tasks, budget }: Problem): string | undefined => {
  const isPlace = (place: number): boolean => Number.isInteger(place) && place >= 0 && place < places.length;
  const size = places.length ** 2;
  if (travel.durationsS.length !== size || travel.distancesM.length !== size)
    return 'travel: not from each place to each';
  if (!(budget.iterations !== undefined || budget.milliseconds !== undefined))
    return 'budget: neither iterations nor milliseconds';
  for (const [what, items] of Object.entries({ resources, tasks })) {
    if (new Set(items.map(({ id }) => id)).size < items.length) return `${what}: two have the same id`;
  }
  for (const { id, start, end, shift, break: pause } of resources) {
    if (!isPlace(start) || !isPlace(end)) return `resource ${id}: starts or ends at no place`;
    if (!isWindow(shift) || (pause !== undefined && !isWindow(pause.window)))
      return `resource ${id}: a window that ends before it begins`;
  }
  for (const task of tasks) {
    for (const { place, windows, serviceS } of stopsOf(task)) {
      if (!isPlace(place)) return `task ${task.id}: a stop at no place`;
      if (!windows.every(isWindow) || !(serviceS >= 0))
        return `task ${task.id}: a window that ends before it begins, or a negative service`;
    }
  }
  return undefined;
};

export const checkProblem = (problem: Problem): void => {
  const found = contradiction(problem);
  if (found === undefined) return;
  throw new Failure(`The problem contradicts itself: ${found}`, { code: 'plan_problem_invalid' });
};
