/** Makes the records of a day what a draft says. */
import { conflict } from '../http.ts';
import type { Database } from '../ports.ts';
import type { Day } from './day.ts';
import type { Draft } from './draft.ts';
import type { Evaluated } from './evaluate-draft.ts';

const instant = (s: number): string => new Date(s * 1_000).toISOString();

/** In the caller's transaction, under the lock of the day. Stops that are past stay as they are. */
export const writeDraft = async (
  database: Database,
  { depot, day, routes: before }: Day,
  draft: Draft,
  { routes }: Evaluated,
): Promise<void> => {
  // Drivers may change places: nobody drives two routes, not even meanwhile.
  await database.run`
    update fleet.routes set driver = driver || ' ' || id
    where id = any(${draft.routes.flatMap(({ id }) => id ?? [])}::bigint[])`;
  const kept = new Set<number>();
  const stops: PlannedStop[] = [];
  for (const { route, planned } of routes) {
    const { driver, vehicle, state } = route;
    const visits = route.visits.flatMap((id) => draft.visits.get(id) ?? []);
    if (visits.length === 0 && state === 'planned') continue;
    const written =
      route.id === undefined
        ? await database.first<{ id: number }>`
            insert into fleet.routes (depot, day, driver, vehicle) values (${depot}, ${day}, ${driver}, ${vehicle}) returning id`
        : await database.first<{ id: number }>`
            update fleet.routes set driver = ${driver}, vehicle = ${vehicle}, version = version + 1
            where id = ${route.id} returning id`;
    const routeId = written?.id ?? 0;
    kept.add(routeId);
    // Behind them: what was called off on the way keeps its stop.
    await database.run`
      update fleet.stops s set position = ${visits.length} + rest.place
      from (select id, row_number() over (order by position) as place from fleet.stops
        where route_id = ${routeId} and not (id = any(${visits.flatMap(({ stopId }) => stopId ?? [])}::bigint[]))) rest
      where s.id = rest.id`;
    const times = new Map(
      planned.stops.map((stop, at) => [
        stop.task,
        { ...stop, travelS: stop.arrivalS - (planned.stops[at - 1]?.departureS ?? planned.startS) },
      ]),
    );
    stops.push(
      ...visits.map((visit, position): PlannedStop => {
        const time = times.get(visit.id);
        return {
          id: visit.stopId,
          route: routeId,
          position,
          tasks: visit.taskIds,
          locked: visit.locked,
          arrival: time && instant(time.startS),
          departure: time && instant(time.departureS),
          travel: Math.round(time?.travelS ?? 0),
          service: Math.round(visit.serviceS),
          isPast: visit.isPast,
          becomes: state === 'started' ? 'out' : 'planned',
        };
      }),
    );
  }
  await writeStops(database, stops);
  const given = routes.flatMap(({ route }) => route.visits.flatMap((id) => draft.visits.get(id)?.taskIds ?? []));
  const left =
    await database.first`select from fleet.tasks where id = any(${given}::bigint[]) and stop_id is null limit 1`;
  if (left !== undefined)
    throw conflict('An order was called off or changed meanwhile: look at the board again', 'stale');
  const planned = new Set(draft.routes.flatMap(({ visits }) => visits));
  const off = [...draft.visits.values()].filter(
    ({ id, isPast, stopId }) => !planned.has(id) && !isPast && stopId !== undefined,
  );
  await database.run`
    update fleet.tasks set state = 'open', stop_id = null, changed_at = now()
    where id = any(${off.flatMap(({ taskIds }) => taskIds)}::bigint[])`;
  await database.run`
    delete from fleet.stops s where s.id = any(${off.flatMap(({ stopId }) => stopId ?? [])}::bigint[])
      and not exists (select from fleet.events e where e.stop_id = s.id)
      and not exists (select from fleet.proofs p where p.stop_id = s.id)`;
  const empty = before.filter(({ id, state }) => state === 'planned' && !kept.has(id)).map(({ id }) => id);
  await database.run`
    delete from fleet.routes r where r.id = any(${empty}::bigint[])
      and not exists (select from fleet.stops s where s.route_id = r.id)
      and not exists (select from fleet.events e where e.route_id = r.id)`;
};

interface PlannedStop {
  /** Undefined: a new one. */
  readonly id: number | undefined;
  readonly route: number;
  readonly position: number;
  readonly tasks: readonly number[];
  readonly locked: boolean;
  readonly arrival: string | undefined;
  readonly departure: string | undefined;
  /** Seconds. */
  readonly travel: number;
  readonly service: number;
  readonly isPast: boolean;
  /** Its tasks. */
  readonly becomes: 'planned' | 'out';
}

const writeStops = async (database: Database, stops: readonly PlannedStop[]): Promise<void> => {
  await database.run`
    update fleet.stops s set route_id = given.route, position = given.position
    from jsonb_to_recordset(${JSON.stringify(stops.filter(({ id, isPast }) => id !== undefined && isPast))}::jsonb)
      as given (id bigint, route bigint, position integer)
    where s.id = given.id`;
  await database.run`
    update fleet.stops s set route_id = given.route, position = given.position, task_ids = given.tasks, locked = given.locked,
      planned_arrival = given.arrival, planned_departure = given.departure, eta = given.arrival, travel_s = given.travel,
      service_s = given.service
    from jsonb_to_recordset(${JSON.stringify(stops.filter(({ id, isPast }) => id !== undefined && !isPast))}::jsonb)
      as given (id bigint, route bigint, position integer, tasks bigint[], locked boolean, arrival timestamptz,
        departure timestamptz, travel integer, service integer)
    where s.id = given.id`;
  const made = await database.all<{ id: number; taskIds: readonly number[] }>`
    insert into fleet.stops (route_id, position, task_ids, locked, planned_arrival, planned_departure, eta, travel_s, service_s)
    select route, position, tasks, locked, arrival, departure, arrival, travel, service
    from jsonb_to_recordset(${JSON.stringify(stops.filter(({ id }) => id === undefined))}::jsonb)
      as given (route bigint, position integer, tasks bigint[], locked boolean, arrival timestamptz, departure timestamptz,
        travel integer, service integer)
    returning id, task_ids`;
  const ids = new Map(made.flatMap(({ id, taskIds }) => taskIds.map((task) => [task, id])));
  const held = stops.flatMap(({ id, tasks, becomes }) =>
    tasks.map((task) => ({ task, stop: id ?? ids.get(task), becomes })),
  );
  // A stop whose order has left it meanwhile is gone.
  await database.run`
    update fleet.tasks t set stop_id = s.id, state = given.becomes, changed_at = now()
    from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as given (task bigint, stop bigint, becomes text)
      left join fleet.stops s on s.id = given.stop
    where t.id = given.task and (t.stop_id is distinct from s.id or t.state = 'open')
      and t.state in ('open', 'planned', 'out')`;
};
