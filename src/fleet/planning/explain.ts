/** Why a task has no route, and what each route would take for it. Pure. */
import { insertionCosts, createInsertions, type Insertion } from '../plan/insertions.ts';
import type { Plan, Problem } from '../plan/problem.ts';
import { isFeasible } from '../plan/tasks.ts';
import type { Draft } from './draft.ts';
import { unplanned } from './draft.ts';
import type { Evaluated } from './evaluate-draft.ts';

export const plannedRoutes = ({ routes }: Evaluated): Pick<Plan, 'routes'> => ({
  routes: routes.filter(({ planned }) => planned.stops.length > 0).map(({ planned }) => planned),
});

const whyOf = (insertions: readonly Insertion[]): string => {
  if (insertions.length === 0) return 'nobody works that day';
  const possible = insertions.filter(({ kind }) => kind === 'possible').length;
  if (possible > 0) return `not planned yet: ${possible} could still take it`;
  const messages = insertions.flatMap((one) => (one.kind === 'impossible' ? [`${one.resource}: ${one.message}`] : []));
  return messages.slice(0, 5).join(' ');
};

/** By visit, of those on no route; what nobody can do comes first. */
export const reasonsOf = (
  problem: Problem,
  draft: Draft,
  evaluated: Evaluated,
  nowMs: number,
): ReadonlyMap<string, string> => {
  const open = unplanned(draft).filter(({ isPast }) => !isPast);
  if (open.length === 0) return new Map();
  const insertionsOf = createInsertions(problem);
  const plan = plannedRoutes(evaluated);
  const feasible = new Set(problem.tasks.flatMap((task) => (isFeasible(problem, task, nowMs / 1_000) ? task.id : [])));
  const first = open.toSorted((one, other) => Number(feasible.has(one.id)) - Number(feasible.has(other.id)));
  return new Map(
    first
      .slice(0, EXPLAINED_MAX)
      .map(({ id, window }) => [
        id,
        window !== undefined && window.toMs <= nowMs
          ? 'its time is over: it can be planned for a later day'
          : whyOf(insertionsOf(plan, id)),
      ]),
  );
};
/** On a board: more are explained when they are asked about. */
const EXPLAINED_MAX = 100;

export const explain = (problem: Problem, draft: Draft, evaluated: Evaluated, visitId: string) => {
  const insertions = insertionCosts(problem, plannedRoutes(evaluated), visitId);
  const isPlanned = draft.routes.some(({ visits }) => visits.includes(visitId));
  return {
    ...(isPlanned ? {} : { why: whyOf(insertions) }),
    options: insertions.map((insertion) => {
      const route = draft.routes.find(({ driver }) => driver === insertion.resource);
      const named = {
        routeId: route?.id === undefined ? undefined : String(route.id),
        driver: insertion.resource,
        vehicle: route?.vehicle,
      };
      if (insertion.kind === 'impossible') return { ...named, why: insertion.message };
      const { positions, addedCost, addedM, arrivalS } = insertion;
      const past = route === undefined ? 0 : route.visits.filter((id) => draft.visits.get(id)?.isPast).length;
      return {
        ...named,
        position: (positions[0] ?? 0) + past,
        addedCost,
        addedKm: addedM / 1_000,
        arrival: new Date(arrivalS * 1_000).toISOString(),
      };
    }),
  };
};
