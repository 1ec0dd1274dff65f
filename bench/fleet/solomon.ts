/** Solomon's 56 instances of vehicle routing with time windows, which are not part of this package. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Budget, Problem } from '../../src/fleet/plan/problem.ts';

/** Beside the checkout. */
const FOLDER = process.env['SOLOMON_FOLDER'] ?? path.resolve(import.meta.dirname, '../../../shared/vrptw');
export const SOLOMON_MISSING =
  'Solomon’s instances are not in ../shared/vrptw beside the checkout, nor in SOLOMON_FOLDER';

interface Instance {
  readonly vehicles: number;
  readonly capacity: number;
  /** `[x, y, demand, ready, due, service]`; the first is the depot. */
  readonly customers: readonly (readonly [number, number, number, number, number, number])[];
}
interface BestKnown {
  readonly vehicles: number;
  readonly distance: number;
}

const read = <Content>(file: string): Readonly<Record<string, Content>> =>
  JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Readonly<Record<string, Content>>;

/** Undefined where the folder is not there. */
export const readSolomon = () =>
  existsSync(FOLDER)
    ? { instances: read<Instance>('solomon.json'), bestKnown: read<BestKnown>('best-known.json') }
    : undefined;

/** A unit of distance is a kilometre and takes a second: the cost of a plan is its distance. */
export const solomonProblem = ({ vehicles, capacity, customers }: Instance, seed: number, budget: Budget): Problem => {
  const distances = Float64Array.from(
    customers.flatMap(([x, y]) => customers.map(([toX, toY]) => Math.hypot(x - toX, y - toY))),
  );
  const [, , , fromS = 0, toS = 0] = customers[0] ?? [];
  return {
    places: customers.map(([x, y]) => ({ latitude: y, longitude: x })),
    travel: { durationsS: distances, distancesM: distances.map((units) => units * 1000) },
    resources: Array.from({ length: vehicles }, (_, index) => ({
      id: `vehicle ${index + 1}`,
      start: 0,
      end: 0,
      shift: { fromS, toS },
      capacity: { weightKg: capacity },
      skills: [],
      fixedCost: 0,
      costPerKm: 1,
      costPerHour: 0,
    })),
    tasks: customers.slice(1).map(([, , weightKg, readyS, dueS, serviceS], index) => ({
      id: `customer ${index + 1}`,
      kind: 'delivery',
      stop: { place: index + 1, windows: [{ fromS: readyS, toS: dueS }], serviceS },
      delivers: { weightKg },
      skills: [],
      priority: 0,
    })),
    objective: 'fewest_vehicles',
    seed,
    budget,
  };
};
