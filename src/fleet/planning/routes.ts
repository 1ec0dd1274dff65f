/** Planning, for dispatchers: plans, the board of a day, edits by hand, and explanations. */
import { Type } from 'typebox';
import { type AddRoutes, idOf, notFound, ok, Refusal, routesOf } from '../http.ts';
import type { RouteDeps } from '../ports.ts';
import { boardOf, evaluatedDay } from './board.ts';
import { lockDay, readDay } from './read-day.ts';
import type { Draft } from './draft.ts';
import { applyEdit, Edit, type PositionOf } from './edits.ts';
import { explain, plannedRoutes } from './explain.ts';
import { insertionCosts } from '../plan/insertions.ts';
import { drawRouteManifest } from './manifest.ts';
import { abortPlan, adoptPlan, PlanBody, startPlan, viewPlan } from './runs.ts';
import { closed, DAY } from '../resources/shapes.ts';
import { writeDraft } from './write-draft.ts';

const Depot = Type.String({ minLength: 1, maxLength: 100 });

const EditBody = Type.Object(
  {
    depot: Depot,
    day: DAY,
    version: Type.String({ maxLength: 100 }),
    dryRun: Type.Optional(Type.Boolean()),
    force: Type.Optional(Type.Boolean()),
    edit: Edit,
  },
  closed,
);

export const addPlanningRoutes: AddRoutes = (scope, deps) => {
  const { database } = deps;
  const route = routesOf(scope, deps);
  route('GET /board', {
    who: 'read',
    summary: 'Reads a day of a depot: routes, stops, and what has no route',
    query: Type.Object({ depot: Depot, day: DAY }),
    handle: async ({ query: { depot, day } }) => ok(await boardOf(deps, depot, day)),
  });
  route('POST /plans', {
    who: 'operate',
    summary: 'Starts a plan of a day',
    body: PlanBody,
    handle: async ({ body }) => ok({ planId: (await startPlan(deps, body)).planId }),
  });
  route('GET /plans/:id', {
    who: 'read',
    summary: 'Reads how far a plan is, and its routes',
    handle: async ({ path: { id } }) => ok(await viewPlan(deps, idOf(id, 'such plan'))),
  });
  route('POST /plans/:id/abort', {
    who: 'operate',
    summary: 'Ends the search with the best plan so far',
    handle: async ({ path: { id } }) => {
      await abortPlan(deps, idOf(id, 'such plan'));
      return ok(await viewPlan(deps, idOf(id, 'such plan')));
    },
  });
  route('POST /plans/:id/adopt', {
    who: 'operate',
    summary: 'Makes a plan the day’s routes',
    handle: async ({ path: { id } }) => {
      const { depot, day } = await adoptPlan(deps, idOf(id, 'such plan'));
      return ok(await boardOf(deps, depot, day));
    },
  });
  route('POST /edits', {
    who: 'operate',
    summary: 'Changes routes by hand, or says what that would cost',
    body: EditBody,
    handle: async ({ body: { depot, day, version, dryRun = false, force = false, edit } }) => {
      const result = await database.transaction(async (inside) => {
        await lockDay(inside, depot, day);
        const found = await readDay(inside, depot, day, deps.nowMs());
        if (found.version !== version)
          throw new Refusal(409, 'stale', 'Tasks or routes have changed meanwhile: look at the board again');
        const before = await evaluatedDay(deps, found);
        const positionOf: PositionOf = ({ driver, visits }, { id }) => {
          const best = insertionCosts(before.problem, plannedRoutes(before.evaluated), id).find(
            ({ resource }) => resource === driver,
          );
          const past = visits.filter((one) => before.draft.visits.get(one)?.isPast).length;
          return best?.kind === 'possible' ? past + (best.positions[0] ?? 0) : visits.length;
        };
        const draft: Draft = applyEdit(before.draft, edit, positionOf);
        const { evaluated: after } = await evaluatedDay(deps, found, draft);
        const worse = after.violations.filter(
          ({ message, resource }) =>
            !before.evaluated.violations.some((one) => one.message === message && one.resource === resource),
        );
        if (worse.length > 0 && !force && !dryRun)
          throw new Refusal(
            422,
            'rules_broken',
            worse.map(({ resource, message }) => `${resource}: ${message}`).join(' '),
            worse.map(({ code, message }) => ({ field: 'edit', code, message })),
          );
        if (!dryRun) await writeDraft(inside, found, draft, after);
        return {
          cost: { before: before.evaluated.cost, after: after.cost, distanceKm: after.distanceKm },
          violations: worse.map(({ code, resource, message }) => ({ code, driver: resource, message })),
        };
      });
      return ok({ ...result, ...(dryRun ? {} : { board: await boardOf(deps, depot, day) }) });
    },
  });
  route('GET /tasks/:id/explanation', {
    who: 'read',
    summary: 'Explains what each crew would take for a task, or why it cannot',
    query: Type.Object({ day: Type.Optional(DAY) }),
    handle: async ({ path: { id }, query }) => {
      const taskId = idOf(id, 'such task');
      const task = await database.first<{ depot: string; day: string }>`
        select t.depot, coalesce(r.day, t.first_day) as day from fleet.tasks t
        left join fleet.stops s on s.id = t.stop_id left join fleet.routes r on r.id = s.route_id where t.id = ${taskId}`;
      if (task === undefined) throw notFound('such task');
      const found = await readDay(database, task.depot, query.day ?? task.day, deps.nowMs());
      const { draft, problem, evaluated } = await evaluatedDay(deps, found);
      const visit = [...draft.visits.values()].find(({ taskIds }) => taskIds.includes(taskId));
      if (visit === undefined || visit.isPast)
        throw new Refusal(
          409,
          'conflict',
          'The task is none of those that are planned on that day, or its stop is over',
        );
      return ok({ taskId: id, ...explain(problem, draft, evaluated, visit.id) });
    },
  });
  route('GET /routes/:id/manifest', {
    who: 'read',
    summary: 'Prints a route as PDF',
    handle: async ({ path: { id } }) => await manifestOf(deps, idOf(id, 'such route')),
  });
};

const manifestOf = async (deps: RouteDeps, id: number) => {
  const bytes = await drawRouteManifest(deps, id);
  if (bytes === undefined) throw notFound('such route');
  return ok(bytes, { 'content-type': 'application/pdf', 'content-disposition': `inline; filename="route-${id}.pdf"` });
};
