/** What the routes of a draft come to: times, costs, and the rules that they break. Pure. */
import { createEvaluate, type Violation } from '../plan/evaluate.ts';
import type { Problem, Route } from '../plan/problem.ts';
import type { Draft, DraftRoute } from './draft.ts';

interface EvaluatedRoute {
  readonly route: DraftRoute;
  /** Of what is still to come on it. */
  readonly planned: Route;
  readonly violations: readonly Violation[];
}

export interface Evaluated {
  readonly routes: readonly EvaluatedRoute[];
  readonly cost: number;
  readonly distanceKm: number;
  readonly violations: readonly Violation[];
}

const missing = ({ driver, vehicle }: DraftRoute): Violation => ({
  code: 'shift',
  resource: driver,
  message: `${driver} with ${vehicle} does not work that day`,
});

export const evaluateDraft = (draft: Draft, problem: Problem): Evaluated => {
  const evaluate = createEvaluate(problem);
  const known = new Set(problem.resources.map(({ id }) => id));
  const routes = draft.routes.map((route): EvaluatedRoute => {
    const refs = route.visits
      .filter((id) => draft.visits.get(id)?.isPast === false)
      .map((task) => ({ task, stop: 0 as const }));
    if (!known.has(route.driver))
      return { route, planned: { ...NOTHING, resource: route.driver }, violations: [missing(route)] };
    const { route: planned, violations } = evaluate(route.driver, refs);
    // A vehicle that stays at the depot costs nothing.
    return {
      route,
      planned: refs.length === 0 ? { ...planned, cost: 0 } : planned,
      violations: refs.length === 0 ? [] : violations,
    };
  });
  return {
    routes,
    cost: routes.reduce((sum, { planned }) => sum + planned.cost, 0),
    distanceKm: routes.reduce((sum, { planned }) => sum + planned.distanceM, 0) / 1_000,
    violations: routes.flatMap(({ violations }) => violations),
  };
};

const NOTHING = { startS: 0, endS: 0, load: {}, stops: [], distanceM: 0, travelS: 0, cost: 0 };
