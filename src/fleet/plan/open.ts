/** What is still open of a day under way, as a problem of its own: stops that are done or begun are no part of it. */
import type { Load, Plan, Problem, Resource, Route, Task } from './problem.ts';
import { addLoads, loadsOf } from './tasks.ts';

/** How far a route is. */
export interface Begun {
  readonly resource: string;
  /** Stops of the plan's route that are done, given up or begun: the first so many. */
  readonly stops: number;
  /** When the last of them will be left; of a route without any, when it can start. */
  readonly leavesS: number;
  readonly isBreakTaken: boolean;
  /** Tasks among those stops whose goods are aboard still, as nobody took them. */
  readonly failed?: readonly string[] | undefined;
}

const loadOf = (task: Task, isCollected: boolean): Load =>
  isCollected ? loadsOf(task).collected : addLoads(loadsOf(task).delivered, loadsOf(task).carried);

/**
 * Each begun route starts where its last stop was, with what is aboard; what was loaded at its start for stops to come stays with
 * it. Everything else may go anywhere.
 */
export const openProblem = (problem: Problem, { routes }: Plan, begun: readonly Begun[]): Problem => {
  const tasks = new Map(problem.tasks.map((task) => [task.id, task]));
  const progress = begun.flatMap((each) => {
    const route = routes.find(({ resource }) => resource === each.resource);
    return route === undefined ? [] : [{ ...each, route, past: route.stops.slice(0, each.stops) }];
  });
  const isPast = new Set(progress.flatMap(({ past }) => past.map(({ task, stop }) => `${stop} ${task}`)));
  const holders = new Map(progress.flatMap(({ route }) => route.stops.map(({ task }) => [task, route.resource])));

  const open = (task: Task): readonly Task[] => {
    const resource = holders.get(task.id);
    if (resource === undefined) return [task];
    if (task.kind === 'shipment') {
      if (isPast.has(`1 ${task.id}`)) return [];
      if (!isPast.has(`0 ${task.id}`)) return [task];
      const { pickup: _, delivery: stop, carries: delivers, ...terms } = task;
      return [{ ...terms, kind: 'delivery', stop, delivers, resource, depot: undefined }];
    }
    if (isPast.has(`0 ${task.id}`)) return [];
    return task.kind === 'pickup' ? [task] : [{ ...task, resource, depot: undefined }];
  };

  const underWay = (resource: Resource): Resource => {
    const found = progress.find((each) => each.resource === resource.id);
    if (found === undefined) return resource;
    const { past, leavesS, isBreakTaken, failed = [] } = found;
    const aboard = past.reduce(
      (sum, { task: id, stop }) => {
        const task = tasks.get(id);
        if (task === undefined || (task.kind === 'shipment' && stop === 0)) return sum;
        return addLoads(sum, loadOf(task, !failed.includes(id)));
      },
      addLoads({}, resource.aboard ?? {}),
    );
    return {
      ...resource,
      start: past.at(-1)?.place ?? resource.start,
      shift: { fromS: Math.max(leavesS, resource.shift.fromS), toS: resource.shift.toS },
      break: isBreakTaken ? undefined : resource.break,
      aboard,
      // It is on its way already.
      fixedCost: 0,
      head: resource.head
        ?.filter(({ task, stop }) => !isPast.has(`${stop} ${task}`))
        .map((ref) => (isPast.has(`0 ${ref.task}`) ? { ...ref, stop: 0 } : ref)),
    };
  };

  return { ...problem, tasks: problem.tasks.flatMap(open), resources: problem.resources.map(underWay) };
};

/** The routes of a re-plan of what is open, each behind the stops that were done before it. */
export const joinRoutes = (
  before: Plan,
  begun: readonly Begun[],
  replanned: Plan,
): readonly Pick<Route, 'resource' | 'stops'>[] => {
  const past = new Map(
    begun.map(({ resource, stops }) => [
      resource,
      before.routes.find((route) => route.resource === resource)?.stops.slice(0, stops) ?? [],
    ]),
  );
  const pickedUp = new Set([...past.values()].flat().map(({ task }) => task));
  const later = new Map(replanned.routes.map(({ resource, stops }) => [resource, stops]));
  return [...new Set([...past.keys(), ...later.keys()])].map((resource) => ({
    resource,
    stops: [
      ...(past.get(resource) ?? []),
      ...(later.get(resource) ?? []).map((stop) => (pickedUp.has(stop.task) ? { ...stop, stop: 1 as const } : stop)),
    ],
  }));
};
