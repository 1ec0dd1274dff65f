/** Makes the records of a day what a draft says. */
import { conflict } from '../http.ts';
import type { Database } from '../ports.ts';
import type { Day } from './day.ts';
import type { Draft, DraftVisit } from './draft.ts';
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
  for (const { route, planned } of routes) {
    const { driver, vehicle, state, visits } = route;
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
    const times = new Map(
      planned.stops.map((stop, at) => [
        stop.task,
        { ...stop, travelS: stop.arrivalS - (planned.stops[at - 1]?.departureS ?? planned.startS) },
      ]),
    );
    // Behind them: what was called off on the way keeps its stop.
    await database.run`
      update fleet.stops s set position = ${visits.length} + rest.place
      from (select id, row_number() over (order by position) as place from fleet.stops
        where route_id = ${routeId} and not (id = any(${visits.flatMap((id) => draft.visits.get(id)?.stopId ?? [])}::bigint[]))) rest
      where s.id = rest.id`;
    for (const [position, id] of visits.entries()) {
      const visit = draft.visits.get(id);
      if (visit !== undefined)
        await writeStop(database, { routeId, position, isStarted: state === 'started' }, visit, times.get(id));
    }
  }
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

const writeStop = async (
  database: Database,
  {
    routeId,
    position,
    isStarted,
  }: { readonly routeId: number; readonly position: number; readonly isStarted: boolean },
  { stopId, taskIds, locked, isPast, serviceS }: DraftVisit,
  time:
    | { readonly arrivalS: number; readonly startS: number; readonly departureS: number; readonly travelS: number }
    | undefined,
): Promise<void> => {
  const [arrival, departure] = [time && instant(time.startS), time && instant(time.departureS)];
  const travelS = Math.round(time?.travelS ?? 0);
  const written =
    stopId === undefined
      ? await database.first<{ id: number }>`
          insert into fleet.stops (route_id, position, task_ids, locked, planned_arrival, planned_departure, eta, travel_s, service_s)
          values (${routeId}, ${position}, ${taskIds}, ${locked}, ${arrival ?? null}, ${departure ?? null}, ${arrival ?? null}, ${travelS}, ${Math.round(serviceS)})
          returning id`
      : isPast
        ? await database.first<{ id: number }>`
            update fleet.stops set route_id = ${routeId}, position = ${position} where id = ${stopId} returning id`
        : await database.first<{ id: number }>`
            update fleet.stops set route_id = ${routeId}, position = ${position}, task_ids = ${taskIds}, locked = ${locked},
              planned_arrival = ${arrival ?? null}, planned_departure = ${departure ?? null}, eta = ${arrival ?? null},
              travel_s = ${travelS}, service_s = ${Math.round(serviceS)}
            where id = ${stopId} returning id`;
  await database.run`
    update fleet.tasks set stop_id = ${written?.id ?? null}, state = ${isStarted ? 'out' : 'planned'}, changed_at = now()
    where id = any(${taskIds}::bigint[]) and (stop_id is distinct from ${written?.id ?? null} or state = 'open')
      and state in ('open', 'planned', 'out')`;
};
