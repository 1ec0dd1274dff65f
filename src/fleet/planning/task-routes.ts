/** Tasks, for operators: by day, depot and state, or one with what happened to it. */
import { Type } from 'typebox';
import { type AddRoutes, idOf, notFound, ok, routesOf } from '../http.ts';
import { viewTasks } from './task-view.ts';

const PAGE = 100;

export const addTaskRoutes: AddRoutes = (scope, deps) => {
  const { database } = deps;
  const route = routesOf(scope, deps);
  route('GET /tasks', {
    who: 'read',
    summary: 'Lists tasks by day, depot and state, or finds them by a number',
    query: Type.Object({
      day: Type.Optional(Type.String({ format: 'date' })),
      depot: Type.Optional(Type.String()),
      state: Type.Optional(Type.String()),
      search: Type.Optional(Type.String({ maxLength: 100 })),
      after: Type.Optional(Type.String({ pattern: '^\\d{1,15}$' })),
    }),
    handle: async ({ query: { day, depot, state, search, after = '0' } }) => {
      const rows = await database.all<{ id: number }>`
        select id from fleet.tasks t where id > ${Number(after)}
          and (${depot ?? null}::text is null or depot = ${depot ?? null})
          and (${state ?? null}::text is null or state = ${state ?? null})
          and (${day ?? null}::date is null or (first_day <= ${day ?? null}::date and coalesce(last_day, 'infinity') >= ${day ?? null}::date))
          and (${search ?? null}::text is null or reference_id = ${search ?? null} or order_number = ${search ?? null}
            or exists (select from fleet.packages p where p.task_id = t.id and p.tracking_number = ${search ?? null}))
        order by id limit ${PAGE + 1}`;
      const ids = rows.slice(0, PAGE).map(({ id }) => id);
      const tasks = await viewTasks(deps, ids);
      return ok({
        items: ids.flatMap((id) => tasks.get(id) ?? []),
        ...(rows.length > PAGE ? { next: String(ids.at(-1)) } : {}),
      });
    },
  });
  route('GET /tasks/:id', {
    who: 'read',
    summary: 'Reads a task and what was reported of it',
    handle: async ({ path }) => {
      const id = idOf(path['id'], 'such task');
      const task = (await viewTasks(deps, [id])).get(id);
      if (task === undefined) throw notFound('such task');
      const events = await database.all`
        select id, route_id::text as route_id, stop_id::text as stop_id, type, occurred_at as at, received_at, actor, data
        from fleet.events where task_ids @> ${[id]}::bigint[] order by occurred_at, received_at`;
      return ok({ ...task, events });
    },
  });
};
