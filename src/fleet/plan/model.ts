/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** A problem in flat arrays, for the embedded planner's inner loops. */
import type { Load, Problem, Resource } from './problem.ts';
import { loadsOf, misfitOf, stopsOf } from './tasks.ts';

const DIMENSIONS = ['weightKg', 'volumeM3', 'pallets'] as const;
const SLACK = 1e-9;

/** Those that limit anything. */
const dimensionsOf = ({ resources }: Problem): readonly (keyof Load)[] =>
  DIMENSIONS.filter((dimension) => resources.some(({ capacity }) => capacity[dimension] !== undefined));

export const indexesById = (items: readonly { readonly id: string }[]): ReadonlyMap<string, number> =>
  new Map(items.map(({ id }, index) => [id, index]));

const kindsOf = ({ resources, tasks }: Problem): Int32Array => {
  const bound = new Set(tasks.map(({ resource }) => resource));
  const kinds = new Map<string, number>();
  const keyOf = ({ id, ...rest }: Resource): string => JSON.stringify([rest, bound.has(id) ? id : '']);
  return Int32Array.from(resources, (resource) => {
    const key = keyOf(resource);
    const kind = kinds.get(key) ?? kinds.size;
    kinds.set(key, kind);
    return kind;
  });
};

const transposed = (table: Float64Array, size: number): Float64Array =>
  table.map((_, at) => table[(at % size) * size + Math.floor(at / size)]!);

export type Model = ReturnType<typeof compile>;

/**
 * Nodes are the stops of all tasks, then the start of each resource, then the end of each. A value per node and dimension of
 * load is at `node * dims + dim`. The problem must not contradict itself: see `validate.ts`.
 */
export const compile = (problem: Problem) => {
  const { tasks, resources, travel, places } = problem;
  const dimensions = dimensionsOf(problem);
  const dims = dimensions.length;
  const stops = tasks.flatMap((task, index) =>
    stopsOf(task).map((stop, at) => ({ stop, at, task, index, loads: loadsOf(task) })),
  );
  const firstStop = new Int32Array(tasks.length);
  for (const [node, { at, index }] of stops.entries()) if (at === 0) firstStop[index] = node;
  const secondStop = firstStop.map((node, task) => (tasks[task]!.kind === 'shipment' ? node + 1 : -1));
  const ends = [
    ...resources.map(({ start, shift }) => ({ place: start, shift })),
    ...resources.map(({ end, shift }) => ({ place: end, shift })),
  ];
  const perStop = (loadOf: (stop: (typeof stops)[number]) => readonly [Load, number]): Float64Array => {
    const values = new Float64Array((stops.length + ends.length) * dims);
    for (const [node, stop] of stops.entries()) {
      const [load, factor] = loadOf(stop);
      for (const [dim, dimension] of dimensions.entries()) {
        values[node * dims + dim] = factor * (load[dimension] ?? 0);
      }
    }
    return values;
  };
  const perResource = (valueOf: (resource: Resource) => number): Float64Array => Float64Array.from(resources, valueOf);
  const perCapacity = (valueOf: (resource: Resource, dimension: keyof Load) => number): Float64Array =>
    Float64Array.from(resources.flatMap((resource) => dimensions.map((dimension) => valueOf(resource, dimension))));
  const kindOf = kindsOf(problem);
  const serviceS = Float64Array.from([...stops.map(({ stop }) => stop.serviceS), ...ends.map(() => 0)]);
  const toEach = stops.map(({ stop }) => travel.durationsS[(resources[0]?.start ?? 0) * places.length + stop.place]!);
  const workS = [...serviceS, ...toEach].reduce((sum, each) => sum + each, 0);
  return {
    problem,
    tasks: tasks.length,
    resources: resources.length,
    stops: stops.length,
    nodes: stops.length + ends.length,
    dims,
    places: places.length,
    ...travel,
    /** The same, by where one comes from: to `a` from `b` at `a * places + b`. */
    durationsFromS: transposed(travel.durationsS, places.length),
    distancesFromM: transposed(travel.distancesM, places.length),
    firstStop,
    /** Of a shipment its delivery, the next node; else -1. */
    secondStop,
    /** -1 of starts and ends. */
    taskOf: Int32Array.from([...stops.map(({ index }) => index), ...ends.map(() => -1)]),
    placeOf: Int32Array.from([...stops.map(({ stop }) => stop.place), ...ends.map(({ place }) => place)]),
    openS: Float64Array.from([
      ...stops.map(({ stop: { windows } }) => windows[0]?.fromS ?? -Infinity),
      ...ends.map(({ shift }) => shift.fromS),
    ]),
    closeS: Float64Array.from([
      ...stops.map(({ stop: { windows } }) => windows.at(-1)?.toS ?? Infinity),
      ...ends.map(({ shift }) => shift.toS),
    ]),
    serviceS,
    /** Of nodes with more than one. */
    windows: [
      ...stops.map(({ stop: { windows } }) => (windows.length > 1 ? windows : undefined)),
      ...ends.map(() => undefined),
    ],
    /** Aboard from the start of the route to the stop. */
    delivered: perStop(({ loads }) => [loads.delivered, 1]),
    /** Aboard from the stop to the end of the route. */
    collected: perStop(({ loads }) => [loads.collected, 1]),
    /** Aboard from a shipment's pickup on; negative at its delivery. */
    carried: perStop(({ loads, at }) => [loads.carried, at === 0 ? 1 : -1]),
    capacity: perCapacity(({ capacity }, dimension) => {
      const limit = capacity[dimension] ?? Infinity;
      return limit + SLACK * Math.max(1, limit);
    }),
    aboard: perCapacity(({ aboard }, dimension) => aboard?.[dimension] ?? 0),
    costPerM: perResource(({ costPerKm }) => costPerKm / 1000),
    costPerS: perResource(({ costPerHour }) => costPerHour / 3600),
    fixedCost: perResource(({ fixedCost }) => fixedCost),
    breakFromS: perResource(({ break: pause }) => pause?.window.fromS ?? 0),
    breakToS: perResource(({ break: pause }) => pause?.window.toS ?? Infinity),
    /** 0: no break. */
    breakS: perResource(({ break: pause }) => pause?.durationS ?? 0),
    /** Resources of one kind differ in nothing while their routes are empty. */
    kindOf,
    kinds: new Set(kindOf).size,
    /** 1 at `resource * tasks + task` where the resource may do the task. */
    compatible: Uint8Array.from(
      resources.flatMap((resource) => tasks.map((task) => (misfitOf(resource, task) === undefined ? 1 : 0))),
    ),
    priority: Float64Array.from(tasks, ({ priority }) => priority),
    isBalanced: problem.objective === 'balanced',
    /** Of one resource, about, were all work shared evenly. */
    evenWorkS: Math.max(1, workS / Math.max(1, resources.length)),
  };
};
