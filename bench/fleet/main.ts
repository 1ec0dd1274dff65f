/**
 * How good the embedded planner's plans are: Solomon's instances against the best known, or a day of a thousand stops.
 *
 *     npm run bench:fleet -- --seconds 20 --only R1,RC101
 *     npm run bench:fleet -- --iterations 300000 --seed 2
 *     npm run bench:fleet -- --day 1000 --seconds 60,120,600
 */
import { parseArgs } from 'node:util';
import type { Problem } from '../../src/fleet/plan/problem.ts';
import { search } from '../../src/fleet/plan/search.ts';
import { dayProblem } from './day.ts';
import { readSolomon, SOLOMON_MISSING, solomonProblem } from './solomon.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    iterations: { type: 'string' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    day: { type: 'string' },
  },
});
const seed = Number(values.seed);

/** Of this process: seconds here are those of a core that is there for nobody else. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const run = (problem: Problem) => {
  const startedMs = cpuMs();
  const { solution, iterations } = search(problem, { nowMs: cpuMs, isStopped: () => false });
  return { solution, iterations, tookS: (cpuMs() - startedMs) / 1000 };
};

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

const solomon = (): void => {
  const read = readSolomon();
  if (read === undefined) throw new Error(SOLOMON_MISSING);
  const only = values.only.split(',');
  const budget =
    values.iterations === undefined
      ? { milliseconds: Number(values.seconds) * 1000 }
      : { iterations: Number(values.iterations) };
  const gaps: number[] = [];
  let worst = 0;
  let count = 0;
  console.log('instance  vehicles  best  distance  best known     gap  seconds  iterations');
  for (const [name, instance] of Object.entries(read.instances)) {
    if (!only.some((prefix) => name.startsWith(prefix))) continue;
    const { solution, iterations, tookS } = run(solomonProblem(instance, seed, budget));
    const best = read.bestKnown[name];
    if (best === undefined || solution.absentCount > 0) throw new Error(`${name}: no plan for all`);
    const gap = solution.cost / best.distance - 1;
    count += 1;
    worst = Math.max(worst, solution.used - best.vehicles);
    if (solution.used === best.vehicles) gaps.push(gap);
    const cells: readonly (readonly [string | number, number])[] = [
      [solution.used, 10],
      [best.vehicles, 6],
      [solution.cost.toFixed(2), 10],
      [best.distance.toFixed(2), 12],
      [solution.used === best.vehicles ? percent(gap) : '-', 8],
      [tookS.toFixed(1), 9],
      [iterations, 12],
    ];
    console.log(name.padEnd(8) + cells.map(([cell, width]) => String(cell).padStart(width)).join(''));
  }
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  console.log(
    `${gaps.length} of ${count} with the best-known vehicles, ${percent(mean)} longer on average; ${worst} more at most`,
  );
};

const day = (stops: number): void => {
  console.log('seconds  vehicles  open      cost  iterations');
  for (const seconds of values.seconds.split(',').map(Number)) {
    const { solution, iterations } = run(dayProblem(stops, seed, { milliseconds: seconds * 1000 }));
    const cells = [seconds, solution.used, solution.absentCount, solution.cost.toFixed(1), iterations];
    console.log(cells.map((cell, at) => String(cell).padStart([7, 10, 6, 10, 12][at] ?? 0)).join(''));
  }
};

if (values.day === undefined) solomon();
else day(Number(values.day));
