/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** Routes under construction: linked nodes, and for each what makes the check of an insertion a matter of a few numbers. */
import type { Model } from './model.ts';

export type Routes = ReturnType<typeof createRoutes>;

/** All of them empty. */
export const createRoutes = (model: Model) => {
  const { nodes, resources, stops, dims } = model;
  const routes = {
    model,
    /** Of the start the node after it, and so on to the end; -1: on no route. */
    next: new Int32Array(nodes).fill(-1),
    previous: new Int32Array(nodes).fill(-1),
    routeOf: new Int32Array(nodes).fill(-1),
    /** Stops of each route. */
    size: new Int32Array(resources),
    /** When the node is left at the earliest: the break not taken yet; and taken by then, `Infinity` where it cannot be. */
    leaveS: new Float64Array(nodes),
    leaveRestedS: new Float64Array(nodes),
    /** When the node must be reached at the latest: the break not taken by then; and taken. */
    latestS: new Float64Array(nodes),
    latestRestedS: new Float64Array(nodes),
    /** From the node to the next. */
    legS: new Float64Array(nodes),
    legM: new Float64Array(nodes),
    /** Aboard on leaving; the most of it from the start to here; and from here to the end. */
    load: new Float64Array(nodes * dims),
    peakBefore: new Float64Array(nodes * dims),
    peakAfter: new Float64Array(nodes * dims),
    /** Of each route, fixed cost included; by the objective. */
    cost: new Float64Array(resources),
    /** Travel and service of each route. */
    workS: new Float64Array(resources),
  };
  for (let route = 0; route < resources; route++) {
    const start = stops + route;
    const end = start + resources;
    routes.next[start] = end;
    routes.previous[end] = start;
    routes.routeOf[start] = route;
    routes.routeOf[end] = route;
    update(routes, route);
  }
  return routes;
};

/** Into the route of `after`; `update` it when all is in its place. */
export const insert = ({ next, previous, routeOf, size }: Routes, node: number, after: number): void => {
  const before = next[after]!;
  const route = routeOf[after]!;
  next[after] = node;
  previous[node] = after;
  next[node] = before;
  previous[before] = node;
  routeOf[node] = route;
  size[route] = size[route]! + 1;
};

export const remove = ({ next, previous, routeOf, size }: Routes, node: number): void => {
  const route = routeOf[node]!;
  next[previous[node]!] = next[node]!;
  previous[next[node]!] = previous[node]!;
  routeOf[node] = -1;
  size[route] = size[route]! - 1;
};

/** When service begins of one who is there at `atS`. */
export const serviceStart = (model: Model, node: number, atS: number): number => {
  const windows = model.windows[node];
  if (windows === undefined) return Math.max(atS, model.openS[node]!);
  const window = windows.find(({ toS }) => atS <= toS);
  return window === undefined ? Infinity : Math.max(atS, window.fromS);
};

/** The latest arrival after which service can begin at or before `byS`. */
const latestArrival = (model: Model, node: number, byS: number): number => {
  const windows = model.windows[node];
  if (windows === undefined) return byS < model.openS[node]! ? -Infinity : byS;
  const window = windows.findLast(({ fromS }) => fromS <= byS);
  return window === undefined ? -Infinity : Math.min(byS, window.toS);
};

/** What a route costs by the objective. */
const objectiveCost = (model: Model, route: number, travelS: number, distanceM: number, workS: number): number =>
  model.isBalanced
    ? (workS * workS) / (2 * model.evenWorkS)
    : distanceM * model.costPerM[route]! + travelS * model.costPerS[route]! + model.fixedCost[route]!;

/** Times, loads and cost of a route whose nodes have changed. */
export const update = (routes: Routes, route: number): void => {
  forward(routes, route);
  backward(routes, route);
};

const forward = (routes: Routes, route: number): void => {
  const { model, next, leaveS, leaveRestedS, load, peakBefore, size } = routes;
  const { placeOf, places, durationsS, distancesM, serviceS, closeS, openS, dims, delivered, collected, carried } =
    model;
  const start = model.stops + route;
  const end = start + model.resources;
  const breakS = model.breakS[route]!;
  const breakFromS = model.breakFromS[route]!;
  const breakToS = model.breakToS[route]!;
  leaveS[start] = openS[start]!;
  leaveRestedS[start] = Infinity;
  for (let dim = 0; dim < dims; dim++) {
    let aboard = model.aboard[route * dims + dim]!;
    for (let node = next[start]!; node !== end; node = next[node]!) aboard += delivered[node * dims + dim]!;
    load[start * dims + dim] = aboard;
    peakBefore[start * dims + dim] = aboard;
  }
  let travelS = 0;
  let distanceM = 0;
  let workS = 0;
  for (let from = start; from !== end; from = next[from]!) {
    const node = next[from]!;
    const arc = placeOf[from]! * places + placeOf[node]!;
    const legS = durationsS[arc]!;
    const legM = distancesM[arc]!;
    routes.legS[from] = legS;
    routes.legM[from] = legM;
    travelS += legS;
    distanceM += legM;
    workS += serviceS[node]!;
    const arrivalS = leaveS[from]! + legS;
    leaveS[node] = arrivalS > closeS[node]! ? Infinity : serviceStart(model, node, arrivalS) + serviceS[node]!;
    leaveRestedS[node] = Infinity;
    if (breakS > 0) {
      const now = leaveS[from]! <= breakToS ? Math.max(arrivalS, breakFromS) + breakS : Infinity;
      const restedS = Math.min(leaveRestedS[from]! + legS, now);
      leaveRestedS[node] = restedS > closeS[node]! ? Infinity : serviceStart(model, node, restedS) + serviceS[node]!;
    }
    for (let dim = 0; dim < dims; dim++) {
      const at = node * dims + dim;
      load[at] = load[from * dims + dim]! - delivered[at]! + collected[at]! + carried[at]!;
      peakBefore[at] = Math.max(peakBefore[from * dims + dim]!, load[at]);
    }
  }
  const isEmpty = size[route] === 0;
  routes.workS[route] = isEmpty ? 0 : workS + travelS;
  routes.cost[route] = isEmpty ? 0 : objectiveCost(model, route, travelS, distanceM, workS + travelS);
};

const backward = (routes: Routes, route: number): void => {
  const { model, previous, latestS, latestRestedS, load, peakAfter } = routes;
  const { serviceS, closeS, openS, windows, dims } = model;
  const start = model.stops + route;
  const end = start + model.resources;
  const breakS = model.breakS[route]!;
  const restedByS = model.breakFromS[route]! + breakS;
  const breakToS = model.breakToS[route]!;
  latestS[end] = Math.min(closeS[end]!, breakToS);
  latestRestedS[end] = breakS > 0 ? closeS[end]! : -Infinity;
  for (let dim = 0; dim < dims; dim++) peakAfter[end * dims + dim] = load[end * dims + dim]!;
  for (let node = end; node !== start;) {
    const from = previous[node]!;
    const legS = routes.legS[from]!;
    let leaveByS = latestS[node]! - legS;
    latestRestedS[from] = -Infinity;
    if (breakS > 0) {
      const restedS = latestRestedS[node]!;
      if (restedByS <= restedS) leaveByS = Math.max(leaveByS, Math.min(breakToS, restedS - breakS - legS));
      const byS = Math.min(closeS[from]!, restedS - legS - serviceS[from]!);
      latestRestedS[from] = latestArrival(model, from, byS);
    }
    const byS = Math.min(closeS[from]!, leaveByS - serviceS[from]!);
    latestS[from] = windows[from] === undefined && byS >= openS[from]! ? byS : latestArrival(model, from, byS);
    for (let dim = 0; dim < dims; dim++) {
      peakAfter[from * dims + dim] = Math.max(load[from * dims + dim]!, peakAfter[node * dims + dim]!);
    }
    node = from;
  }
};

/** Makes the routes of `to` that are named those of `from`; any other must not have changed. */
export const copyRoutes = (from: Routes, to: Routes, named: Int32Array, count: number): void => {
  const { stops, resources, dims } = from.model;
  for (let at = 0; at < count; at++) {
    const start = stops + named[at]!;
    const end = start + resources;
    for (let node = to.next[start]!; node !== end; node = to.next[node]!) to.routeOf[node] = -1;
  }
  for (let at = 0; at < count; at++) {
    const route = named[at]!;
    const end = stops + route + resources;
    to.size[route] = from.size[route]!;
    to.cost[route] = from.cost[route]!;
    to.workS[route] = from.workS[route]!;
    for (let node = stops + route; ; node = from.next[node]!) {
      to.next[node] = from.next[node]!;
      to.previous[node] = from.previous[node]!;
      to.routeOf[node] = route;
      to.leaveS[node] = from.leaveS[node]!;
      to.leaveRestedS[node] = from.leaveRestedS[node]!;
      to.latestS[node] = from.latestS[node]!;
      to.legS[node] = from.legS[node]!;
      to.legM[node] = from.legM[node]!;
      to.latestRestedS[node] = from.latestRestedS[node]!;
      for (let dim = node * dims; dim < (node + 1) * dims; dim++) {
        to.load[dim] = from.load[dim]!;
        to.peakBefore[dim] = from.peakBefore[dim]!;
        to.peakAfter[dim] = from.peakAfter[dim]!;
      }
      if (node === end) break;
    }
  }
};
