/** A route as reports are about it, read under its lock; and what a fold of them makes of the records. */
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { TaskState } from '../contract/tasks.ts';
import type { Database } from '../ports.ts';
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

export interface RouteRecord {
  readonly id: number;
  readonly state: Folded['state'];
  readonly depot: string;
  readonly driver: string;
  readonly vehicle: string;
  readonly order: readonly FoldStop[];
  readonly tasks: ReadonlyMap<number, TaskOfRoute>;
  readonly events: readonly FoldEvent[];
  /** By their ids. */
  readonly proofs: ReadonlyMap<string, Proof>;
}

interface Proof {
  readonly id: string;
  readonly stopId: number;
  readonly kind: 'photo' | 'signature';
  readonly linkKey: string;
}

/** Whoever else reports of the route, or plans it, waits until the transaction ends. */
export const lockRoute = async (database: Database, routeId: number): Promise<RouteRecord | undefined> => {
  const route = await database.first<Pick<RouteRecord, 'id' | 'state' | 'depot' | 'driver' | 'vehicle'>>`
    select id, state, depot, driver, vehicle from fleet.routes where id = ${routeId} for update`;
  if (route === undefined) return undefined;
  const order = await database.all<FoldStop>`
    select id, task_ids, state = 'cancelled' as is_cancelled, planned_arrival as planned_arrival_ms, travel_s, service_s,
      (select max((t.demand #>> '{window,fromMs}')::bigint) from fleet.tasks t where t.id = any(task_ids)) as window_from_ms
    from fleet.stops where route_id = ${routeId} order by position`;
  const tasks = await database.all<TaskOfRoute>`
    select t.id, t.link_id, t.kind, t.state, t.attempts, t.stop_id, t.consignment,
      (select coalesce(jsonb_agg(jsonb_build_object('itemReference', item_reference, 'trackingNumber', tracking_number,
        'state', p.state) order by position), '[]') from fleet.packages p where p.task_id = t.id and not revoked) as packages
    from fleet.tasks t where t.id = any(${order.flatMap(({ taskIds }) => taskIds)}::bigint[]) order by t.id for update of t`;
  const proofs = await database.all<Proof>`
    select id, stop_id, kind, link_key from fleet.proofs where stop_id = any(${order.map(({ id }) => id)}::bigint[])`;
  const events = await database.all<FoldEvent>`
    select id, type, occurred_at as at_ms, stop_id, task_ids, data from fleet.events where route_id = ${routeId}`;
  return {
    ...route,
    order,
    tasks: new Map(tasks.map((task) => [task.id, task])),
    events,
    proofs: new Map(proofs.map((proof) => [proof.id, proof])),
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
  for (const [id, outcome] of tasks) {
    const task = route.tasks.get(id);
    if (task === undefined || task.state === 'cancelled') continue;
    const stop = route.order.find(({ taskIds }) => taskIds.includes(id))?.id;
    const isHere = task.stopId !== undefined && task.stopId === stop;
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
    else if (outcome === 'failed' && (task.state === 'planned' || task.state === 'out'))
      await become('failed', task.stopId);
    else if (outcome === 'back' && ['planned', 'out', 'failed'].includes(task.state)) {
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
