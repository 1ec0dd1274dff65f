/** A route as reports are about it, read under its lock; and what a fold of them makes of the records. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { TaskState } from '../contract/tasks.ts';
import type { Database } from '../ports.ts';
import type { ReportedRoute } from './events.ts';
import type { Folded, FoldEvent, FoldStop } from './fold.ts';

export interface TaskOfRoute {
  readonly id: number;
  readonly linkId: number;
  readonly kind: 'DELIVERY' | 'PICKUP';
  readonly state: TaskState;
  readonly attempts: number;
  readonly stopId: number | undefined;
  readonly consignment: Consignment;
  readonly packages: readonly {
    readonly itemReference: string;
    readonly trackingNumber: string;
    readonly state: 'handed_over' | null;
  }[];
}

export interface RouteRecord extends ReportedRoute {
  readonly depot: string;
  readonly driver: string;
  readonly vehicle: string;
  readonly order: readonly FoldStop[];
  readonly tasks: ReadonlyMap<number, TaskOfRoute>;
  readonly events: readonly FoldEvent[];
  readonly proofLinks: ReadonlyMap<string, { readonly kind: 'photo' | 'signature'; readonly key: string }>;
}

interface StopRow {
  readonly id: number;
  readonly taskIds: readonly number[];
  readonly state: string;
  readonly plannedArrivalMs: number | undefined;
  readonly travelS: number;
  readonly serviceS: number;
}

/** Whoever else reports of the route, or plans it, waits until the transaction ends. */
export const lockRoute = async (database: Database, routeId: number): Promise<RouteRecord | undefined> => {
  const route = await database.first<Pick<RouteRecord, 'id' | 'state' | 'depot' | 'driver' | 'vehicle'>>`
    select id, state, depot, driver, vehicle from fleet.routes where id = ${routeId} for update`;
  if (route === undefined) return undefined;
  const stops = await database.all<StopRow>`
    select id, task_ids, state, planned_arrival as planned_arrival_ms, travel_s, service_s
    from fleet.stops where route_id = ${routeId} order by position`;
  const tasks = await database.all<TaskOfRoute & { readonly windowFromMs: number | undefined }>`
    select t.id, t.link_id, t.kind, t.state, t.attempts, t.stop_id, t.consignment, (t.demand #>> '{window,fromMs}')::bigint as window_from_ms,
      (select coalesce(jsonb_agg(jsonb_build_object('itemReference', item_reference, 'trackingNumber', tracking_number,
        'state', p.state) order by position), '[]') from fleet.packages p where p.task_id = t.id and not revoked) as packages
    from fleet.tasks t where t.id = any(${stops.flatMap(({ taskIds }) => taskIds)}::bigint[]) order by t.id for update of t`;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const proofs = await database.all<{ id: string; stopId: number; kind: 'photo' | 'signature'; linkKey: string }>`
    select id, stop_id, kind, link_key from fleet.proofs where stop_id = any(${stops.map(({ id }) => id)}::bigint[])`;
  const events = await database.all<FoldEvent>`
    select id, type, occurred_at as at_ms, stop_id, task_ids, data from fleet.events where route_id = ${routeId}`;
  return {
    ...route,
    stops: new Map(
      stops.map(({ id, taskIds }) => [
        id,
        {
          tasks: taskIds.flatMap((taskId) => {
            const task = byId.get(taskId);
            if (task === undefined || task.state === 'cancelled') return [];
            const needsSignature =
              task.consignment.vas?.some(({ vasCode }) => vasCode === 'SIGNATURE_REQUIRED') ?? false;
            return [
              { id: taskId, kind: task.kind, items: task.packages.map((one) => one.itemReference), needsSignature },
            ];
          }),
          proofs: proofs.filter(({ stopId }) => stopId === id),
        },
      ]),
    ),
    order: stops.map(({ state, ...stop }) => ({
      ...stop,
      windowFromMs: Math.max(...stop.taskIds.map((id) => byId.get(id)?.windowFromMs ?? 0), 0),
      isCancelled: state === 'cancelled',
    })),
    tasks: byId,
    events,
    proofLinks: new Map(proofs.map(({ id, kind, linkKey }) => [id, { kind, key: linkKey }])),
  };
};

/** Tries of a delivery; after the last one it goes back to its sender. */
const ATTEMPTS_MAX = 3;

const at = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

/** Yields the tasks that came back, or are to be planned anew, by this. */
export const writeFold = async (
  database: Database,
  route: RouteRecord,
  { state, startedAtMs, finishedAtMs, stops, tasks }: Folded,
): Promise<{
  readonly back: readonly number[];
  readonly last: readonly number[];
  readonly dropped: readonly number[];
}> => {
  await database.run`
    update fleet.routes set state = ${state}, started_at = ${at(startedAtMs)}, finished_at = ${at(finishedAtMs)},
      version = version + 1 where id = ${route.id}`;
  const rows = [...stops].map(([id, stop]) => ({ id, state: stop.state, eta: at(stop.etaMs) }));
  await database.run`
    update fleet.stops s set state = given.state, eta = coalesce(given.eta, s.eta)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id bigint, state text, eta timestamptz)
    where s.id = given.id and (s.state, s.eta) is distinct from (given.state, coalesce(given.eta, s.eta))`;
  const back: number[] = [];
  const last: number[] = [];
  const dropped: number[] = [];
  const isOver = state === 'finished' || state === 'broken_down';
  for (const [id, outcome] of tasks) {
    const task = route.tasks.get(id);
    if (task === undefined || task.state === 'cancelled') continue;
    const stop = route.order.find(({ taskIds }) => taskIds.includes(id))?.id;
    const isHere = task.stopId !== undefined && task.stopId === stop;
    // Of what was not collected there is nothing to bring back.
    const isBack = outcome === 'back' || (outcome === 'failed' && task.kind === 'PICKUP' && isOver);
    const become = async (to: TaskState, stopId: number | null, tries = 0): Promise<void> => {
      if (task.state === to && task.stopId === (stopId ?? undefined)) return;
      await database.run`
        update fleet.tasks set state = ${to}, stop_id = ${stopId}, attempts = attempts + ${tries}, changed_at = now() where id = ${id}`;
    };
    if (outcome === 'delivered' || outcome === 'partly_delivered') {
      // Even where it is planned anew already: what is at its door needs no second trip.
      if (task.state !== 'returned') await become(outcome, stop ?? null);
    } else if (!isHere) continue;
    else if (outcome === 'out' && task.state === 'planned') await become('out', task.stopId);
    else if (outcome === 'failed' && !isBack && (task.state === 'planned' || task.state === 'out'))
      await become('failed', task.stopId);
    else if (isBack && ['planned', 'out', 'failed'].includes(task.state)) {
      const isLast = task.attempts + 1 >= ATTEMPTS_MAX;
      await become(isLast ? 'returned' : 'open', isLast ? task.stopId : null, 1);
      (isLast ? last : back).push(id);
    } else if (outcome === 'dropped' && (task.state === 'planned' || task.state === 'out')) {
      await become('open', null);
      dropped.push(id);
    }
  }
  await database.run`
    delete from fleet.stops s where s.state = 'pending' and s.route_id <> ${route.id}
      and s.task_ids && ${[...tasks.keys()]}::bigint[] and not exists (select from fleet.tasks t where t.stop_id = s.id)
      and not exists (select from fleet.proofs p where p.stop_id = s.id) and not exists (select from fleet.events e where e.stop_id = s.id)`;
  return { back, last, dropped };
};
