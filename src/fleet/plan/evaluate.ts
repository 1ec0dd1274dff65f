/** What a sequence of stops comes to for a resource: its times, loads and cost, and every constraint that it breaks. */
import type { Load, PlannedBreak, PlannedStop, Problem, Resource, Route, Stop, StopRef, Task } from './problem.ts';
import { addLoads, exceeds, FITS, type FitCode, loadsOf, stopsOf } from './tasks.ts';

type ViolationCode = FitCode | 'shift' | 'window' | 'break' | 'precedence';

export interface Violation {
  readonly code: ViolationCode;
  readonly resource: string;
  readonly task?: string | undefined;
  /** For the dispatcher. */
  readonly message: string;
}

interface Evaluation {
  readonly route: Route;
  readonly violations: readonly Violation[];
}

/** Throws a `RangeError` for a resource or a task that the problem does not have. */
export type Evaluate = (resource: string, refs: readonly StopRef[]) => Evaluation;

/** Times are sums of fractions. */
const SLACK_S = 1e-6;

interface Leg {
  readonly arrivalS: number;
  /** Arrived, and rested where the break is on this leg. */
  readonly readyS: number;
  readonly idleS: number;
}

interface Timed {
  readonly endS: number;
  readonly stops: readonly Omit<PlannedStop, 'load'>[];
  readonly break?: PlannedBreak;
  readonly late: readonly Violation[];
}

interface Visit extends StopRef {
  readonly of: Task;
  readonly at: Stop;
}

export const createEvaluate = (problem: Problem): Evaluate => {
  const { places, travel } = problem;
  const tasks = new Map(problem.tasks.map((task) => [task.id, task]));
  const resources = new Map(problem.resources.map((resource) => [resource.id, resource]));
  const arcOf = (from: number, to: number): number => from * places.length + to;
  const legS = (from: number, to: number): number => travel.durationsS[arcOf(from, to)] ?? Number.NaN;

  /** `breakOn`: the leg with the break, as the index of the stop that it leads to. */
  const time = (resource: Resource, visits: readonly Visit[], startS: number, breakOn?: number): Timed => {
    const late: Violation[] = [];
    const pause = resource.break;
    let planned: PlannedBreak | undefined;
    const drive = (leg: number, leaveS: number, drivingS: number): Leg => {
      const arrivalS = leaveS + drivingS;
      if (pause === undefined || breakOn !== leg) return { arrivalS, readyS: arrivalS, idleS: 0 };
      const { window, durationS } = pause;
      const pauseS = Math.max(leaveS, Math.min(Math.max(arrivalS, window.fromS), window.toS));
      planned = { startS: pauseS, endS: pauseS + durationS, before: leg };
      if (pauseS > window.toS + SLACK_S) late.push(breach('break', resource, 'The break begins after its window.'));
      const isUnderWay = pauseS < arrivalS;
      return {
        arrivalS: isUnderWay ? arrivalS + durationS : arrivalS,
        readyS: Math.max(arrivalS, pauseS) + durationS,
        idleS: isUnderWay ? 0 : pauseS - arrivalS,
      };
    };
    let leaveS = startS;
    let place = resource.start;
    const stops = visits.map(({ task, stop, at }, index) => {
      const { arrivalS, readyS, idleS } = drive(index, leaveS, legS(place, at.place));
      const window = at.windows.find(({ toS }) => readyS <= toS + SLACK_S);
      if (window === undefined && at.windows.length > 0) {
        late.push(breach('window', resource, 'The stop is reached after its window.', task));
      }
      const begunS = Math.max(readyS, window?.fromS ?? readyS);
      leaveS = begunS + at.serviceS;
      ({ place } = at);
      return { task, stop, place, arrivalS, startS: begunS, departureS: leaveS, waitS: idleS + begunS - readyS };
    });
    const { readyS: endS } = drive(visits.length, leaveS, legS(place, resource.end));
    if (endS > resource.shift.toS + SLACK_S) late.push(breach('shift', resource, 'The route ends after the shift.'));
    if (pause !== undefined && breakOn === undefined && endS > pause.window.toS + SLACK_S) {
      late.push(breach('break', resource, 'The route has no break.'));
    }
    return { endS, stops, late, ...(planned === undefined ? {} : { break: planned }) };
  };

  /** The break where it breaks least, and then makes the route end and the stops begin earliest; the start as late as it may be. */
  const timeBest = (resource: Resource, visits: readonly Visit[]): Timed & { readonly startS: number } => {
    const { fromS } = resource.shift;
    const legs = resource.break === undefined ? [] : [...visits.keys(), visits.length];
    const [best] = [undefined, ...legs]
      .map((breakOn) => ({ breakOn, timed: time(resource, visits, fromS, breakOn) }))
      .toSorted(
        (a, b) =>
          a.timed.late.length - b.timed.late.length || a.timed.endS - b.timed.endS || begunS(a.timed) - begunS(b.timed),
      );
    const [first] = best?.timed.stops ?? [];
    if (best === undefined || first === undefined) return { ...time(resource, visits, fromS), startS: fromS };
    const isResting = best.breakOn === 0;
    const latestS =
      first.startS - legS(resource.start, first.place) - (isResting ? (resource.break?.durationS ?? 0) : 0);
    const startS = Math.max(fromS, isResting ? Math.min(latestS, resource.break?.window.toS ?? Infinity) : latestS);
    return { ...time(resource, visits, startS, best.breakOn), startS };
  };

  return (resourceId, refs) => {
    const resource = found(resources, resourceId);
    const visits = refs.map((ref): Visit => {
      const of = found(tasks, ref.task);
      return { ...ref, of, at: stopsOf(of)[ref.stop] ?? stopsOf(of)[0] };
    });
    const timed = timeBest(resource, visits);
    const onRoute = visits.filter(({ stop }) => stop === 0).map(({ of }) => of);
    const start = onRoute.reduce(
      (sum, task) => addLoads(sum, loadsOf(task).delivered),
      addLoads({}, resource.aboard ?? {}),
    );
    let load: Load = start;
    const loads = visits.map(({ of, stop }) => {
      const { delivered, collected, carried } = loadsOf(of);
      load = addLoads(addLoads(addLoads(load, delivered, -1), collected), carried, stop === 0 ? 1 : -1);
      return load;
    });
    const path = [resource.start, ...visits.map(({ at }) => at.place), resource.end];
    const legs = path.slice(1).map((place, index) => arcOf(path[index] ?? place, place));
    const distanceM = legs.reduce((sum, arc) => sum + (travel.distancesM[arc] ?? Number.NaN), 0);
    const travelS = legs.reduce((sum, arc) => sum + (travel.durationsS[arc] ?? Number.NaN), 0);
    const { startS, endS, late, break: pause } = timed;
    const route: Route = {
      resource: resourceId,
      startS,
      endS,
      load: start,
      stops: timed.stops.map((stop, index) => ({ ...stop, load: loads[index] ?? load })),
      ...(pause === undefined ? {} : { break: pause }),
      distanceM,
      travelS,
      cost: resource.fixedCost + (distanceM / 1000) * resource.costPerKm + (travelS / 3600) * resource.costPerHour,
    };
    return { route, violations: [...breaches(resource, visits, [start, ...loads]), ...late] };
  };
};

const begunS = ({ stops }: Timed): number => stops.reduce((sum, stop) => sum + stop.startS, 0);

const found = <Item>(items: ReadonlyMap<string, Item>, id: string): Item => {
  const item = items.get(id);
  if (item === undefined) throw new RangeError(`The problem has no “${id}”`);
  return item;
};

const breach = (code: ViolationCode, { id }: Resource, message: string, task?: string): Violation => ({
  code,
  resource: id,
  ...(task === undefined ? {} : { task }),
  message,
});

const UNFIT: Readonly<Record<FitCode, string>> = {
  resource: 'The task is bound to another resource.',
  depot: 'The route does not start or end at the depot of the task.',
  zone: 'The driver does not cover the zone.',
  vehicle_type: 'The task needs another type of vehicle.',
  skills: 'The driver lacks a skill that the task needs.',
  capacity: 'The load is too large for the vehicle.',
};

/** All but those of time. */
const breaches = (resource: Resource, visits: readonly Visit[], loads: readonly Load[]): readonly Violation[] => [
  ...visits.flatMap(({ of, stop }) =>
    FITS.filter(([code, fits]) => stop === 0 && code !== 'capacity' && !fits(resource, of)).map(([code]) =>
      breach(code, resource, UNFIT[code], of.id),
    ),
  ),
  ...(loads.some((load) => exceeds(load, resource.capacity)) ? [breach('capacity', resource, UNFIT.capacity)] : []),
  ...visits.flatMap(({ of, stop }, index) => {
    const others = of.kind !== 'shipment' ? -1 : visits.findIndex((visit) => visit.of === of && visit.stop !== stop);
    // Told of once, at the pickup.
    const isRight = of.kind !== 'shipment' || (others >= 0 && (stop === 1 || index < others));
    return isRight
      ? []
      : [breach('precedence', resource, 'A shipment is picked up before it is delivered, on one route.', of.id)];
  }),
];
