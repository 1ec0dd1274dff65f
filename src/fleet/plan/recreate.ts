/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** Puts absent tasks onto routes: one after another in some order, each at its cheapest place, or by regret. */
import { type Blinks, clearSpot, NO_BLINKS, scanRoute, type Spot } from './insertion.ts';
import type { Model } from './model.ts';
import type { Random } from './random.ts';
import { putIn, type Solution } from './solution.ts';

const BLINK_RATE = 0.01;
/** Among more tasks than these, only routes with one of the nearest are looked at, unless none of them has room. */
const MANY = 300;
const NEAREST = 40;
/** More than any difference of costs. */
const NEVER = 1e12;

/** Routes that may be used, and whether one is begun only for what has no other place. */
export interface Limits {
  mostRoutes: number;
  readonly isReluctant: boolean;
}

export interface Recreate {
  readonly greedy: (solution: Solution, limits: Limits) => void;
  /** The task first that loses most by waiting: the difference between its best and its second best route. */
  readonly regret: (solution: Solution, limits: Limits, isBlinking: boolean) => void;
}

export const createRecreate = (model: Model, neighbours: readonly Int32Array[], random: Random): Recreate => {
  const { tasks, resources, firstStop, secondStop, openS, closeS, priority, dims } = model;
  const key = new Float64Array(tasks);
  /** Of each task on each route. */
  const deltas = new Float64Array(tasks * resources);
  const afters = new Int32Array(tasks * resources);
  const afterSeconds = new Int32Array(tasks * resources);
  const spot: Spot = { delta: 0, route: 0, after: 0, afterSecond: 0 };
  const isKindTried = new Uint8Array(model.kinds);
  const scannedIn = new Float64Array(resources).fill(-1);
  let round = 0;
  const looked = tasks > MANY ? NEAREST : 0;
  const logKeep = Math.log(1 - BLINK_RATE);
  const draw = (): number => Math.floor(Math.log(1 - random.unit()) / logKeep);
  const blinks: Blinks = { left: draw(), draw };

  const sizeOf = Float64Array.from({ length: tasks }, (_, task) => {
    let size = 0;
    for (let dim = 0; dim < dims; dim++) {
      const at = firstStop[task]! * dims + dim;
      const most = Math.max(...model.capacity.filter((limit, place) => place % dims === dim && limit < Infinity), 1e-9);
      size += (model.delivered[at]! + model.collected[at]! + model.carried[at]!) / most;
    }
    return size;
  });
  const farOf = Float64Array.from({ length: tasks }, (_, task) => {
    let nearest = Infinity;
    for (let route = 0; route < resources; route++) {
      if (model.compatible[route * tasks + task] === 0) continue;
      const arc = model.placeOf[model.stops + route]! * model.places + model.placeOf[firstStop[task]!]!;
      nearest = Math.min(nearest, model.distancesM[arc]!);
    }
    return nearest;
  });
  const lastStop = (task: number): number => (secondStop[task]! < 0 ? firstStop[task]! : secondStop[task]!);
  /** Smaller comes first; with how often each order is taken. */
  const ORDERS: readonly (readonly [number, (task: number) => number])[] = [
    [4, () => random.unit()],
    [4, (task) => -sizeOf[task]!],
    [2, (task) => -farOf[task]!],
    [1, (task) => farOf[task]!],
    [2, (task) => closeS[firstStop[task]!]! - openS[firstStop[task]!]!],
    [2, (task) => openS[firstStop[task]!]!],
    [2, (task) => -closeS[lastStop(task)]!],
  ];
  const draws = ORDERS.flatMap(([weight, order]) => Array.from({ length: weight }, () => order));

  /** Insertion sort: few are absent, and nothing is allocated. */
  const sortAbsent = ({ absent, absentCount }: Solution): void => {
    const order = draws[random.below(draws.length)]!;
    for (let at = 0; at < absentCount; at++) key[absent[at]!] = order(absent[at]!);
    for (let at = 1; at < absentCount; at++) {
      const task = absent[at]!;
      let to = at;
      for (; to > 0 && isBefore(task, absent[to - 1]!); to--) absent[to] = absent[to - 1]!;
      absent[to] = task;
    }
  };
  const isBefore = (a: number, b: number): boolean =>
    priority[a] === priority[b] ? key[a]! < key[b]! : priority[a]! > priority[b]!;

  const scanIn = (state: Solution['routes'], task: number, route: number): void => {
    scannedIn[route] = round;
    scanRoute(state, task, route, spot, blinks);
  };

  /** The cheapest place on a route that is used, and on one that is not where that is allowed. */
  const findSpot = ({ routes: state }: Solution, task: number, used: number, limits: Limits): Spot => {
    clearSpot(spot);
    round += 1;
    for (let at = 1; at <= looked; at++) {
      const route = state.routeOf[firstStop[neighbours[task]![at]!]!]!;
      if (route >= 0 && scannedIn[route] !== round) scanIn(state, task, route);
    }
    for (let route = 0; route < resources; route++) {
      if (looked > 0 && spot.route >= 0) break;
      if (state.size[route]! > 0 && scannedIn[route] !== round) scanIn(state, task, route);
    }
    if (used >= limits.mostRoutes || (limits.isReluctant && spot.route >= 0)) return spot;
    isKindTried.fill(0);
    for (let route = 0; route < resources; route++) {
      const kind = model.kindOf[route]!;
      if (state.size[route]! > 0 || isKindTried[kind] === 1) continue;
      isKindTried[kind] = 1;
      scanRoute(state, task, route, spot, NO_BLINKS);
    }
    return spot;
  };

  const countUsed = ({ routes }: Solution): number => {
    let used = 0;
    for (let route = 0; route < resources; route++) if (routes.size[route]! > 0) used += 1;
    return used;
  };

  const greedy: Recreate['greedy'] = (solution, limits) => {
    sortAbsent(solution);
    const { absent, absentCount, routes } = solution;
    let used = countUsed(solution);
    let left = 0;
    for (let at = 0; at < absentCount; at++) {
      const task = absent[at]!;
      findSpot(solution, task, used, limits);
      if (spot.route < 0) {
        absent[left++] = task;
        continue;
      }
      if (routes.size[spot.route] === 0) used += 1;
      putIn(solution, task, spot);
    }
    solution.absentCount = left;
  };

  const fillColumn = (solution: Solution, route: number, isBlinking: boolean): void => {
    const { absent, absentCount, routes } = solution;
    for (let at = 0; at < absentCount; at++) {
      const task = absent[at]!;
      const cell = task * resources + route;
      scanRoute(routes, task, route, clearSpot(spot), isBlinking ? blinks : NO_BLINKS);
      deltas[cell] = spot.delta;
      afters[cell] = spot.after;
      afterSeconds[cell] = spot.afterSecond;
    }
  };

  /** Of a task by its row: the regret, and the best route or -1. */
  const judge = (solution: Solution, task: number, used: number, limits: Limits): number => {
    const { size } = solution.routes;
    isKindTried.fill(0);
    let best = Infinity;
    let second = NEVER;
    let opening = Infinity;
    let openingRoute = -1;
    spot.route = -1;
    for (let route = 0; route < resources; route++) {
      const delta = deltas[task * resources + route]!;
      const isOpening = size[route] === 0;
      if (isOpening) {
        if (used >= limits.mostRoutes || isKindTried[model.kindOf[route]!] === 1) continue;
        isKindTried[model.kindOf[route]!] = 1;
      }
      if (isOpening && limits.isReluctant) {
        if (delta < opening) [opening, openingRoute] = [delta, route];
      } else if (delta < best) {
        second = Math.min(second, best);
        best = delta;
        spot.route = route;
      } else second = Math.min(second, delta);
    }
    if (spot.route >= 0) return second - best;
    spot.route = openingRoute;
    return openingRoute < 0 ? -Infinity : NEVER + opening;
  };

  const regret: Recreate['regret'] = (solution, limits, isBlinking) => {
    const { absent, routes } = solution;
    let used = countUsed(solution);
    for (let route = 0; route < resources; route++) fillColumn(solution, route, isBlinking);
    for (;;) {
      let chosen = -1;
      let most = -Infinity;
      let route = -1;
      for (let at = 0; at < solution.absentCount; at++) {
        const isHigher = chosen >= 0 && priority[absent[at]!]! > priority[absent[chosen]!]!;
        const value = judge(solution, absent[at]!, used, limits);
        if (spot.route < 0 || (value <= most && !isHigher)) continue;
        if (chosen >= 0 && priority[absent[at]!]! < priority[absent[chosen]!]!) continue;
        [chosen, most, route] = [at, value, spot.route];
      }
      if (chosen < 0) return;
      const task = absent[chosen]!;
      const cell = task * resources + route;
      if (routes.size[route] === 0) used += 1;
      spot.route = route;
      spot.after = afters[cell]!;
      spot.afterSecond = afterSeconds[cell]!;
      putIn(solution, task, spot);
      absent[chosen] = absent[--solution.absentCount]!;
      fillColumn(solution, route, isBlinking);
    }
  };

  return { greedy, regret };
};
