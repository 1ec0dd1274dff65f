/** A day of a depot, as the records have it: its tasks, its routes, and what there is to plan with. */
import { hash } from 'node:crypto';
import type { Demand } from '../contract/demand.ts';
import type { TaskState } from '../contract/tasks.ts';
import { notFound, wrongAt } from '../http.ts';
import type { Database } from '../ports.ts';
import { readResources } from '../resources/records.ts';
import type { Depot, Resources } from '../resources/shapes.ts';
import { dayAt, momentAt } from '../resources/shifts.ts';

export interface DayTask {
  readonly id: number;
  readonly linkId: number;
  readonly referenceId: string;
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly exchange: string | undefined;
  readonly zone: string | undefined;
  readonly demand: Demand;
  readonly state: TaskState;
  readonly stopId: number | undefined;
}

export interface DayStop {
  readonly id: number;
  readonly routeId: number;
  readonly locked: boolean;
  readonly state: 'pending' | 'en_route' | 'arrived' | 'done' | 'failed' | 'cancelled';
  readonly plannedArrivalMs: number | undefined;
  readonly plannedDepartureMs: number | undefined;
  readonly travelS: number;
  readonly serviceS: number;
  readonly etaMs: number | undefined;
}

export interface DayRoute {
  readonly id: number;
  readonly driver: string;
  readonly vehicle: string;
  readonly state: 'planned' | 'started' | 'finished' | 'broken_down';
  readonly version: number;
  readonly startedAtMs: number | undefined;
  /** In their order. */
  readonly stops: readonly DayStop[];
}

export interface Day {
  readonly depot: string;
  readonly site: Depot;
  readonly day: string;
  readonly resources: Resources;
  readonly tasks: ReadonlyMap<number, DayTask>;
  readonly routes: readonly DayRoute[];
  /** Open tasks beyond those that a day can plan. */
  readonly left: number;
  /** Another where tasks or routes have changed. */
  readonly version: string;
}

/** Of a day, with those on its routes: a table of travel has a value for each two of them. */
const TASKS_MAX = 2_000;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Whoever else changes the day's routes waits until the transaction ends. */
export const lockDay = async (database: Database, depot: string, day: string): Promise<void> =>
  void (await database.all`select pg_advisory_xact_lock(hashtextextended(${`fleet/day/${depot}/${day}`}, 0))`);

const withoutPast = (task: DayTask, fromMs: number): DayTask =>
  task.demand.window === undefined || task.demand.window.toMs > fromMs
    ? task
    : { ...task, demand: { ...task.demand, window: undefined } };

/** What nobody did in its time is open for any later day, whenever its window was. */
export const readDay = async (database: Database, depot: string, day: string, nowMs: number): Promise<Day> => {
  if (!DAY.test(day)) throw wrongAt('day', 'malformed', 'must be a day written YYYY-MM-DD');
  const resources = await readResources(database);
  const site = resources.depots.get(depot);
  if (site === undefined) throw notFound(`depot ${depot}`);
  const routes = await database.all<Omit<DayRoute, 'stops'>>`
    select id, driver, vehicle, state, version, started_at as started_at_ms from fleet.routes
    where depot = ${depot} and day = ${day} order by id`;
  const stops = await database.all<DayStop>`
    select s.id, s.route_id, s.locked, s.state, s.planned_arrival as planned_arrival_ms, s.travel_s, s.service_s,
      s.planned_departure as planned_departure_ms, s.eta as eta_ms
    from fleet.stops s join fleet.routes r on r.id = s.route_id
    where r.depot = ${depot} and r.day = ${day} order by s.route_id, s.position`;
  // Whose time ends first comes first, both parts of an exchange together.
  const own = stops.map(({ id }) => id);
  const read = await database.all<DayTask & { readonly changedAtMs: number; readonly found: number }>`
    select id, link_id, reference_id, kind, exchange, zone, demand, state, stop_id, changed_at as changed_at_ms, 0 as found
    from fleet.tasks where stop_id = any(${own}::bigint[])
    union all (
      select id, link_id, reference_id, kind, exchange, zone, demand, state, stop_id, changed_at, count(*) over ()
      from fleet.tasks where depot = ${depot} and state = 'open' and (stop_id = any(${own}::bigint[])) is not true and first_day <= ${day}
        and (coalesce(last_day, 'infinity') >= ${day} or last_day < ${dayAt(nowMs, site.timeZone)})
      order by min(coalesce(last_day, 'infinity')) over (partition by link_id, coalesce('x' || exchange, 't' || id)),
        link_id, coalesce('x' || exchange, 't' || id)
      fetch first (greatest(1, ${TASKS_MAX}::bigint - (select count(*) from fleet.tasks where stop_id = any(${own}::bigint[])))) rows with ties)`;
  const tasks = read.toSorted((one, other) => one.id - other.id);
  const open = read.filter(({ found }) => found > 0);
  const seen = [
    ...routes.map(({ id, version, state }) => `r${id}.${version}.${state}`),
    ...tasks.map(({ id, changedAtMs }) => `t${id}.${changedAtMs}`),
  ];
  return {
    depot,
    site,
    day,
    resources,
    tasks: new Map(tasks.map((task) => [task.id, withoutPast(task, momentAt(day, '00:00', site.timeZone))])),
    routes: routes.map((route) => ({ ...route, stops: stops.filter(({ routeId }) => routeId === route.id) })),
    left: (open[0]?.found ?? 0) - open.length,
    version: hash('sha256', seen.join(' '), 'base64url').slice(0, 16),
  };
};
