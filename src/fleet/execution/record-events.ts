/** Takes reports: each once by its id, whenever it comes; the fold of all of them is what the records say of the route. */
import type { Issue } from '../../engine/validate.ts';
import { issueAt } from '../../engine/validate.ts';
import { textAt } from '../../engine/value.ts';
import { type Finding, findingsOf, notFound } from '../http.ts';
import type { Database, FleetDeps } from '../ports.ts';
import { readResources } from '../resources/records.ts';
import type { Resources } from '../resources/shapes.ts';
import { eventIssues, type EventType, readEvent, type ReportedEvent, tasksOf } from './events.ts';
import { type Folded, type FoldEvent, foldRoute, inOrder, outcomeOf } from './fold.ts';
import { type PushedEvent, pushesOf } from './pushes.ts';
import { lockRoute, type RouteRecord, type TaskOfRoute, writeFold } from './route-record.ts';

export interface Result {
  readonly id: string;
  readonly result: 'recorded' | 'repeated' | 'refused';
  readonly findings?: readonly Finding[];
}

export interface Reporter {
  /** As the records name who reported. */
  readonly actor: string;
  /** Of routes of this driver alone; undefined: a dispatcher. */
  readonly driver?: string | undefined;
}

type Deps = Pick<FleetDeps, 'database' | 'nowMs' | 'publicUrl' | 'keepPositionsMs'>;

const refused = (id: string, issues: readonly Issue[]): Result => ({
  id,
  result: 'refused',
  findings: findingsOf(issues),
});

/** In one transaction: what is recorded, and what is pushed of it. */
export const recordEvents = async (
  deps: Deps,
  routeId: number,
  reporter: Reporter,
  given: readonly unknown[],
): Promise<readonly Result[]> =>
  await deps.database.transaction(async (database) => {
    const route = await lockRoute(database, routeId);
    if (route === undefined || (reporter.driver !== undefined && route.driver !== reporter.driver))
      throw notFound('such route');
    const resources = await readResources(database);
    const results: Result[] = [];
    const fresh: FoldEvent[] = [];
    for (const one of given) {
      const read = readEvent(one);
      const id = textAt(one, 'id').toLowerCase();
      const issues = read.ok ? eventIssues(read.value, route, resources, deps.nowMs()) : read.issues;
      if (!read.ok || issues.length > 0) results.push(refused(id, issues));
      else results.push(await take(deps, database, route, { ...read.value, id, actor: reporter.actor }, fresh));
    }
    if (fresh.length > 0) await conclude(deps, database, route, resources, fresh);
    return results;
  });

const take = async (
  { nowMs, keepPositionsMs }: Deps,
  database: Database,
  route: RouteRecord,
  { actor, ...event }: ReportedEvent & { readonly actor: string },
  fresh: FoldEvent[],
): Promise<Result> => {
  const { id, type, at, stopId, latitude, longitude } = event;
  if (latitude !== undefined && longitude !== undefined && Date.parse(at) > nowMs() - keepPositionsMs)
    await database.run`
      insert into fleet.positions (driver, at, latitude, longitude) values (${route.driver}, ${at}, ${latitude}, ${longitude})
      on conflict do nothing`;
  if (type === 'position') return { id, result: 'recorded' };
  const stop = stopId === undefined ? undefined : Number(stopId);
  const taskIds = stop === undefined ? [] : tasksOf(route, event).map((task) => task.id);
  const written = await database.run`
    insert into fleet.events (id, route_id, stop_id, task_ids, type, occurred_at, actor, data)
    values (${id}, ${route.id}, ${stop ?? null}, ${taskIds}, ${type}, ${at}, ${actor}, ${JSON.stringify(event)})
    on conflict (id) do nothing`;
  if (written === 0) {
    const isOurs = route.events.some((known) => known.id === id) || fresh.some((known) => known.id === id);
    return isOurs
      ? { id, result: 'repeated' }
      : refused(id, [issueAt('id', 'unique', 'is that of an event of another route')]);
  }
  fresh.push({ id, type, atMs: Date.parse(at), stopId: stop, taskIds, data: event });
  return { id, result: 'recorded' };
};

/** The whole route is given up: what is not done is to be planned anew. */
export const breakDown = async (
  deps: Deps,
  routeId: number,
  actor: string,
  id: string,
  comment: string | undefined,
): Promise<void> =>
  await deps.database.transaction(async (database) => {
    const route = await lockRoute(database, routeId);
    if (route === undefined) throw notFound('such route');
    const atMs = deps.nowMs();
    const data = comment === undefined ? {} : { comment };
    await database.run`
      insert into fleet.events (id, route_id, type, occurred_at, actor, data)
      values (${id}, ${routeId}, 'broken_down', ${new Date(atMs).toISOString()}, ${actor}, ${JSON.stringify(data)})`;
    const event: FoldEvent = { id, type: 'broken_down', atMs, stopId: undefined, taskIds: [], data };
    await conclude(deps, database, route, await readResources(database), [event]);
  });

/** What was delivered is delivered, whatever is said of it later. */
const contradicts = ({ type, atMs }: FoldEvent, task: number, events: readonly FoldEvent[]): boolean =>
  type !== 'delivered' &&
  events.some((one) => one.type === 'delivered' && one.atMs < atMs && one.taskIds.includes(task));

const conclude = async (
  deps: Deps,
  database: Database,
  route: RouteRecord,
  resources: Resources,
  fresh: readonly FoldEvent[],
): Promise<void> => {
  const events = [...route.events, ...fresh];
  const folded = foldRoute(route.order, events, (id) => itemsOf(route.tasks.get(id)));
  const moved = await writeFold(database, route, folded);
  const rows: { link: number; task: number; body: unknown }[] = [];
  const push = (
    event: FoldEvent,
    type: EventType,
    tasks: readonly TaskOfRoute[],
    more: Partial<PushedEvent> = {},
  ): void => {
    for (const task of tasks) {
      const pushed = pushedEvent(deps, route, resources, { ...event, type }, etaOf(route, folded, task));
      const body = pushesOf(task, { ...pushed, ...more });
      if (body.length > 0) rows.push({ link: task.linkId, task: task.id, body });
    }
  };
  const those = (ids: Iterable<number>): readonly TaskOfRoute[] =>
    [...new Set(ids)].flatMap((id) => route.tasks.get(id) ?? []).filter(({ state }) => state !== 'cancelled');
  const all = those(route.order.flatMap(({ taskIds }) => taskIds));
  const [first] = fresh.toSorted((one, other) => one.atMs - other.atMs);
  // Also where nobody said so: it has left the depot once anything happened on the way.
  if (route.state === 'planned' && folded.state !== 'planned' && first !== undefined && first.type !== 'broken_down')
    push({ ...first, data: {} }, 'route_started', all);
  for (const event of fresh) {
    const stillOut = all.filter(({ id }) => folded.tasks.get(id) === 'out');
    switch (event.type) {
      case 'route_started':
      case 'route_finished':
      case 'returned_to_depot':
      case 'position':
        break;
      case 'delayed':
        push(event, 'delayed', stillOut);
        break;
      case 'broken_down':
        push(event, 'broken_down', those(moved.dropped));
        break;
      case 'en_route':
      case 'arrived':
      case 'delivered':
      case 'partly_delivered':
      case 'failed':
        push(
          event,
          event.type,
          those(event.taskIds).filter(({ id }) => !contradicts(event, id, events)),
        );
    }
  }
  for (const task of those([...moved.back, ...moved.last]).filter((one) => !isBrought(one)))
    for (const event of new Set(returnsOf(task, events).values()))
      push(event, event.type, [task], { isLast: moved.last.includes(task.id) });
  const brought = all.filter(isBrought).flatMap((task) => {
    const returns = returnsOf(task, events);
    return task.packages.flatMap(({ itemReference: item, state }) => {
      const event = state === null ? returns.get(item) : undefined;
      return event === undefined ? [] : [{ task, item, event }];
    });
  });
  for (const [event, parts] of Map.groupBy(brought, (one) => one.event))
    for (const [task, own] of Map.groupBy(parts, (one) => one.task))
      push(event, event.type, [task], { packages: own.map(({ item }) => item) });
  const handedOver = brought.map(({ task: { id: task }, item }) => ({ task, item }));
  if (handedOver.length > 0)
    await database.run`
    update fleet.packages p set state = 'handed_over'
    from jsonb_to_recordset(${JSON.stringify(handedOver)}::jsonb) as given (task bigint, item text)
    where p.task_id = given.task and p.item_reference = given.item and not p.revoked`;
  await database.run`
    insert into fleet.outbox (link_id, task_id, body)
    select link, task, body from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (link bigint, task bigint, body jsonb)`;
};

const isBrought = ({ kind }: TaskOfRoute): boolean => kind === 'PICKUP';

const itemsOf = (task: TaskOfRoute | undefined): readonly string[] =>
  task?.packages.map(({ itemReference }) => itemReference) ?? [];

/** The return by which each package came back to the depot, whenever it was reported: of a pickup what was collected, of a delivery what failed. */
const returnsOf = (task: TaskOfRoute, events: readonly FoldEvent[]): ReadonlyMap<string, FoldEvent> => {
  const returns = new Map<string, FoldEvent>();
  const items = itemsOf(task);
  let aboard: readonly string[] = [];
  let isDelivered = false;
  for (const event of inOrder(events)) {
    const outcome = outcomeOf(event, items);
    if (event.type === 'returned_to_depot' && (event.taskIds.length === 0 || event.taskIds.includes(task.id))) {
      for (const item of aboard) returns.set(item, event);
      aboard = [];
    } else if (outcome !== undefined && event.taskIds.includes(task.id) && !isDelivered) {
      isDelivered = outcome === 'delivered';
      const handedOver = outcome === 'failed' ? [] : isDelivered ? items : (event.data.packages ?? items);
      aboard = isBrought(task) ? handedOver : outcome === 'failed' ? items : [];
    }
  }
  return returns;
};

const etaOf = (route: RouteRecord, folded: Folded, task: TaskOfRoute): number | undefined => {
  const stop = route.order.find(({ taskIds }) => taskIds.includes(task.id));
  return stop === undefined ? undefined : folded.stops.get(stop.id)?.etaMs;
};

const pushedEvent = (
  { publicUrl }: Deps,
  { driver, vehicle, depot, proofs }: RouteRecord,
  { drivers, vehicles, depots, reasons }: Resources,
  { id, type, atMs, data }: FoldEvent,
  etaMs: number | undefined,
): PushedEvent => {
  const reason = data.reason === undefined ? undefined : reasons.get(data.reason);
  const isToCome = type === 'route_started' || type === 'en_route' || type === 'delayed';
  return {
    ...data,
    id,
    type,
    atMs,
    timeZone: depots.get(depot)?.timeZone ?? 'UTC',
    driverName: drivers.get(driver)?.name ?? driver,
    vehicle: vehicles.get(vehicle)?.plate ?? vehicle,
    reason: reason && { code: data.reason ?? '', ...reason },
    proofs: (data.proofs ?? []).flatMap((proof) => {
      const found = proofs.get(proof.toLowerCase());
      return found === undefined ? [] : [{ kind: found.kind, url: `${publicUrl}/fleet/v1/proofs/${found.linkKey}` }];
    }),
    etaMs: isToCome ? etaMs : undefined,
  };
};
