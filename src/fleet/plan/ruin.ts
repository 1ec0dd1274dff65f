/* eslint-disable typescript/no-non-null-assertion -- every index is one of the model's own */
/** Takes related tasks out of a solution: strings of neighbouring routes mostly, at times the worst, the related or any. */
import type { Model } from './model.ts';
import type { Random } from './random.ts';
import { type Solution, takeOut, updateTouched } from './solution.ts';

/** Of the strings: how many tasks are taken out on average, and the longest string. */
const AVERAGE_REMOVED = 10;
const LONGEST_STRING = 10;
/** How often a string is split by a part that stays, and how the part grows. */
const SPLIT = 0.5;
const SPLIT_GROWTH = 0.01;
/** The rest of the time, strings. */
const SHARES = { random: 0.03, worst: 0.03, related: 0.04 };
const NEIGHBOURS = 200;

/** For each task the others, nearest first. */
export const neighboursOf = (model: Model): readonly Int32Array[] => {
  const { tasks, firstStop, secondStop, placeOf, places, distancesM } = model;
  const lastStop = Int32Array.from(secondStop, (second, task) => (second < 0 ? firstStop[task]! : second));
  const between = (a: number, b: number): number => distancesM[placeOf[a]! * places + placeOf[b]!]!;
  return Array.from({ length: tasks }, (_, task) => {
    const near = Float64Array.from({ length: tasks }, (_, other) =>
      Math.min(
        between(firstStop[task]!, firstStop[other]!),
        between(lastStop[task]!, firstStop[other]!),
        between(firstStop[task]!, lastStop[other]!),
        between(lastStop[task]!, lastStop[other]!),
      ),
    );
    near[task] = -1;
    return Int32Array.from(near.keys())
      .sort((a, b) => near[a]! - near[b]! || a - b)
      .slice(0, NEIGHBOURS);
  });
};

/** `seed`: the task around which to take out, or -1: any. */
export type Ruin = (solution: Solution, seed: number) => void;

export const createRuin = (
  model: Model,
  neighbours: readonly Int32Array[],
  tasks: readonly number[],
  random: Random,
): Ruin => {
  /** The tasks of a route in the order of their first stops. */
  const sequence = new Int32Array(model.tasks);
  const isOut = ({ routes }: Solution, task: number): boolean => routes.routeOf[model.firstStop[task]!]! < 0;
  const takeIfIn = (solution: Solution, task: number): void => {
    if (!isOut(solution, task)) takeOut(solution, task);
  };

  const readRoute = ({ routes }: Solution, route: number): number => {
    let length = 0;
    const end = model.stops + route + model.resources;
    for (let node = routes.next[model.stops + route]!; node !== end; node = routes.next[node]!) {
      const task = model.taskOf[node]!;
      if (model.firstStop[task] === node) sequence[length++] = task;
    }
    return length;
  };

  const takeString = (solution: Solution, task: number, longest: number): void => {
    const length = readRoute(solution, solution.routes.routeOf[model.firstStop[task]!]!);
    const at = sequence.indexOf(task);
    const count = 1 + random.below(Math.min(length, longest));
    let kept = 0;
    if (count > 1 && count < length && random.unit() < SPLIT) {
      kept = 1;
      while (count + kept < length && random.unit() < SPLIT_GROWTH) kept += 1;
    }
    const span = count + kept;
    const first = Math.max(0, at - span + 1);
    const from = first + random.below(Math.min(at, length - span) - first + 1);
    const keptFrom = from + (kept === 0 ? span : 1 + random.below(count - 1));
    for (let place = from; place < from + span; place++) {
      if (place < keptFrom || place >= keptFrom + kept) takeOut(solution, sequence[place]!);
    }
  };

  const strings = (solution: Solution, seed: number): void => {
    const averageSize = (model.tasks - solution.absentCount) / Math.max(1, solution.used);
    const longest = Math.max(1, Math.min(LONGEST_STRING, averageSize));
    const most = (4 * AVERAGE_REMOVED) / (1 + longest) - 1;
    let wanted = Math.floor(1 + random.unit() * most);
    for (const task of neighbours[seed]!) {
      if (wanted === 0) return;
      if (isOut(solution, task)) continue;
      if (solution.isTouched[solution.routes.routeOf[model.firstStop[task]!]!] === 1) continue;
      takeString(solution, task, Math.floor(longest));
      wanted -= 1;
    }
  };

  const howMany = (): number => 1 + random.below(2 * AVERAGE_REMOVED);

  const anyOfThem = (solution: Solution): void => {
    for (let left = howMany(); left > 0; left--) takeIfIn(solution, tasks[random.below(tasks.length)]!);
  };

  /** Near the seed, each with some luck. */
  const related = (solution: Solution, seed: number): void => {
    let left = howMany();
    for (const task of neighbours[seed]!) {
      if (left <= 0) return;
      if (random.unit() < 0.3) continue;
      takeIfIn(solution, task);
      left -= 1;
    }
  };

  /** What a task's stops cost where they are. */
  const detour = ({ routes }: Solution, task: number): number => {
    let more = 0;
    for (const node of [model.firstStop[task]!, model.secondStop[task]!]) {
      if (node < 0) continue;
      const [before, at, after] = [routes.previous[node]!, node, routes.next[node]!].map(
        (each) => model.placeOf[each]!,
      );
      const arc = (a: number, b: number): number => model.distancesM[a * model.places + b]!;
      more += arc(before!, at!) + arc(at!, after!) - arc(before!, after!);
    }
    return more;
  };

  /** The longest detours of a sample. */
  const worst = (solution: Solution): void => {
    for (let left = howMany(); left > 0; left--) {
      let chosen = -1;
      let longest = -1;
      for (let draw = 0; draw < 8; draw++) {
        const task = tasks[random.below(tasks.length)]!;
        if (isOut(solution, task)) continue;
        const more = detour(solution, task);
        if (more > longest) [chosen, longest] = [task, more];
      }
      if (chosen >= 0) takeOut(solution, chosen);
    }
  };

  return (solution, given) => {
    if (tasks.length === 0) return;
    const seed = given < 0 ? tasks[random.below(tasks.length)]! : given;
    const way = random.unit();
    if (way < SHARES.random) anyOfThem(solution);
    else if (way < SHARES.random + SHARES.worst) worst(solution);
    else if (way < SHARES.random + SHARES.worst + SHARES.related) related(solution, seed);
    else strings(solution, seed);
    updateTouched(solution);
  };
};
