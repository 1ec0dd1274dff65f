/**
 * A plan changed by hand. Each edit yields the plan as it then is and the constraints that it breaks: none, and it may be
 * kept; some, and whoever made it decides.
 */
import { createEvaluate, type Violation } from './evaluate.ts';
import { insertionCosts } from './insertions.ts';
import type { Plan, Problem, StopRef } from './problem.ts';
import { planOf } from './solve.ts';
import { refsOf } from './tasks.ts';

export interface Edited {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
}

type Sequences = ReadonlyMap<string, readonly StopRef[]>;

const sequencesOf = ({ routes }: Plan): Sequences =>
  new Map(routes.map(({ resource, stops }) => [resource, stops.map(({ task, stop }) => ({ task, stop }))]));

const replan = (problem: Problem, { iterations }: Plan, sequences: Sequences): Edited => {
  const evaluate = createEvaluate(problem);
  const evaluated = problem.resources.flatMap(({ id }) => {
    const refs = sequences.get(id) ?? [];
    return refs.length === 0 ? [] : [evaluate(id, refs)];
  });
  return {
    plan: planOf(
      problem,
      evaluated.map(({ route }) => route),
      iterations,
    ),
    violations: evaluated.flatMap(({ violations }) => violations),
  };
};

const without = (plan: Plan, task: string): Sequences =>
  new Map([...sequencesOf(plan)].map(([resource, refs]) => [resource, refs.filter((ref) => ref.task !== task)]));

/** Times, loads and violations of a plan's sequences as the problem now is. */
export const reevaluate = (problem: Problem, plan: Plan): Edited => replan(problem, plan, sequencesOf(plan));

/** `positions` of its stops on the route with them; without: where it costs least, or at the end where it has no room. */
export const moveTask = (
  problem: Problem,
  plan: Plan,
  task: string,
  to: { readonly resource: string; readonly positions?: readonly number[] | undefined },
): Edited => {
  const moved = problem.tasks.find(({ id }) => id === task);
  if (moved === undefined) throw new RangeError(`The problem has no “${task}”`);
  const best = insertionCosts(problem, plan, task).find(({ resource }) => resource === to.resource);
  const positions = to.positions ?? (best?.kind === 'possible' ? best.positions : []);
  const rest = without(plan, task);
  const refs = [...(rest.get(to.resource) ?? [])];
  for (const [index, ref] of refsOf(moved).entries()) refs.splice(positions[index] ?? refs.length, 0, ref);
  return replan(problem, plan, new Map([...rest, [to.resource, refs]]));
};

export const unassignTask = (problem: Problem, plan: Plan, task: string): Edited =>
  replan(problem, plan, without(plan, task));

/** The stops from `position` on go to another resource, behind what it has. */
export const splitRoute = (
  problem: Problem,
  plan: Plan,
  { from, position, to }: { readonly from: string; readonly position: number; readonly to: string },
): Edited => {
  const sequences = sequencesOf(plan);
  const refs = sequences.get(from) ?? [];
  const moved = [...(sequences.get(to) ?? []), ...refs.slice(position)];
  return replan(problem, plan, new Map([...sequences, [from, refs.slice(0, position)], [to, moved]]));
};

/** The route goes to another driver or vehicle, whose own route, if there is one, comes back in exchange. */
export const reassignRoute = (problem: Problem, plan: Plan, from: string, to: string): Edited => {
  const sequences = sequencesOf(plan);
  return replan(
    problem,
    plan,
    new Map([...sequences, [from, sequences.get(to) ?? []], [to, sequences.get(from) ?? []]]),
  );
};

/** The tasks stay with the resource that they have, in whatever order. */
export const lockTasks = (problem: Problem, plan: Plan, tasks: readonly string[]): Problem => {
  const holders = new Map(plan.routes.flatMap(({ resource, stops }) => stops.map(({ task }) => [task, resource])));
  return {
    ...problem,
    tasks: problem.tasks.map((task) => {
      const resource = tasks.includes(task.id) ? holders.get(task.id) : undefined;
      return resource === undefined ? task : { ...task, resource };
    }),
  };
};

/** The first stops of a route stay as they are, in this order. */
export const lockStops = (problem: Problem, plan: Plan, resource: string, count: number): Problem => {
  const head = (sequencesOf(plan).get(resource) ?? []).slice(0, count);
  return {
    ...problem,
    resources: problem.resources.map((each) => (each.id === resource ? { ...each, head } : each)),
  };
};

/** Undoes both locks, of the tasks and of what follows them among the stops that a route begins with. */
export const unlockTasks = (problem: Problem, tasks: readonly string[]): Problem => ({
  ...problem,
  tasks: problem.tasks.map((task) => (tasks.includes(task.id) ? { ...task, resource: undefined } : task)),
  resources: problem.resources.map((resource) => {
    const { head = [] } = resource;
    const first = head.findIndex(({ task }) => tasks.includes(task));
    return first < 0 ? resource : { ...resource, head: head.slice(0, first) };
  }),
});
