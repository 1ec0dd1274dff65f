/** A small town on one street: place 0 is the depot, place `n` lies `n` kilometres east of it, a minute each. */
import type { Plan, Problem, Resource, Task } from '../../../src/fleet/plan/problem.ts';
import { solve } from '../../../src/fleet/plan/solve.ts';

const PLACES = 21;
export const MINUTE_S = 60;
export const HOUR_S = 3600;

const kilometres = Float64Array.from({ length: PLACES ** 2 }, (_, arc) =>
  Math.abs(Math.floor(arc / PLACES) - (arc % PLACES)),
);

export const driver = (id: string, more: Partial<Resource> = {}): Resource => ({
  id,
  start: 0,
  end: 0,
  shift: { fromS: 8 * HOUR_S, toS: 16 * HOUR_S },
  capacity: { weightKg: 100 },
  skills: [],
  fixedCost: 10,
  costPerKm: 1,
  costPerHour: 0,
  ...more,
});

type Delivery = Extract<Task, { kind: 'delivery' }>;

/** Ten kilograms to a place, five minutes. */
export const delivery = (id: string, place: number, more: Partial<Delivery> = {}): Delivery => ({
  id,
  kind: 'delivery',
  stop: { place, windows: [], serviceS: 5 * MINUTE_S },
  delivers: { weightKg: 10 },
  skills: [],
  priority: 0,
  ...more,
});

export const town = (resources: readonly Resource[], tasks: readonly Task[]): Problem => ({
  places: Array.from({ length: PLACES }, (_, place) => ({ latitude: 0, longitude: place / 100 })),
  travel: {
    distancesM: kilometres.map((km) => km * 1000),
    durationsS: kilometres.map((km) => km * MINUTE_S),
  },
  resources,
  tasks,
  objective: 'fewest_vehicles',
  seed: 1,
  budget: { iterations: 200 },
});

export const planned = (problem: Problem): Plan => solve(problem, { nowMs: () => 0, isStopped: () => false });

/** `driver: task task`, one a route. */
export const outline = ({ routes }: Pick<Plan, 'routes'>): readonly string[] =>
  routes.map(({ resource, stops }) => `${resource}: ${stops.map(({ task }) => task).join(' ')}`);
