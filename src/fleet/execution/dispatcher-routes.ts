/** What dispatchers report in place of a driver. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { type AddRoutes, idOf, ok, routesOf } from '../http.ts';
import { routeAlone } from '../planning/board.ts';
import { breakDown, recordEvents } from './record-events.ts';

export const addDispatcherRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps);
  route('POST /routes/:id/events', {
    who: 'operate',
    summary: 'Reports of a route in its driver’s place',
    body: Type.Array(Type.Unknown(), { maxItems: 200 }),
    handle: async ({ path: { id }, body, actor }) => {
      const routeId = idOf(id, 'such route');
      const results = await recordEvents(deps, routeId, { actor }, body);
      return ok({ results, route: (await routeAlone(deps, routeId))?.view });
    },
  });
  route('POST /routes/:id/break-down', {
    who: 'operate',
    summary: 'Gives up a route; what it has not brought is open again',
    body: Type.Optional(Type.Object({ comment: Type.Optional(Type.String({ maxLength: 1_000 })) })),
    handle: async ({ path: { id }, body, actor }) => {
      const routeId = idOf(id, 'such route');
      await breakDown(deps, routeId, actor, randomUUID(), body?.comment);
      return ok({ route: (await routeAlone(deps, routeId))?.view });
    },
  });
  route('GET /positions', {
    who: 'read',
    summary: 'Lists where drivers were last',
    handle: async () =>
      ok({
        items: await deps.database.all`
          select distinct on (driver) driver, at, latitude, longitude from fleet.positions order by driver, at desc`,
      }),
  });
};
