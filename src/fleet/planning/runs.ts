/** Plans on their way: searched for in a thread, readable meanwhile, ended early when asked, and adopted at the end. */
import { type Static, Type } from 'typebox';
import { messageOf } from '../../engine/failure.ts';
import type { Plan, Problem, Progress } from '../plan/problem.ts';
import { conflict, notFound, Refusal } from '../http.ts';
import type { RouteDeps } from '../ports.ts';
import { lockDay, readDay } from './read-day.ts';
import { evaluatedDay } from './board.ts';
import { type Draft, draftOf, type DraftRoute } from './draft.ts';
import { problemOf } from './problem-of.ts';
import { closed, DAY } from '../resources/shapes.ts';
import { writeDraft } from './write-draft.ts';

export const PlanBody = Type.Object(
  {
    depot: Type.String({ minLength: 1, maxLength: 100 }),
    day: DAY,
    seconds: Type.Optional(Type.Number({ minimum: 1, maximum: 1_800 })),
    iterations: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 })),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
    objective: Type.Optional(Type.Enum(['vehicles', 'balanced', 'cost'])),
    scope: Type.Optional(Type.Enum(['all', 'open'])),
  },
  closed,
);

const OBJECTIVES: Readonly<Record<string, Problem['objective']>> = {
  vehicles: 'fewest_vehicles',
  balanced: 'balanced',
  cost: 'least_cost',
};
const SECONDS = 20;
const NOTED_EVERY_MS = 500;
/** A plan of which nothing is heard that long died with its process. */
const DEAD_MS = 30_000;

/** What is kept of a plan until it is adopted. */
interface Best {
  readonly routes: readonly {
    readonly driver: string;
    readonly vehicle: string;
    readonly visits: readonly string[];
    readonly stops: readonly {
      readonly taskIds: readonly string[];
      readonly arrival: string;
      readonly departure: string;
    }[];
    readonly distanceKm: number;
    readonly cost: number;
  }[];
  readonly unassigned: readonly { readonly taskId: string; readonly why: string }[];
}

const instant = (s: number): string => new Date(s * 1_000).toISOString();

const bestOf = (plan: Plan, draft: Draft, vehicles: ReadonlyMap<string, string>): Best => {
  const tasksOf = (visit: string): readonly string[] => (draft.visits.get(visit)?.taskIds ?? []).map(String);
  return {
    routes: plan.routes.map(({ resource, stops, distanceM, cost }) => ({
      driver: resource,
      vehicle: vehicles.get(resource) ?? '',
      visits: stops.map(({ task }) => task),
      stops: stops.map(({ task, startS, departureS }) => ({
        taskIds: tasksOf(task),
        arrival: instant(startS),
        departure: instant(departureS),
      })),
      distanceKm: distanceM / 1_000,
      cost,
    })),
    unassigned: plan.unassigned.flatMap(({ task, message }) =>
      tasksOf(task).map((taskId) => ({ taskId, why: message })),
    ),
  };
};

const progressView = ({ iterations, fraction, best }: Progress) => ({
  share: fraction,
  iterations,
  cost: best.cost,
  vehicles: best.vehicles,
  unassigned: best.unassigned,
});

/** Yields the plan's id at once; it goes on by itself. */
export const startPlan = async (
  deps: RouteDeps,
  request: Static<typeof PlanBody>,
): Promise<{ planId: string; done: Promise<void> }> => {
  const { depot, day: dayName, seconds = SECONDS, iterations, seed = 1, objective = 'cost', scope = 'all' } = request;
  const { database, planner, log } = deps;
  const day = await readDay(database, depot, dayName, deps.nowMs());
  const draft = draftOf(day);
  const { problem, crews } = await problemOf(deps, day, draft, {
    bound: scope === 'open' ? 'all' : 'locked',
    objective: OBJECTIVES[objective] ?? 'least_cost',
    seed,
    budget: iterations === undefined ? { milliseconds: seconds * 1_000 } : { iterations },
  });
  if (problem.resources.length === 0)
    throw new Refusal(422, 'nobody_works', `Nobody works at depot ${depot} on ${dayName}`);
  const made = await database.first<{ id: number }>`
    insert into fleet.plans (depot, day, state, request, version)
    values (${depot}, ${dayName}, 'solving', ${JSON.stringify(request)}, ${day.version}) returning id`;
  const id = made?.id ?? 0;
  const ending = new AbortController();
  let notedAtMs = 0;
  const note = (progress: object | undefined): void => {
    if (performance.now() - notedAtMs < NOTED_EVERY_MS) return;
    notedAtMs = performance.now();
    void database.run`update fleet.plans set heartbeat_at = now(), progress = coalesce(${progress === undefined ? null : JSON.stringify(progress)}, progress)
        where id = ${id} and state = 'solving'`
      // Ended by somebody, perhaps at another server: the best so far is kept.
      .then((rows) => (rows === 0 ? ending.abort() : undefined))
      .catch(() => undefined);
  };
  const beat = setInterval(() => note(undefined), DEAD_MS / 6);
  const run = async (): Promise<void> => {
    try {
      const plan = await planner(problem, {
        signal: ending.signal,
        onProgress: (progress) => note(progressView(progress)),
      });
      const best = bestOf(plan, draft, new Map([...crews].map(([driver, { vehicle }]) => [driver, vehicle])));
      const last = {
        share: 1,
        iterations: plan.iterations,
        cost: plan.cost,
        vehicles: plan.routes.length,
        unassigned: plan.unassigned.length,
      };
      await database.run`
        update fleet.plans set best = ${JSON.stringify(best)}, progress = ${JSON.stringify(last)},
          state = case state when 'solving' then 'solved' else state end where id = ${id}`;
    } catch (error) {
      log.warn({ plan: id, error: messageOf(error) }, 'a plan of the fleet failed');
      await database.run`update fleet.plans set state = 'failed', error = ${messageOf(error)} where id = ${id}`.catch(
        () => 0,
      );
    } finally {
      clearInterval(beat);
    }
  };
  return { planId: String(id), done: run() };
};

interface PlanRow {
  readonly id: number;
  readonly depot: string;
  readonly day: string;
  readonly state: string;
  readonly version: string;
  readonly progress: object | undefined;
  readonly best: Best | undefined;
  readonly error: string | undefined;
  readonly isDead: boolean;
}

const findPlan = async ({ database }: Pick<RouteDeps, 'database'>, id: number): Promise<PlanRow> => {
  const row = await database.first<PlanRow>`
    select id, depot, day, state, version, progress, best, error,
      state = 'solving' and heartbeat_at < now() - ${DEAD_MS} * interval '1 millisecond' as is_dead
    from fleet.plans where id = ${id}`;
  if (row === undefined) throw notFound(`plan ${id}`);
  return row;
};

export const viewPlan = async (deps: Pick<RouteDeps, 'database'>, id: number) => {
  const { isDead, version: _, best, ...plan } = await findPlan(deps, id);
  return {
    ...plan,
    id: String(plan.id),
    ...(isDead ? { state: 'failed', error: 'the server that made the plan has stopped; start another' } : {}),
    best: best && { ...best, routes: best.routes.map(({ visits: _visits, ...route }) => route) },
  };
};

export const abortPlan = async ({ database }: RouteDeps, id: number): Promise<void> => {
  const ended = await database.run`update fleet.plans set state = 'aborted' where id = ${id} and state = 'solving'`;
  if (ended === 0) throw conflict('The plan is not being made any more');
};

/** Makes a plan the day's routes. */
export const adoptPlan = async (
  deps: RouteDeps,
  id: number,
): Promise<{ readonly depot: string; readonly day: string }> => {
  const { depot, day: dayName } = await findPlan(deps, id);
  await deps.database.transaction(async (database) => {
    await lockDay(database, depot, dayName);
    const { best, state, version } = await findPlan({ database }, id);
    if (best === undefined || state === 'adopted') throw conflict(`The plan is ${state}: there is nothing to adopt`);
    const day = await readDay(database, depot, dayName, deps.nowMs());
    if (day.version !== version)
      throw conflict('Tasks or routes have changed since the plan was made: plan anew', 'stale');
    const { draft, evaluated } = await evaluatedDay(deps, day, adopted(draftOf(day), best));
    await writeDraft(database, day, draft, evaluated);
    await database.run`update fleet.plans set state = 'adopted' where id = ${id}`;
  });
  return { depot, day: dayName };
};

/** What is past on a route stays in front of what the plan has for it. */
const adopted = (draft: Draft, { routes }: Best): Draft => {
  const planned = new Map(routes.map((route) => [route.driver, route]));
  const kept = draft.routes.map((route): DraftRoute => {
    const past = route.visits.filter((id) => draft.visits.get(id)?.isPast);
    return { ...route, visits: [...past, ...(planned.get(route.driver)?.visits ?? [])] };
  });
  const known = new Set(draft.routes.map(({ driver }) => driver));
  const fresh = routes
    .filter(({ driver }) => !known.has(driver))
    .map(({ driver, vehicle, visits }): DraftRoute => ({ id: undefined, driver, vehicle, state: 'planned', visits }));
  return { ...draft, routes: [...kept, ...fresh] };
};
