/** The board of a day: routes with their stops, what has no route and why, and what it all comes to. */
import type { Database, FleetDeps, RouteDeps } from '../ports.ts';
import type { Day, DayRoute } from './day.ts';
import { readDay } from './read-day.ts';
import { type Draft, draftOf, unplanned } from './draft.ts';
import { type Evaluated, evaluateDraft } from './evaluate-draft.ts';
import { problemOf } from './problem-of.ts';
import { type TaskView, viewTasks } from './task-view.ts';
import { reasonsOf } from './explain.ts';

const instant = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

/** The routes of a day as they stand, or as they would be, evaluated. */
export const evaluatedDay = async (
  deps: Pick<FleetDeps, 'nowMs' | 'travelOf'>,
  day: Day,
  draft: Draft = draftOf(day),
) => {
  const made = await problemOf(deps, day, draft, { bound: 'locked' });
  return { draft, ...made, evaluated: evaluateDraft(draft, made.problem) };
};

export const boardOf = async (deps: RouteDeps, depot: string, dayName: string, database: Database = deps.database) => {
  const day = await readDay(database, depot, dayName, deps.nowMs());
  const { draft, problem, evaluated } = await evaluatedDay(deps, day);
  const tasks = await viewTasks({ database, publicUrl: deps.publicUrl }, [...day.tasks.keys()]);
  const events = await eventsOf(
    database,
    day.routes.map(({ id }) => id),
  );
  const whys = reasonsOf(problem, draft, evaluated, deps.nowMs());
  const { name, latitude, longitude, timeZone } = day.site;
  return {
    depot: { code: depot, name, latitude, longitude, timeZone },
    day: dayName,
    version: day.version,
    routes: day.routes.map((route) => routeView(day, route, tasks, events, evaluated)),
    unassigned: unplanned(draft).flatMap(({ id, taskIds }) =>
      taskIds.flatMap((taskId) => {
        const task = tasks.get(taskId);
        return task === undefined ? [] : [{ task, why: whys.get(id) ?? 'not planned yet' }];
      }),
    ),
    left: day.left,
    costs: { distanceKm: evaluated.distanceKm, cost: evaluated.cost },
  };
};

interface EventRow {
  readonly id: string;
  readonly stopId: number | undefined;
  readonly type: string;
  readonly at: Date;
  readonly reason: string | undefined;
  readonly comment: string | undefined;
}

const eventsOf = async (database: Database, routeIds: readonly number[]): Promise<readonly EventRow[]> =>
  await database.all<EventRow>`
    select id, stop_id, type, occurred_at as at, data ->> 'reason' as reason, data ->> 'comment' as comment
    from fleet.events where route_id = any(${routeIds}::bigint[]) and type <> 'position' order by occurred_at, id`;

const routeView = (
  { tasks: dayTasks, resources }: Pick<Day, 'tasks' | 'resources'>,
  { id, driver, vehicle, state, version, stops, startedAtMs }: DayRoute,
  tasks: ReadonlyMap<number, TaskView>,
  events: readonly EventRow[],
  evaluated?: Evaluated,
) => {
  const mine = evaluated?.routes.find(({ route }) => route.id === id);
  const { planned, violations = [] } = mine ?? {};
  const onStop = (stopId: number): readonly TaskView[] =>
    [...dayTasks.values()].filter((task) => task.stopId === stopId).flatMap((task) => tasks.get(task.id) ?? []);
  return {
    id: String(id),
    driver,
    driverName: resources.drivers.get(driver)?.name ?? driver,
    vehicle,
    plate: resources.vehicles.get(vehicle)?.plate,
    state,
    version,
    startedAt: instant(startedAtMs),
    startsAt: planned && instant(planned.startS * 1_000),
    endsAt: planned && instant(planned.endS * 1_000),
    distanceKm: (planned?.distanceM ?? 0) / 1_000,
    cost: planned?.cost ?? 0,
    load: planned?.load ?? {},
    violations: violations.map(({ code, message }) => ({ code, message })),
    stops: stops.map((stop, position) => {
      const own = events.filter(({ stopId }) => stopId === stop.id);
      const [first] = onStop(stop.id);
      return {
        id: String(stop.id),
        position,
        state: stop.state,
        locked: stop.locked,
        tasks: onStop(stop.id),
        latitude: first?.customer.latitude,
        longitude: first?.customer.longitude,
        plannedArrival: instant(stop.plannedArrivalMs),
        plannedDeparture: instant(stop.plannedDepartureMs),
        eta: instant(stop.etaMs),
        doneAt: own.findLast(({ type }) => ENDINGS.has(type))?.at,
        reason: own.findLast(({ type }) => type === 'failed')?.reason,
        events: own.map(({ id: event, type, at, reason, comment }) => ({ id: event, type, at, reason, comment })),
      };
    }),
  };
};

const ENDINGS: ReadonlySet<string> = new Set(['delivered', 'partly_delivered', 'failed']);

/** One route, for who drives it. */
export const routeAlone = async (deps: Pick<FleetDeps, 'database' | 'publicUrl' | 'nowMs'>, routeId: number) => {
  const { database } = deps;
  const found = await database.first<{ depot: string; day: string }>`
    select depot, day from fleet.routes where id = ${routeId}`;
  if (found === undefined) return undefined;
  const day = await readDay(database, found.depot, found.day, deps.nowMs(), { withOpen: false });
  const route = day.routes.find(({ id }) => id === routeId);
  if (route === undefined) return undefined;
  const own = new Set(route.stops.map(({ id }) => id));
  const ids = [...day.tasks.values()]
    .filter(({ stopId }) => stopId !== undefined && own.has(stopId))
    .map(({ id }) => id);
  return { day, route, view: routeView(day, route, await viewTasks(deps, ids), await eventsOf(database, [routeId])) };
};
