/** A day as the records have it: of what is open, as much as can be planned. */
import { hash } from 'node:crypto';
import { notFound, wrongAt } from '../http.ts';
import { isFeasible } from '../plan/tasks.ts';
import type { Database } from '../ports.ts';
import { readResources } from '../resources/records.ts';
import { dayAt, momentAt } from '../resources/shifts.ts';
import type { Day, DayRoute, DayStop, DayTask } from './day.ts';
import { draftOf } from './draft.ts';
import { problemOf } from './problem-of.ts';

/** Of a day, with those on its routes: a table of travel has a value for each two of them. */
const TASKS_MAX = 2_000;
/** Of those that nobody can do, at least so many are on the board, to be seen. */
const SHOWN_MIN = 100;
/** Open tasks that are looked through for those that can be planned. */
const LOOKED_AT_MAX = 10_000;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Whoever else changes the day's routes waits until the transaction ends. */
export const lockDay = async (database: Database, depot: string, day: string): Promise<void> =>
  void (await database.all`select pg_advisory_xact_lock(hashtextextended(${`fleet/day/${depot}/${day}`}, 0))`);

const withoutPast = (task: DayTask, fromMs: number): DayTask =>
  task.demand.window === undefined || task.demand.window.toMs > fromMs
    ? task
    : { ...task, demand: { ...task.demand, window: undefined } };

/** Of more than can be planned, what somebody could do comes first, and then what ends first; of an exchange at one door both parts. */
const choose = async (day: Day, nowMs: number): Promise<Pick<Day, 'tasks' | 'left'>> => {
  const draft = draftOf(day);
  const { problem } = await problemOf({ nowMs: () => nowMs, travelOf: async () => await NO_TRAVEL }, day, draft, {
    bound: 'locked',
  });
  const { can = [], cannot = [] } = Object.groupBy(
    problem.tasks.filter(({ id }) => draft.visits.get(id)?.stopId === undefined),
    (task) => (isFeasible(problem, task, nowMs / 1_000) ? 'can' : 'cannot'),
  );
  const first = (tasks: typeof can, room: number): readonly number[] => {
    let count = 0;
    const visits = tasks.map(({ id }) => draft.visits.get(id)?.taskIds ?? []);
    return visits.filter(({ length }) => (count += length) <= room).flat();
  };
  const planned = [...day.tasks.values()].filter(({ stopId }) => stopId !== undefined);
  const room = TASKS_MAX - planned.length;
  const chosen = first(can, room);
  const shown = first(cannot, Math.max(SHOWN_MIN, room - chosen.length));
  const kept = new Set([...planned.map(({ id }) => id), ...chosen, ...shown]);
  return {
    tasks: new Map([...day.tasks].filter(([id]) => kept.has(id))),
    left: day.left + day.tasks.size - kept.size,
  };
};
const NO_TRAVEL = Promise.resolve({ durationsS: new Float64Array(), distancesM: new Float64Array() });

/** What nobody did in its time is open for any later day, whenever its window was. */
export const readDay = async (
  database: Database,
  depot: string,
  day: string,
  nowMs: number,
  { withOpen = true }: { readonly withOpen?: boolean } = {},
): Promise<Day> => {
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
  const read = await database.all<DayTask & { readonly found: number }>`
    select id, link_id, reference_id, kind, exchange, zone, demand, state, stop_id, changed_at as changed_at_ms, 0 as found
    from fleet.tasks where stop_id = any(${own}::bigint[])
    union all (
      select id, link_id, reference_id, kind, exchange, zone, demand, state, stop_id, changed_at, count(*) over ()
      from fleet.tasks where ${withOpen} and depot = ${depot} and state = 'open' and (stop_id = any(${own}::bigint[])) is not true and first_day <= ${day}
        and (coalesce(last_day, 'infinity') >= ${day} or last_day < ${dayAt(nowMs, site.timeZone)})
      order by min(coalesce(last_day, 'infinity')) over (partition by link_id, coalesce('x' || exchange, 't' || id)),
        link_id, coalesce('x' || exchange, 't' || id)
      fetch first (${LOOKED_AT_MAX}::bigint) rows with ties)`;
  const beginsMs = momentAt(day, '00:00', site.timeZone);
  const open = read.filter(({ found }) => found > 0);
  const all: Day = {
    depot,
    site,
    day,
    resources,
    tasks: new Map(read.map((task) => [task.id, withoutPast(task, beginsMs)])),
    routes: routes.map((route) => ({ ...route, stops: stops.filter(({ routeId }) => routeId === route.id) })),
    left: (open[0]?.found ?? 0) - open.length,
    version: '',
  };
  const { left, ...chosen } = read.length > TASKS_MAX ? await choose(all, nowMs) : all;
  const tasks = [...chosen.tasks].toSorted(([one], [other]) => one - other);
  const seen = [
    ...routes.map(({ id, version, state }) => `r${id}.${version}.${state}`),
    ...tasks.map(([id, { changedAtMs }]) => `t${id}.${changedAtMs}`),
  ];
  const version = hash('sha256', seen.join(' '), 'base64url').slice(0, 16);
  return { ...all, tasks: new Map(tasks), left, version };
};
