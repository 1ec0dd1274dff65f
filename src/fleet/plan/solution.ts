/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** A solution under construction: routes, the tasks on none of them, and which routes have changed since it was last accepted. */
import type { Model } from './model.ts';
import { copyRoutes, createRoutes, insert, remove, update } from './routes.ts';
import type { Spot } from './insertion.ts';

export type Solution = ReturnType<typeof createSolution>;

/** All routes empty. */
export const createSolution = (model: Model, tasks: readonly number[]) => {
  const routes = createRoutes(model);
  const absent = new Int32Array(model.tasks);
  absent.set(tasks);
  const solution = {
    routes,
    /** Tasks on no route, the first `absentCount` of them. */
    absent,
    absentCount: tasks.length,
    touched: new Int32Array(model.resources),
    touchedCount: 0,
    isTouched: new Uint8Array(model.resources),
    used: 0,
    cost: 0,
  };
  total(solution);
  return solution;
};

/** The cost, and how many routes are used. */
export const total = (solution: Solution): void => {
  const { cost, size } = solution.routes;
  solution.used = 0;
  solution.cost = 0;
  for (let route = 0; route < size.length; route++) {
    if (size[route]! > 0) solution.used += 1;
    solution.cost += cost[route]!;
  }
};

const touch = (solution: Solution, route: number): void => {
  if (solution.isTouched[route] === 1) return;
  solution.isTouched[route] = 1;
  solution.touched[solution.touchedCount++] = route;
};

/** Off its route, which is to be updated afterwards. */
export const takeOut = (solution: Solution, task: number): void => {
  const { routes } = solution;
  const { firstStop, secondStop } = routes.model;
  touch(solution, routes.routeOf[firstStop[task]!]!);
  remove(routes, firstStop[task]!);
  if (secondStop[task]! >= 0) remove(routes, secondStop[task]!);
  solution.absent[solution.absentCount++] = task;
};

/** Onto a route, at a place that was found for it; it stays among the absent until those are sorted out. */
export const putIn = (solution: Solution, task: number, spot: Spot): void => {
  const { routes } = solution;
  const { firstStop, secondStop } = routes.model;
  touch(solution, spot.route);
  insert(routes, firstStop[task]!, spot.after);
  if (secondStop[task]! >= 0) insert(routes, secondStop[task]!, spot.afterSecond);
  update(routes, spot.route);
};

export const updateTouched = ({ routes, touched, touchedCount }: Solution): void => {
  for (let at = 0; at < touchedCount; at++) update(routes, touched[at]!);
};

/** False where a stop was taken out of a route whose legs break the triangle inequality, and what is left is late. */
export const isSound = ({ routes, touched, touchedCount }: Solution): boolean => {
  for (let at = 0; at < touchedCount; at++) {
    const start = routes.model.stops + touched[at]!;
    if (routes.leaveS[start]! > routes.latestS[start]!) return false;
  }
  return true;
};

/** Makes `to` what `from` is, `changed` telling which routes differ, and forgets what was touched. */
export const adopt = (from: Solution, to: Solution, changed: Solution): void => {
  copyRoutes(from.routes, to.routes, changed.touched, changed.touchedCount);
  for (let at = 0; at < from.absentCount; at++) to.absent[at] = from.absent[at]!;
  to.absentCount = from.absentCount;
  to.used = from.used;
  to.cost = from.cost;
  for (let at = 0; at < changed.touchedCount; at++) changed.isTouched[changed.touched[at]!] = 0;
  changed.touchedCount = 0;
};

/** Makes `to` what `from` is. */
export const copySolution = (from: Solution, to: Solution): void => {
  for (let route = 0; route < from.touched.length; route++) to.touched[route] = route;
  to.touchedCount = to.touched.length;
  adopt(from, to, to);
};
