/** Problems of all kinds, for property tests. */
import * as fc from 'fast-check';
import type { Load, Place, Problem, Resource, Stop, Task, TravelTable } from '../../../src/fleet/plan/problem.ts';

const HOUR_S = 3600;
const DAY_S = 10 * HOUR_S;

const load: fc.Arbitrary<Load> = fc.record(
  { weightKg: fc.integer({ min: 0, max: 40 }), volumeM3: fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10) },
  { requiredKeys: [] },
);
const window = fc
  .tuple(fc.integer({ min: 0, max: DAY_S }), fc.integer({ min: HOUR_S / 2, max: 4 * HOUR_S }))
  .map(([fromS, lengthS]) => ({ fromS, toS: fromS + lengthS }));
const windows = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: window.map((only) => [only]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(window, fc.integer({ min: 60, max: 2 * HOUR_S }))
      .map(([first, gapS]) => [first, { fromS: first.toS + gapS, toS: first.toS + gapS + HOUR_S }]),
  },
);
const some = (...names: string[]): fc.Arbitrary<string[]> => fc.subarray(names);

const table = (places: readonly Place[], speeds: readonly number[]): TravelTable => {
  const arcs = places.flatMap((a, from) =>
    places.map((b, to) => {
      const distanceM = Math.hypot(a.latitude - b.latitude, a.longitude - b.longitude) * 1000;
      return { distanceM, durationS: distanceM / speeds[(from * 7 + to * 3) % speeds.length]! };
    }),
  );
  return {
    distancesM: Float64Array.from(arcs, ({ distanceM }) => distanceM),
    durationsS: Float64Array.from(arcs, ({ durationS }) => durationS),
  };
};

const stopAt = (places: number): fc.Arbitrary<Stop> =>
  fc.record({ place: fc.nat(places - 1), windows, serviceS: fc.integer({ min: 0, max: 1200 }) });

const taskAt = (places: number): fc.Arbitrary<Task> => {
  const terms = {
    id: fc.constant(''),
    skills: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some('two-person', 'install')),
    priority: fc.nat(2),
    zone: fc.option(fc.constantFrom('north', 'south'), { nil: undefined, freq: 1 }),
    vehicleType: fc.option(fc.constantFrom('van', 'lorry'), { nil: undefined, freq: 1 }),
    depot: fc.option(fc.nat(1), { nil: undefined, freq: 1 }),
  };
  const stop = stopAt(places);
  return fc.oneof(
    fc.record({ kind: fc.constant('delivery' as const), stop, delivers: load, ...terms }),
    fc.record({ kind: fc.constant('pickup' as const), stop, collects: load, ...terms }),
    fc.record({ kind: fc.constant('exchange' as const), stop, delivers: load, collects: load, ...terms }),
    fc.record({ kind: fc.constant('shipment' as const), pickup: stop, delivery: stop, carries: load, ...terms }),
  );
};

const resource: fc.Arbitrary<Resource> = fc.record({
  id: fc.constant(''),
  start: fc.nat(1),
  end: fc.nat(1),
  shift: fc.integer({ min: 0, max: 4 * HOUR_S }).map((fromS) => ({ fromS, toS: fromS + 8 * HOUR_S })),
  break: fc.option(
    fc
      .integer({ min: 2 * HOUR_S, max: 6 * HOUR_S })
      .map((fromS) => ({ window: { fromS, toS: fromS + 2 * HOUR_S }, durationS: HOUR_S / 2 })),
    { nil: undefined },
  ),
  capacity: fc.record(
    { weightKg: fc.integer({ min: 30, max: 150 }), volumeM3: fc.integer({ min: 1, max: 8 }) },
    { requiredKeys: [] },
  ),
  aboard: fc.option(load, { nil: undefined }),
  skills: some('two-person', 'install'),
  zones: fc.option(some('north', 'south'), { nil: undefined }),
  vehicleType: fc.constantFrom('van', 'lorry', undefined),
  fixedCost: fc.constantFrom(0, 50),
  costPerKm: fc.constantFrom(0, 1),
  costPerHour: fc.constantFrom(0, 20),
});

const named = <Item>(items: readonly Item[], prefix: string): Item[] =>
  items.map((item, index) => ({ ...item, id: `${prefix}${index}` }));

/** The first two places are depots. `iterations` at most. */
export const problems = (iterations: number): fc.Arbitrary<Problem> =>
  fc
    .array(fc.record({ latitude: fc.integer({ min: 0, max: 60 }), longitude: fc.integer({ min: 0, max: 60 }) }), {
      minLength: 3,
      maxLength: 14,
    })
    .chain((places) =>
      fc.record({
        places: fc.constant(places),
        // Several speeds: the triangle inequality does not hold.
        travel: fc.constantFrom([12], [9, 15, 30]).map((speeds) => table(places, speeds)),
        resources: fc.array(resource, { minLength: 1, maxLength: 4 }).map((items) => named(items, 'driver-')),
        tasks: fc.array(taskAt(places.length), { maxLength: 16 }).map((items) => named(items, 'task-')),
        objective: fc.constantFrom('fewest_vehicles' as const, 'least_cost' as const, 'balanced' as const),
        seed: fc.nat(),
        budget: fc.integer({ min: 1, max: iterations }).map((limit) => ({ iterations: limit })),
      }),
    );
