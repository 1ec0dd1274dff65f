/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** The embedded planner, in this thread: it returns when the budget is spent. */
import { createEvaluate } from './evaluate.ts';
import { compile } from './model.ts';
import type { Plan, Problem, Route, StopRef } from './problem.ts';
import { canTake, reasonFor } from './reasons.ts';
import { filledRoutes } from './insertions.ts';
import { createRoutes } from './routes.ts';
import { type Outside, search } from './search.ts';
import type { Solution } from './solution.ts';

/** The stops of each resource, in the order of the problem. */
const sequencesOf = ({ routes }: Solution): readonly (readonly StopRef[])[] => {
  const { model, next } = routes;
  return model.problem.resources.map((_, route) => {
    const refs: StopRef[] = [];
    for (let node = next[model.stops + route]!; node < model.stops; node = next[node]!) {
      const task = model.taskOf[node]!;
      refs.push({ task: model.problem.tasks[task]!.id, stop: model.firstStop[task] === node ? 0 : 1 });
    }
    return refs;
  });
};

/** With the reasons for what is on none of the routes. */
export const planOf = (problem: Problem, routes: readonly Route[], iterations: number): Plan => {
  const model = compile(problem);
  const empty = createRoutes(model);
  const filled = filledRoutes(model, routes);
  const isOpen = (task: number): boolean => filled.routeOf[model.firstStop[task]!]! < 0;
  const hasRoom = (task: number): boolean => problem.resources.some((_, resource) => canTake(filled, task, resource));
  return {
    routes,
    unassigned: [...problem.tasks.keys()]
      .filter(isOpen)
      .map((task) => reasonFor(empty, task, undefined, hasRoom(task))),
    cost: routes.reduce((sum, { cost }) => sum + cost, 0),
    distanceM: routes.reduce((sum, { distanceM }) => sum + distanceM, 0),
    iterations,
  };
};

export const solve = (problem: Problem, outside: Outside): Plan => {
  const { solution, iterations } = search(problem, outside);
  const evaluate = createEvaluate(problem);
  const routes = sequencesOf(solution).flatMap((refs, at) =>
    refs.length === 0 ? [] : [evaluate(problem.resources[at]!.id, refs).route],
  );
  return planOf(problem, routes, iterations);
};
