/** VROOM over HTTP as a planner. What it cannot express goes to another one. */
import { Failure } from '../../engine/failure.ts';
import { askService, type Service, unexpected } from './ask.ts';
import { createEvaluate } from './evaluate.ts';
import type { Load, Plan, Planner, Problem, Stop, StopRef, Task } from './problem.ts';
import { planOf } from './solve.ts';
import { UNREACHABLE } from './tables.ts';
import { loadsOf, misfitOf } from './tasks.ts';
import { checkProblem } from './validate.ts';

export interface VroomOptions extends Omit<Service, 'name' | 'timeoutMs'> {
  /** Takes on what VROOM cannot express. */
  readonly otherwise: Planner;
}

/** VROOM counts in whole numbers: of kilograms, cubic metres, pallets, and costs. */
const UNITS = [
  ['weightKg', 1000],
  ['volumeM3', 1000],
  ['pallets', 100],
] as const;
const UNITS_OF_COST = 100;
const MAX_PRIORITY = 100;
/** Instead of no limit. */
const UNLIMITED = 1_000_000_000;
/** For reading the problem and sending the answer. */
const ALLOWANCE_MS = 60_000;

/** Rounded so that a plan in whole numbers holds in the problem's own. */
const amount = (load: Load): number[] =>
  UNITS.map(([dimension, unit]) => Math.ceil((load[dimension] ?? 0) * unit - 1e-6));

/** Each set of resources that may do a task, other than all of them, becomes a skill. */
const skillsOf = ({ resources, tasks }: Problem) => {
  const classes = new Map<string, number>();
  const ofTask = tasks.map((task) => {
    const key = resources.map((resource) => (misfitOf(resource, task) === undefined ? '1' : '0')).join('');
    if (!key.includes('0')) return [];
    const skill = classes.get(key) ?? classes.size + 1;
    classes.set(key, skill);
    return [skill];
  });
  const ofResource = resources.map((_, index) =>
    [...classes].filter(([key]) => key[index] === '1').map(([, skill]) => skill),
  );
  return { ofTask, ofResource };
};

const windowsOf = (windows: Stop['windows']): number[][] =>
  windows.map(({ fromS, toS }) => [Math.ceil(fromS), Math.floor(toS)]);

const stopOf = (id: number, { place, windows, serviceS }: Stop) => ({
  id,
  location_index: place,
  service: Math.ceil(serviceS),
  ...(windows.length === 0 ? {} : { time_windows: windowsOf(windows) }),
});

/** Ids are places in the problem's lists, from 1. */
const vroomRequest = (problem: Problem) => {
  const { places, travel, tasks, resources, objective } = problem;
  const skills = skillsOf(problem);
  const rows = (values: Float64Array): number[][] =>
    places.map((_, from) => Array.from(values.subarray(from * places.length, (from + 1) * places.length), Math.ceil));
  // Fewer vehicles come first: no detour is worth another one.
  const longestM = travel.distancesM.reduce((most, each) => (each < UNREACHABLE ? Math.max(most, each) : most), 1000);
  const dearest =
    10 * (longestM / 1000) * Math.max(1, ...resources.map(({ costPerKm, costPerHour }) => costPerKm + costPerHour));
  const terms = ({ priority }: Task, index: number) => ({
    skills: skills.ofTask[index],
    priority: Math.min(MAX_PRIORITY, priority * 10),
  });
  return {
    vehicles: resources.map(({ start, end, shift, break: pause, capacity, aboard, ...resource }, index) => ({
      id: index + 1,
      start_index: start,
      end_index: end,
      capacity: UNITS.map(([dimension, unit], dim) => {
        const limit = capacity[dimension];
        return limit === undefined ? UNLIMITED : Math.floor(limit * unit + 1e-6) - (amount(aboard ?? {})[dim] ?? 0);
      }),
      skills: skills.ofResource[index],
      time_window: [Math.ceil(shift.fromS), Math.floor(shift.toS)],
      breaks:
        pause === undefined
          ? []
          : [{ id: 1, time_windows: windowsOf([pause.window]), service: Math.ceil(pause.durationS) }],
      costs: {
        fixed: Math.round(UNITS_OF_COST * (resource.fixedCost + (objective === 'fewest_vehicles' ? dearest : 0))),
        per_hour: Math.round(UNITS_OF_COST * resource.costPerHour),
        per_km: Math.round(UNITS_OF_COST * resource.costPerKm),
      },
    })),
    jobs: tasks.flatMap((task, index) =>
      task.kind === 'shipment'
        ? []
        : [
            {
              ...stopOf(index + 1, task.stop),
              ...terms(task, index),
              delivery: amount(loadsOf(task).delivered),
              pickup: amount(loadsOf(task).collected),
            },
          ],
    ),
    shipments: tasks.flatMap((task, index) =>
      task.kind === 'shipment'
        ? [
            {
              pickup: stopOf(index + 1, task.pickup),
              delivery: stopOf(index + 1, task.delivery),
              ...terms(task, index),
              amount: amount(task.carries),
            },
          ]
        : [],
    ),
    matrices: { car: { durations: rows(travel.durationsS), distances: rows(travel.distancesM) } },
  };
};

interface VroomAnswer {
  readonly code: number;
  readonly routes?: readonly {
    readonly vehicle: number;
    readonly steps: readonly { readonly type: string; readonly id?: number }[];
  }[];
}

/** Throws a `Failure` for an error of VROOM, and for a plan that breaks a constraint. */
export const vroomPlan = (problem: Problem, answer: unknown): Plan => {
  const { code, routes } = (answer ?? {}) as VroomAnswer;
  if (code !== 0 || !Array.isArray(routes)) throw unexpected('VROOM', answer);
  const evaluate = createEvaluate(problem);
  const evaluated = (routes as NonNullable<VroomAnswer['routes']>).flatMap(({ vehicle, steps }) => {
    const refs = steps.flatMap(({ type, id }): readonly StopRef[] => {
      const task = problem.tasks[(id ?? 0) - 1];
      const isStop = type === 'job' || type === 'pickup' || type === 'delivery';
      return !isStop || task === undefined ? [] : [{ task: task.id, stop: type === 'delivery' ? 1 : 0 }];
    });
    const resource = problem.resources[vehicle - 1];
    if (resource === undefined) throw unexpected('VROOM', answer);
    return refs.length === 0 ? [] : [evaluate(resource.id, refs)];
  });
  const [violation] = evaluated.flatMap(({ violations }) => violations);
  if (violation !== undefined) {
    throw new Failure(`VROOM’s plan breaks a constraint on the route of ${violation.resource}: ${violation.message}`, {
      code: 'routing_service_failed',
      help: 'Use a newer version of VROOM, or the embedded planner.',
    });
  }
  return planOf(
    problem,
    evaluated.map(({ route }) => route),
    0,
  );
};

const canExpress = ({ objective, tasks }: Problem): boolean => objective !== 'balanced' && tasks.length > 0;

export const createVroom =
  ({ otherwise, ...service }: VroomOptions): Planner =>
  async (problem, options) => {
    checkProblem(problem);
    if (!canExpress(problem)) return await otherwise(problem, options);
    const timeoutMs = (problem.budget.milliseconds ?? 0) + ALLOWANCE_MS;
    const answer = await askService(
      { ...service, name: 'VROOM', timeoutMs },
      '/',
      vroomRequest(problem),
      options?.signal,
    );
    return vroomPlan(problem, answer);
  };
