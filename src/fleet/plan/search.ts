/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/**
 * The embedded planner's search: construction by regret, then large-neighbourhood search by ruin and recreate. It takes turns at
 * getting all tasks onto fewer routes, where how often each task was left over decides what is accepted, and at
 * cutting costs by simulated annealing. All of it is scheduled by iterations; the clock only ends it.
 */
import { compile, type Model } from './model.ts';
import type { Problem, Progress } from './problem.ts';
import { createRandom } from './random.ts';
import { createRecreate, type Limits } from './recreate.ts';
import { canTake } from './reasons.ts';
import { createRoutes } from './routes.ts';
import { createRuin, neighboursOf } from './ruin.ts';
import {
  adopt,
  copySolution,
  createSolution,
  isSound,
  type Solution,
  takeOut,
  total,
  updateTouched,
} from './solution.ts';

export interface Outside {
  readonly nowMs: () => number;
  readonly isStopped: () => boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Found {
  readonly model: Model;
  readonly solution: Solution;
  readonly iterations: number;
}

/**
 * The first turn's iterations, by the number of tasks: a fair plan soon, and the measure of the machine. What is left then is one
 * turn, or where it is far more, a quarter of it first.
 */
const FIRST_TURN_TASKS = 2_000_000;
const FAR_MORE = 16;
/** Of a turn, for fewer routes. */
const FIT_SHARE = 0.4;
const REGRET_SHARE = 0.06;
/** Temperatures at both ends of a turn, in average costs of a task. */
const HOT = 10;
const COLD = 0.05;
/** While routes are to become fewer, where the same tasks are left over. */
const WARM = 0.3;
const BETWEEN_LOOKS = 32;
const PROGRESS_MS = 250;

/** A task of priority 1 outweighs nine without. */
const weightOf = (priority: number): number => 10 ** Math.min(priority, 8);

/** Makes incompatible what a resource could not do even alone; the tasks that some could. */
const narrow = (model: Model): readonly number[] => {
  const empty = createRoutes(model);
  return [...model.problem.tasks.keys()].filter((task) => {
    let isDoable = false;
    for (let route = 0; route < model.resources; route++) {
      if (canTake(empty, task, route)) isDoable = true;
      else model.compatible[route * model.tasks + task] = 0;
    }
    return isDoable;
  });
};

const share = (spent: number, limit = Infinity): number => (spent >= limit ? 1 : spent / limit);

export const search = (problem: Problem, outside: Outside): Found => {
  const { budget, objective } = problem;
  const startedMs = outside.nowMs();
  const model = compile(problem);
  const doable = narrow(model);
  const random = createRandom(problem.seed);
  const neighbours = neighboursOf(model);
  const ruin = createRuin(model, neighbours, doable, random);
  const recreate = createRecreate(model, neighbours, random);
  const isFewest = objective === 'fewest_vehicles';
  let iterations = 0;
  let toldMs = startedMs;

  const work = createSolution(model, doable);
  const current = createSolution(model, doable);
  const best = createSolution(model, doable);
  const limits: Limits = { mostRoutes: model.resources, isReluctant: isFewest };
  const absences = new Float64Array(model.tasks);

  const weigh = ({ absent, absentCount }: Solution): number => {
    let weight = 0;
    for (let at = 0; at < absentCount; at++) weight += weightOf(model.priority[absent[at]!]!);
    return weight;
  };
  const absence = ({ absent, absentCount }: Solution): number => {
    let sum = 0;
    for (let at = 0; at < absentCount; at++) sum += absences[absent[at]!]! * weightOf(model.priority[absent[at]!]!);
    return sum;
  };

  const fractionDone = (elapsedMs: number): number =>
    Math.max(share(iterations, budget.iterations), share(elapsedMs, budget.milliseconds));

  const tell = (nowMs: number): void => {
    toldMs = nowMs;
    const elapsedMs = nowMs - startedMs;
    const { legM, routeOf, size } = best.routes;
    const distanceM = legM.reduce((sum, each, node) => ((size[routeOf[node]!] ?? 0) > 0 ? sum + each : sum), 0);
    const unassigned = model.tasks - doable.length + best.absentCount;
    outside.onProgress?.({
      iterations,
      elapsedMs,
      fraction: fractionDone(elapsedMs),
      best: { cost: best.cost, distanceM, vehicles: best.used, unassigned },
    });
  };

  let isOver = false;
  const look = (): boolean => {
    iterations += 1;
    if (iterations >= (budget.iterations ?? Infinity)) isOver = true;
    if (iterations % BETWEEN_LOOKS === 0) {
      const nowMs = outside.nowMs();
      if (outside.isStopped() || nowMs - startedMs >= (budget.milliseconds ?? Infinity)) isOver = true;
      if (outside.onProgress !== undefined && nowMs - toldMs >= PROGRESS_MS) tell(nowMs);
    }
    return isOver;
  };

  const rebuild = (seed: number): void => {
    ruin(work, seed);
    if (random.unit() < REGRET_SHARE) recreate.regret(work, limits, true);
    else recreate.greedy(work, limits);
    total(work);
  };

  const isBetter = (weight: number): boolean => {
    const bestWeight = weigh(best);
    if (weight !== bestWeight) return weight < bestWeight;
    if (isFewest && work.used !== best.used) return work.used < best.used;
    return work.cost < best.cost - 1e-9;
  };

  /** Empties the route whose tasks were left over least often. */
  const dropRoute = (): boolean => {
    const { routes } = work;
    const sums = new Float64Array(model.resources);
    for (const task of doable) {
      const route = routes.routeOf[model.firstStop[task]!]!;
      if (route >= 0) sums[route] = sums[route]! + 1e-3 + absences[task]!;
    }
    let chosen = -1;
    for (let route = 0; route < model.resources; route++) {
      if (routes.size[route] === 0) continue;
      if (chosen < 0 || sums[route]! < sums[chosen]!) chosen = route;
    }
    if (chosen < 0) return false;
    for (const task of doable) if (routes.routeOf[model.firstStop[task]!] === chosen) takeOut(work, task);
    updateTouched(work);
    total(work);
    adopt(work, current, work);
    return true;
  };

  /** The fewest routes that could carry it all. */
  const leastRoutes = Array.from({ length: model.dims }, (_, dim) => {
    const most = Math.max(...model.capacity.filter((_, at) => at % model.dims === dim));
    const sums = [model.delivered, model.collected].map((table) =>
      doable.reduce((sum, task) => sum + table[model.firstStop[task]! * model.dims + dim]!, 0),
    );
    return Math.ceil(Math.max(...sums) / most - 1e-6);
  }).reduce((most, each) => Math.max(most, each), 1);

  /** Until all have a place, and then on one route less, and so on. */
  const fit = (turns: number): void => {
    copySolution(best, work);
    copySolution(best, current);
    const temperature = (WARM * best.cost) / Math.max(1, doable.length);
    const isOpen = (): boolean => best.absentCount > 0 || (isFewest && best.used > leastRoutes);
    const next = (): boolean => {
      limits.mostRoutes = best.absentCount === 0 && isFewest ? best.used - 1 : model.resources;
      return isOpen() && (best.absentCount > 0 || dropRoute());
    };
    if (!next()) return;
    for (let turn = 0; turn < turns && !look(); turn++) {
      const seed =
        current.absentCount > 0 && random.unit() < 0.5 ? current.absent[random.below(current.absentCount)]! : -1;
      rebuild(seed);
      const weight = weigh(work);
      for (let at = 0; at < work.absentCount; at++) absences[work.absent[at]!]! += 1;
      const isAccepted =
        isSound(work) &&
        (weight < weigh(current) ||
          absence(work) < absence(current) ||
          (absence(work) === absence(current) && work.cost < current.cost - temperature * Math.log(random.unit())));
      if (isAccepted && isBetter(weight)) {
        copySolution(work, best);
        adopt(work, current, work);
        if (!next()) return;
      } else if (isAccepted) adopt(work, current, work);
      else adopt(current, work, work);
    }
  };

  const anneal = (turns: number): void => {
    copySolution(best, work);
    copySolution(best, current);
    limits.mostRoutes = isFewest && best.absentCount === 0 ? best.used : model.resources;
    const average = best.cost / Math.max(1, doable.length);
    const cooling = (COLD / HOT) ** (1 / turns);
    let temperature = HOT * average;
    let currentWeight = weigh(current);
    for (let turn = 0; turn < turns && !look(); turn++) {
      rebuild(-1);
      temperature *= cooling;
      const weight = weigh(work);
      const isAccepted =
        isSound(work) &&
        (weight < currentWeight ||
          (weight === currentWeight && work.cost < current.cost - temperature * Math.log(random.unit())));
      if (!isAccepted) {
        adopt(current, work, work);
        continue;
      }
      currentWeight = weight;
      if (isBetter(weight)) {
        copySolution(work, best);
        if (isFewest && best.absentCount === 0) limits.mostRoutes = best.used;
      }
      adopt(work, current, work);
    }
  };

  recreate.regret(work, limits, false);
  total(work);
  copySolution(work, best);
  /** As fast as before. */
  const iterationsLeft = (): number => {
    const elapsedMs = outside.nowMs() - startedMs;
    const leftMs = (budget.milliseconds ?? Infinity) - elapsedMs;
    const byTime = iterations === 0 ? Infinity : (leftMs * iterations) / Math.max(1, elapsedMs);
    return Math.min((budget.iterations ?? Infinity) - iterations, byTime);
  };
  let length = Math.ceil(FIRST_TURN_TASKS / Math.max(1, doable.length));
  if (iterationsLeft() < 3 * length) length = iterationsLeft();
  while (doable.length > 0 && fractionDone(0) < 1) {
    const before = iterations;
    fit(Math.floor(length * FIT_SHARE));
    if (!isOver) anneal(length - (iterations - before));
    if (isOver) break;
    const left = iterationsLeft();
    length = Math.max(1000, Math.ceil(left > FAR_MORE * length ? left / 4 : left));
  }
  tell(outside.nowMs());
  return { model, solution: best, iterations };
};
