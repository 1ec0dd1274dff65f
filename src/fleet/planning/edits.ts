/** What a dispatcher changes by hand. Pure. */
import { type Static, Type } from 'typebox';
import { conflict, notFound, wrongAt } from '../http.ts';
import { closed, CODE, ID } from '../resources/shapes.ts';
import type { Draft, DraftRoute, DraftVisit } from './draft.ts';

const Position = Type.Integer({ minimum: 0, maximum: 10_000 });

/** One object, so that what is wrong is told at its field; which fields an edit needs, its kind says. */
export const Edit = Type.Object(
  {
    kind: Type.Enum(['move', 'unassign', 'lock', 'unlock', 'split', 'reassign']),
    taskId: Type.Optional(ID),
    routeId: Type.Optional(ID),
    stopIds: Type.Optional(Type.Array(ID, { minItems: 1, maxItems: 1_000 })),
    position: Type.Optional(Position),
    driver: Type.Optional(CODE),
    vehicle: Type.Optional(CODE),
  },
  closed,
);
export type Edit = Static<typeof Edit>;

const required = <Value>(edit: Edit, field: keyof Edit, value: Value | undefined): Value => {
  if (value === undefined) throw wrongAt(`edit.${field}`, 'required', `is needed by ${edit.kind}`);
  return value;
};

const visitWith = ({ visits }: Draft, taskId: string): DraftVisit => {
  const visit = [...visits.values()].find(({ taskIds }) => taskIds.includes(Number(taskId)));
  if (visit === undefined) throw notFound(`task ${taskId} on this day`);
  if (visit.isPast) throw conflict(`Task ${taskId} is begun or over`);
  return visit;
};
const routeWith = ({ routes }: Draft, id: string): DraftRoute => {
  const route = routes.find((one) => one.id === Number(id));
  if (route === undefined) throw notFound(`route ${id} that is planned or under way on this day`);
  return route;
};

const without = (draft: Draft, visit: DraftVisit): Draft => ({
  ...draft,
  routes: draft.routes.map((route) => ({ ...route, visits: route.visits.filter((id) => id !== visit.id) })),
});
const changed = (draft: Draft, route: DraftRoute, change: Partial<DraftRoute>): Draft => ({
  ...draft,
  routes: draft.routes.map((one) => (one.id === route.id ? { ...one, ...change } : one)),
});

/** Where a visit costs least on a route, where the edit does not say. */
export type PositionOf = (route: DraftRoute, visit: DraftVisit) => number;

export const applyEdit = (draft: Draft, edit: Edit, positionOf: PositionOf): Draft => {
  switch (edit.kind) {
    case 'move': {
      const visit = visitWith(draft, required(edit, 'taskId', edit.taskId));
      const route = routeWith(draft, required(edit, 'routeId', edit.routeId));
      const isOn = route.visits.includes(visit.id);
      if (route.state === 'started' && visit.hasDelivery && !isOn)
        throw conflict('The route has left the depot: what is to be delivered is not aboard');
      const left = without(draft, visit);
      const target = routeWith(left, String(route.id));
      const past = target.visits.filter((id) => draft.visits.get(id)?.isPast).length;
      const at = Math.max(past, Math.min(edit.position ?? positionOf(target, visit), target.visits.length));
      return changed(left, target, { visits: target.visits.toSpliced(at, 0, visit.id) });
    }
    case 'unassign': {
      const visit = visitWith(draft, required(edit, 'taskId', edit.taskId));
      if (draft.routes.some(({ state, visits }) => state === 'started' && visits.includes(visit.id)))
        throw conflict('The route has left the depot: report the stop as failed, or the route as broken down');
      return without(draft, visit);
    }
    case 'lock':
    case 'unlock': {
      const ids = required(edit, 'stopIds', edit.stopIds).map(Number);
      const visits = new Map(draft.visits);
      for (const [at, id] of ids.entries()) {
        const visit = [...visits.values()].find(({ stopId }) => stopId === id);
        if (visit === undefined)
          throw wrongAt(`edit.stopIds[${at}]`, 'not_one_of', `names stop ${id}, which is none of this day`);
        visits.set(visit.id, { ...visit, locked: edit.kind === 'lock' });
      }
      return { ...draft, visits };
    }
    case 'split': {
      const route = routeWith(draft, required(edit, 'routeId', edit.routeId));
      const at = required(edit, 'position', edit.position);
      const driver = required(edit, 'driver', edit.driver);
      const vehicle = required(edit, 'vehicle', edit.vehicle);
      if (route.state === 'started') throw conflict('The route has left the depot');
      if (at >= route.visits.length) throw wrongAt('edit.position', 'too_large', 'is beyond the stops of the route');
      if (draft.routes.some((one) => one.driver === driver)) throw conflict(`${driver} has a route that day already`);
      if (draft.routes.some((one) => one.vehicle === vehicle))
        throw conflict(`${vehicle} is on another route that day`);
      const made: DraftRoute = { id: undefined, driver, vehicle, state: 'planned', visits: route.visits.slice(at) };
      const shortened = changed(draft, route, { visits: route.visits.slice(0, at) });
      return { ...shortened, routes: [...shortened.routes, made] };
    }
    case 'reassign': {
      const route = routeWith(draft, required(edit, 'routeId', edit.routeId));
      const { driver = route.driver, vehicle = route.vehicle } = edit;
      const other = draft.routes.find((one) => one.id !== route.id && one.driver === driver);
      if (draft.routes.some((one) => one.id !== route.id && one.id !== other?.id && one.vehicle === vehicle))
        throw conflict(`${vehicle} is on another route that day`);
      if (other === undefined) return changed(draft, route, { driver, vehicle });
      if (route.state === 'started' || other.state === 'started')
        throw conflict(`${driver} has a route that day already`);
      // They exchange their routes.
      const { driver: before, vehicle: given } = route;
      return changed(changed(draft, route, { driver, vehicle: other.vehicle }), other, {
        driver: before,
        vehicle: given,
      });
    }
  }
};
