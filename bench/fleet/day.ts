/** A day's work of an invented carrier around one depot: deliveries mostly, in windows of two hours or half a day, all kinds of tasks. */
import { greatCircleTable } from '../../src/fleet/plan/great-circle.ts';
import type { Budget, Place, Problem, Resource, Stop, Task } from '../../src/fleet/plan/problem.ts';
import { createRandom } from '../../src/fleet/plan/random.ts';

const HOUR_S = 3600;
const TASKS_PER_DRIVER = 14;

export const dayProblem = (stops: number, seed: number, budget: Budget): Problem => {
  const random = createRandom(2026);
  const near = (from: Place, spread: number): Place => ({
    latitude: from.latitude + (random.unit() + random.unit() - 1) * spread,
    longitude: from.longitude + (random.unit() + random.unit() - 1) * spread * 1.6,
    zone: random.unit() < 0.5 ? 'city' : 'country',
  });
  const depot: Place = { latitude: 51, longitude: 10, zone: 'city' };
  const towns = Array.from({ length: 12 }, () => near(depot, 0.45));
  const places = [depot];
  const stopAt = (): Stop => {
    places.push(near(towns[random.below(towns.length)] ?? depot, 0.08));
    const fromS = (8 + random.below(5) * 2) * HOUR_S;
    const windows =
      random.unit() < 0.6
        ? [{ fromS, toS: fromS + 2 * HOUR_S }]
        : random.unit() < 0.5
          ? [{ fromS: 8 * HOUR_S, toS: 13 * HOUR_S }]
          : [];
    return { place: places.length - 1, windows, serviceS: 300 + 60 * random.below(15) };
  };
  const load = () => ({ weightKg: 5 + random.below(60), volumeM3: (1 + random.below(10)) / 10 });
  const tasks = Array.from({ length: stops }, (_, index): Task => {
    const terms = {
      id: `task ${index + 1}`,
      skills: random.unit() < 0.15 ? ['two-person'] : [],
      priority: random.unit() < 0.1 ? 1 : 0,
    };
    const kind = random.unit();
    if (kind < 0.08) return { ...terms, kind: 'pickup', stop: stopAt(), collects: load() };
    if (kind < 0.16) return { ...terms, kind: 'exchange', stop: stopAt(), delivers: load(), collects: load() };
    return { ...terms, kind: 'delivery', stop: stopAt(), delivers: load() };
  });
  const resources = Array.from({ length: Math.ceil(stops / TASKS_PER_DRIVER) }, (_, index): Resource => {
    const fromS = (index % 3 === 0 ? 7 : 8) * HOUR_S;
    return {
      id: `driver ${index + 1}`,
      start: 0,
      end: 0,
      shift: { fromS, toS: fromS + 10 * HOUR_S },
      break: { window: { fromS: fromS + 3 * HOUR_S, toS: fromS + 6 * HOUR_S }, durationS: 1800 },
      capacity: { weightKg: 900, volumeM3: 14 },
      skills: index % 3 === 1 ? ['two-person'] : [],
      fixedCost: 60,
      costPerKm: 0.4,
      costPerHour: 20,
    };
  });
  const travel = greatCircleTable(places, { speedKmh: 60, zoneSpeedsKmh: { city: 30 } });
  return { places, travel, resources, tasks, objective: 'fewest_vehicles', seed, budget };
};
