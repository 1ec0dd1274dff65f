/** What a task asks of a resource, apart from time and room on a route. */
import type { Load, Problem, Resource, Stop, StopRef, Task, UnassignedCode } from './problem.ts';

/** In the order in which they are made. */
export const stopsOf = (task: Task): readonly [Stop] | readonly [Stop, Stop] =>
  task.kind === 'shipment' ? [task.pickup, task.delivery] : [task.stop];

export const refsOf = (task: Task): readonly StopRef[] =>
  stopsOf(task).map((_, stop) => ({ task: task.id, stop: stop === 0 ? 0 : 1 }));

const NOTHING: Load = {};

export interface TaskLoads {
  /** Aboard from the start of the route to the stop. */
  readonly delivered: Load;
  /** Aboard from the stop to the end of the route. */
  readonly collected: Load;
  /** Aboard between the two stops. */
  readonly carried: Load;
}

export const loadsOf = (task: Task): TaskLoads => ({
  delivered: task.kind === 'delivery' || task.kind === 'exchange' ? task.delivers : NOTHING,
  collected: task.kind === 'pickup' || task.kind === 'exchange' ? task.collects : NOTHING,
  carried: task.kind === 'shipment' ? task.carries : NOTHING,
});

export const addLoads = (a: Load, b: Load, factor = 1): Required<Load> => ({
  weightKg: (a.weightKg ?? 0) + factor * (b.weightKg ?? 0),
  volumeM3: (a.volumeM3 ?? 0) + factor * (b.volumeM3 ?? 0),
  pallets: (a.pallets ?? 0) + factor * (b.pallets ?? 0),
});

/** Sums of loads are not exact. */
const SLACK = 1e-9;

export const exceeds = (load: Load, capacity: Load): boolean =>
  (['weightKg', 'volumeM3', 'pallets'] as const).some((dimension) => {
    const limit = capacity[dimension] ?? Infinity;
    return (load[dimension] ?? 0) > limit + SLACK * Math.max(1, limit);
  });

const heaviestOf = (task: Task): Load => {
  const { delivered, collected, carried } = loadsOf(task);
  const larger = (dimension: keyof Load): number =>
    Math.max(delivered[dimension] ?? 0, collected[dimension] ?? 0, carried[dimension] ?? 0);
  return { weightKg: larger('weightKg'), volumeM3: larger('volumeM3'), pallets: larger('pallets') };
};

export type FitCode = Exclude<UnassignedCode, 'shift' | 'window' | 'no_room' | 'not_planned'>;

/** Whether a resource meets each constraint that has nothing to do with time, in the order in which they are told of. */
export const FITS: readonly (readonly [FitCode, (resource: Resource, task: Task) => boolean])[] = [
  ['resource', ({ id }, { resource }) => resource === undefined || resource === id],
  [
    'depot',
    ({ start, end }, { kind, depot }) =>
      depot === undefined ||
      ((kind === 'pickup' || kind === 'shipment' || start === depot) &&
        (kind === 'delivery' || kind === 'shipment' || end === depot)),
  ],
  ['zone', ({ zones }, { zone }) => zone === undefined || zones === undefined || zones.includes(zone)],
  ['vehicle_type', ({ vehicleType }, task) => task.vehicleType === undefined || task.vehicleType === vehicleType],
  ['skills', ({ skills }, task) => task.skills.every((skill) => skills.includes(skill))],
  ['capacity', ({ capacity, aboard }, task) => !exceeds(addLoads(heaviestOf(task), aboard ?? NOTHING), capacity)],
];

export const misfitOf = (resource: Resource, task: Task): FitCode | undefined =>
  FITS.find(([, fits]) => !fits(resource, task))?.[0];

/** Whether anybody could do a task that is not over by now, had they nothing else to do and nowhere to drive. */
export const isFeasible = ({ resources }: Pick<Problem, 'resources'>, task: Task, nowS: number): boolean =>
  resources.some(
    (resource) =>
      misfitOf(resource, task) === undefined &&
      stopsOf(task).every(({ windows, serviceS }) => {
        const { fromS, toS } = resource.shift;
        const window = windows.find((one) => one.toS >= Math.max(fromS, nowS));
        const isOver = windows.length > 0 && window === undefined;
        return !isOver && Math.max(fromS, window?.fromS ?? fromS) + serviceS <= toS;
      }),
  );
