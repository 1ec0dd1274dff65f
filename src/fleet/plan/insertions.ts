/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** What it would cost to give a task to each resource, the rest of a plan as it is: for explanations, moves and delivery slots. */
import { createEvaluate } from './evaluate.ts';
import { clearSpot, NO_BLINKS, scanRoute } from './insertion.ts';
import { compile, indexesById, type Model } from './model.ts';
import type { Plan, Problem, Route, StopRef, UnassignedCode } from './problem.ts';
import { reasonFor } from './reasons.ts';
import { createRoutes, insert, type Routes, update } from './routes.ts';
import { refsOf } from './tasks.ts';

export type Insertion =
  | {
      readonly kind: 'possible';
      readonly resource: string;
      /** Of the task's stops, on the route with them. */
      readonly positions: readonly number[];
      readonly addedCost: number;
      readonly addedM: number;
      /** Arrival at its first stop. */
      readonly arrivalS: number;
      /** The whole route as it would be. */
      readonly route: Route;
    }
  | {
      readonly kind: 'impossible';
      readonly resource: string;
      readonly code: UnassignedCode;
      readonly message: string;
    };

/** The state of the search for a plan's routes. */
export const filledRoutes = (
  model: Model,
  routes: readonly { readonly resource: string; readonly stops: readonly StopRef[] }[],
): Routes => {
  const filled = createRoutes(model);
  const tasks = indexesById(model.problem.tasks);
  const resources = indexesById(model.problem.resources);
  for (const { resource, stops } of routes) {
    const route = resources.get(resource);
    if (route === undefined) throw new RangeError(`The problem has no “${resource}”`);
    const end = model.stops + route + model.resources;
    for (const { task, stop } of stops) {
      const node = model.firstStop[tasks.get(task)!]! + stop;
      insert(filled, node, filled.previous[end]!);
    }
    update(filled, route);
  }
  return filled;
};

/** Asks about one task after another, of one plan or another; a task on a route is thought off it. */
export const createInsertions = (
  problem: Problem,
): ((plan: Pick<Plan, 'routes'>, task: string) => readonly Insertion[]) => {
  const model = compile(problem);
  const empty = createRoutes(model);
  const evaluate = createEvaluate(problem);
  const tasks = indexesById(problem.tasks);
  return (plan, id) => {
    const task = tasks.get(id);
    if (task === undefined) throw new RangeError(`The problem has no “${id}”`);
    const without = plan.routes.map(({ resource, stops }) => ({
      resource,
      stops: stops.filter((stop) => stop.task !== id),
    }));
    const routes = filledRoutes(model, without);
    const byResource = new Map(without.map(({ resource, stops }) => [resource, stops]));
    return problem.resources.map(({ id: resource }, index): Insertion => {
      const spot = clearSpot({ delta: 0, route: -1, after: 0, afterSecond: 0 });
      scanRoute(routes, task, index, spot, NO_BLINKS);
      if (spot.route < 0) {
        const { code, message } = reasonFor(empty, task, index);
        return { kind: 'impossible', resource, code, message };
      }
      const before: readonly StopRef[] = byResource.get(resource) ?? [];
      const positionAfter = (node: number): number => {
        let position = 0;
        for (let at = node; at < model.stops; at = routes.previous[at]!) position += 1;
        return position;
      };
      const [first, second] = refsOf(problem.tasks[task]!);
      const at = positionAfter(spot.after);
      const isTogether = spot.afterSecond === model.firstStop[task];
      const positions = second === undefined ? [at] : [at, isTogether ? at + 1 : positionAfter(spot.afterSecond) + 1];
      const after = before.toSpliced(at, 0, first!);
      const { route } = evaluate(resource, second === undefined ? after : after.toSpliced(positions[1]!, 0, second));
      const { cost, distanceM } = before.length === 0 ? { cost: 0, distanceM: 0 } : evaluate(resource, before).route;
      return {
        kind: 'possible',
        resource,
        positions,
        addedCost: route.cost - cost,
        addedM: route.distanceM - distanceM,
        arrivalS: route.stops[at]!.arrivalS,
        route,
      };
    });
  };
};

/** What each resource would take a task for, cheapest first, and then those that cannot, with the reason. */
export const insertionCosts = (problem: Problem, plan: Pick<Plan, 'routes'>, task: string): readonly Insertion[] => {
  const cost = (insertion: Insertion): number => (insertion.kind === 'possible' ? insertion.addedCost : Infinity);
  return createInsertions(problem)(plan, task).toSorted((a, b) => (cost(a) === cost(b) ? 0 : cost(a) - cost(b)));
};
