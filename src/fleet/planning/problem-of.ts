/** The planner's problem of a day: crews as its resources, visits as its tasks. Pure, but for the travel table. */
import { lower } from '../contract/feasible.ts';
import type { Load, Place, Problem, Resource, Task } from '../plan/problem.ts';
import type { FleetDeps } from '../ports.ts';
import { type Crew, crewsOf } from './crews.ts';
import type { Day, DayStop } from './day.ts';
import type { Draft, DraftRoute, DraftVisit } from './draft.ts';
import { travelSourceOf } from './travel.ts';

interface PlanningTerms {
  /** Stops that stay with the driver who has them: locked ones, or all. */
  readonly bound: 'locked' | 'all';
  readonly objective?: Problem['objective'];
  readonly seed?: number;
  readonly budget?: Problem['budget'];
  /** Visits beside those of the day: places of slots that are held. */
  readonly more?: readonly DraftVisit[];
}

/** Two people and more are a skill of the crew. */
const crewSkills = (crew: number): readonly string[] =>
  Array.from({ length: Math.max(0, crew - 1) }, (_, at) => `crew of ${at + 2}`);

const seconds = (ms: number): number => ms / 1_000;

const resourceOf = (crew: Crew, start: number): Resource => {
  const { driver, who, what, shift, breaks } = crew;
  const [pause] = breaks;
  return {
    id: driver,
    start,
    end: 0,
    shift: { fromS: seconds(shift.fromMs), toS: seconds(shift.toMs) },
    ...(pause === undefined
      ? {}
      : {
          break: { window: { fromS: seconds(pause.fromMs), toS: seconds(pause.toMs) }, durationS: pause.minutes * 60 },
        }),
    capacity: { weightKg: what.weightKg, volumeM3: what.volumeM3, pallets: what.pallets },
    skills: [...lower(who.skills), ...crewSkills(who.crew ?? 1)],
    ...(who.zones === undefined || who.zones.length === 0 ? {} : { zones: who.zones }),
    vehicleType: what.type.toLowerCase(),
    fixedCost: what.fixedCost ?? 0,
    costPerKm: what.costPerKm ?? 0,
    costPerHour: what.costPerHour ?? 0,
  };
};

const taskOf = (visit: DraftVisit, place: number, isAboard: boolean, resource: string | undefined): Task => {
  const { id, window, serviceS, delivers, collects, hasDelivery, hasPickup, zone, vehicleType, priority } = visit;
  const terms = {
    id,
    skills: [...visit.skills, ...crewSkills(visit.crew)],
    zone,
    vehicleType,
    priority: Math.max(0, priority),
    resource,
    depot: isAboard ? undefined : 0,
  };
  const windows = window === undefined ? [] : [{ fromS: seconds(window.fromMs), toS: seconds(window.toMs) }];
  const stop = { place, windows, serviceS };
  if (hasDelivery && hasPickup) return { ...terms, kind: 'exchange', stop, delivers, collects };
  return hasPickup ? { ...terms, kind: 'pickup', stop, collects } : { ...terms, kind: 'delivery', stop, delivers };
};

/** How far a route is: where it goes on from, and what is aboard of doors that are past. */
const progressOf = (
  route: DraftRoute,
  draft: Draft,
  stops: ReadonlyMap<number, DayStop>,
  nowMs: number,
): { readonly last: DraftVisit | undefined; readonly fromMs: number; readonly aboard: Load } | undefined => {
  if (route.state !== 'started') return undefined;
  const past = route.visits.flatMap((id) => draft.visits.get(id) ?? []).filter(({ isPast }) => isPast);
  const last = past.at(-1);
  const stop = last?.stopId === undefined ? undefined : stops.get(last.stopId);
  const isAtDoor = stop?.state === 'en_route' || stop?.state === 'arrived';
  const leavesMs = (stop?.etaMs ?? nowMs) + (isAtDoor ? (last?.serviceS ?? 0) * 1_000 : 0);
  const sum = (name: keyof Load): number =>
    past.reduce((total, { stopId, delivers, collects }) => {
      const state = stops.get(stopId ?? 0)?.state;
      return total + (state === 'done' ? (collects[name] ?? 0) : state === 'failed' ? (delivers[name] ?? 0) : 0);
    }, 0);
  return {
    last,
    fromMs: Math.max(nowMs, leavesMs),
    aboard: { weightKg: sum('weightKg'), volumeM3: sum('volumeM3'), pallets: sum('pallets') },
  };
};

/** Place 0 is the depot. Doors that are past are no part of the problem. */
export const problemOf = async (
  deps: Pick<FleetDeps, 'nowMs' | 'travelOf'>,
  { depot, site, day, resources, routes }: Day,
  draft: Draft,
  { bound, objective = 'least_cost', seed = 1, budget = { iterations: 1 }, more = [] }: PlanningTerms,
): Promise<{ readonly problem: Problem; readonly crews: ReadonlyMap<string, Crew> }> => {
  const places: Place[] = [{ latitude: site.latitude, longitude: site.longitude }];
  const known = new Map<string, number>();
  const placeAt = ({ latitude, longitude, zone }: DraftVisit): number => {
    const key = `${latitude} ${longitude} ${zone}`;
    const place = known.get(key) ?? places.push({ latitude, longitude, zone }) - 1;
    known.set(key, place);
    return place;
  };
  const stops = new Map(routes.flatMap((route) => route.stops.map((stop) => [stop.id, stop])));
  const holders = new Map(draft.routes.flatMap((route) => route.visits.map((id) => [id, route])));
  const tasks = [...draft.visits.values(), ...more]
    .filter(({ isPast }) => !isPast)
    .map((visit) => {
      const holder = holders.get(visit.id);
      // What is aboard stays aboard.
      const isAboard = holder?.state === 'started' && visit.hasDelivery;
      const isBound = holder !== undefined && (bound === 'all' || visit.locked || isAboard);
      return taskOf(visit, placeAt(visit), holder?.state === 'started', isBound ? holder.driver : undefined);
    });
  const crews = crewsOf(resources, depot, day, draft.routes);
  const begun = new Map(draft.routes.map((route) => [route.driver, progressOf(route, draft, stops, deps.nowMs())]));
  const planned = crews.map((crew): Resource => {
    const progress = begun.get(crew.driver);
    const resource = resourceOf(crew, 0);
    if (progress === undefined) return resource;
    const { last, fromMs, aboard } = progress;
    // Even where nothing is done yet: it does not start at the depot, where more could be loaded.
    const start = places.push(last ?? { latitude: site.latitude, longitude: site.longitude }) - 1;
    const shift = { fromS: Math.min(seconds(fromMs), resource.shift.toS), toS: resource.shift.toS };
    return { ...resource, start, shift, aboard, fixedCost: 0 };
  });
  const travelOf = travelSourceOf(deps, resources);
  const travel = await travelOf(places.map(({ latitude, longitude, zone }) => ({ latitude, longitude, zone })));
  return {
    problem: { places, travel, resources: planned, tasks, objective, seed, budget },
    crews: new Map(crews.map((crew) => [crew.driver, crew])),
  };
};
