/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** The cheapest feasible places of a task on a route. The inner loop of the planner: nothing here allocates. */
import type { Model } from './model.ts';
import { type Routes, serviceStart } from './routes.ts';

/** Where a task would go, and what that adds to the cost; of a shipment `afterSecond` is the node before its delivery. */
export interface Spot {
  delta: number;
  route: number;
  after: number;
  afterSecond: number;
}

/** Positions left out at random, so that a greedy insertion does not always end the same. */
export interface Blinks {
  /** Positions until the next one that is left out. */
  left: number;
  readonly draw: () => number;
}

export const NO_BLINKS: Blinks = { left: Infinity, draw: () => Infinity };

export const clearSpot = (spot: Spot): Spot => {
  spot.delta = Infinity;
  spot.route = -1;
  return spot;
};

const isFull = ({ model, load }: Routes, route: number, node: number, task: number): boolean => {
  const { dims, capacity, carried, firstStop } = model;
  const pickup = firstStop[task]!;
  for (let dim = 0; dim < dims; dim++) {
    if (load[node * dims + dim]! + carried[pickup * dims + dim]! > capacity[route * dims + dim]!) return true;
  }
  return false;
};

/** What more of travel costs on a route, with the service of the task where that counts. */
const costOf = (routes: Routes, route: number, distanceM: number, travelS: number, serviceS: number): number => {
  const { model, workS, size } = routes;
  if (model.isBalanced) {
    const moreS = travelS + serviceS;
    return ((2 * workS[route]! + moreS) * moreS) / (2 * model.evenWorkS);
  }
  const opening = size[route] === 0 ? model.fixedCost[route]! : 0;
  return distanceM * model.costPerM[route]! + travelS * model.costPerS[route]! + opening;
};

/** When a node is left, the break not taken; and taken. */
const left = new Float64Array(2);

/** From a node that is left as `left` says to the next one; `left` is then of that. */
const drive = (model: Model, route: number, legS: number, node: number): void => {
  const closeS = model.closeS[node]!;
  const serviceS = model.serviceS[node]!;
  const leaveS = left[0]!;
  const arrivalS = leaveS + legS;
  left[0] = arrivalS > closeS ? Infinity : serviceStart(model, node, arrivalS) + serviceS;
  const isPossible = model.breakS[route]! > 0 && leaveS <= model.breakToS[route]!;
  const pausedS = isPossible ? Math.max(arrivalS, model.breakFromS[route]!) + model.breakS[route]! : Infinity;
  const readyS = Math.min(left[1]! + legS, pausedS);
  left[1] = readyS > closeS ? Infinity : serviceStart(model, node, readyS) + serviceS;
};

/** Whether one who leaves as `left` says can go on to `node` and all that follows it. */
const goesOn = ({ model, latestS, latestRestedS }: Routes, route: number, legS: number, node: number): boolean => {
  const leaveS = left[0]!;
  if (leaveS + legS <= latestS[node]! || left[1]! + legS <= latestRestedS[node]!) return true;
  const breakS = model.breakS[route]!;
  return (
    breakS > 0 &&
    leaveS <= model.breakToS[route]! &&
    Math.max(leaveS + legS, model.breakFromS[route]!) + breakS <= latestRestedS[node]!
  );
};

const scanSingle = (routes: Routes, task: number, route: number, spot: Spot, blinks: Blinks): void => {
  const { model, next, leaveS, leaveRestedS, peakBefore, peakAfter, latestS, latestRestedS, legS, legM } = routes;
  const { placeOf, places, durationsS, distancesM, durationsFromS, distancesFromM, dims } = model;
  const { delivered, collected, capacity, isBalanced } = model;
  const node = model.firstStop[task]!;
  const row = placeOf[node]! * places;
  const openS = model.openS[node]!;
  const closeS = model.closeS[node]!;
  const serviceS = model.serviceS[node]!;
  const end = model.stops + route + model.resources;
  const costPerM = model.costPerM[route]!;
  const costPerS = model.costPerS[route]!;
  const isPlain = model.breakS[route] === 0 && model.windows[node] === undefined;
  const opening = routes.size[route] === 0 ? model.fixedCost[route]! : 0;
  let best = spot.delta;
  // Few numbers of the route decide most positions; the tables, which are far away in memory, the rest.
  positions: for (let after = model.stops + route; after !== end; after = next[after]!) {
    const leave = leaveS[after]!;
    if (leave > closeS) break;
    if (blinks.left-- <= 0) {
      blinks.left = blinks.draw();
      continue;
    }
    const before = next[after]!;
    const doneS = (leave > openS ? leave : openS) + serviceS;
    if (doneS > latestS[before]! && doneS > latestRestedS[before]!) continue;
    for (let dim = 0; dim < dims; dim++) {
      const limit = capacity[route * dims + dim]!;
      // It can only grow towards the end.
      if (peakBefore[after * dims + dim]! + delivered[node * dims + dim]! > limit) break positions;
      if (peakAfter[after * dims + dim]! + collected[node * dims + dim]! > limit) continue positions;
    }
    const into = row + placeOf[after]!;
    const out = row + placeOf[before]!;
    let delta: number;
    if (isBalanced) {
      delta = costOf(routes, route, 0, durationsFromS[into]! + durationsS[out]! - legS[after]!, serviceS);
    } else {
      delta = opening + (distancesFromM[into]! + distancesM[out]! - legM[after]!) * costPerM;
      if (costPerS > 0) delta += (durationsFromS[into]! + durationsS[out]! - legS[after]!) * costPerS;
    }
    if (delta >= best) continue;
    if (isPlain) {
      const arrivalS = leave + durationsFromS[into]!;
      if (arrivalS > closeS) continue;
      const startS = arrivalS > openS ? arrivalS : openS;
      if (startS + serviceS + durationsS[out]! > latestS[before]!) continue;
    } else {
      left[0] = leave;
      left[1] = leaveRestedS[after]!;
      drive(model, route, durationsFromS[into]!, node);
      if (!goesOn(routes, route, durationsS[out]!, before)) continue;
    }
    best = delta;
    spot.after = after;
  }
  if (best < spot.delta) {
    spot.delta = best;
    spot.route = route;
  }
};

const scanPair = (routes: Routes, task: number, route: number, spot: Spot, blinks: Blinks): void => {
  const { model, next, leaveS, leaveRestedS, latestS, latestRestedS } = routes;
  const { placeOf, places, durationsS, distancesM, closeS } = model;
  const pickup = model.firstStop[task]!;
  const delivery = model.secondStop[task]!;
  const from = placeOf[pickup]!;
  const to = placeOf[delivery]!;
  const serviceS = model.serviceS[pickup]! + model.serviceS[delivery]!;
  const end = model.stops + route + model.resources;
  for (let after = model.stops + route; after !== end; after = next[after]!) {
    if (leaveS[after]! > closeS[pickup]!) break;
    if (isFull(routes, route, after, task)) continue;
    const into = placeOf[after]! * places + from;
    left[0] = leaveS[after]!;
    left[1] = leaveRestedS[after]!;
    drive(model, route, durationsS[into]!, pickup);
    const out = from * places + placeOf[next[after]!]!;
    const gone = placeOf[after]! * places + placeOf[next[after]!]!;
    let node = pickup;
    for (let before = next[after]!; ; before = next[before]!) {
      const leave: number = left[0];
      const rested: number = left[1];
      if (leave > closeS[delivery]!) break;
      const last = placeOf[node]! * places + to;
      const onward = to * places + placeOf[before]!;
      const skipped = placeOf[node]! * places + placeOf[before]!;
      const isBlink = blinks.left-- <= 0;
      if (isBlink) blinks.left = blinks.draw();
      const isTogether = node === pickup;
      const more = (table: Float64Array): number =>
        table[into]! + table[last]! + table[onward]! - table[gone]! + (isTogether ? 0 : table[out]! - table[skipped]!);
      const delta = isBlink ? Infinity : costOf(routes, route, more(distancesM), more(durationsS), serviceS);
      if (delta < spot.delta) {
        drive(model, route, durationsS[last]!, delivery);
        if (goesOn(routes, route, durationsS[onward]!, before)) {
          spot.delta = delta;
          spot.route = route;
          spot.after = after;
          spot.afterSecond = node;
        }
      }
      if (before === end || isFull(routes, route, before, task)) break;
      const legS = durationsS[skipped]!;
      left[0] = leave;
      left[1] = rested;
      drive(model, route, legS, before);
      if (leave + legS > latestS[before]! && left[1] > latestRestedS[before]! + model.serviceS[before]!) break;
      node = before;
    }
  }
};

/** Makes `spot` the task's cheapest place on a route, if there is one below `spot.delta`. */
export const scanRoute = (routes: Routes, task: number, route: number, spot: Spot, blinks: Blinks): void => {
  const { model } = routes;
  if (model.compatible[route * model.tasks + task] === 0) return;
  if (model.secondStop[task]! < 0) scanSingle(routes, task, route, spot, blinks);
  else scanPair(routes, task, route, spot, blinks);
};
