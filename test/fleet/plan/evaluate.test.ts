import { describe, expect, it } from 'vitest';
import { createEvaluate } from '../../../src/fleet/plan/evaluate.ts';
import type { StopRef, Task } from '../../../src/fleet/plan/problem.ts';
import { delivery, driver, HOUR_S, MINUTE_S, town } from './town.ts';

const shipment: Task = {
  id: 'shipment',
  kind: 'shipment',
  pickup: { place: 4, windows: [], serviceS: 0 },
  delivery: { place: 2, windows: [], serviceS: 0 },
  carries: { weightKg: 30 },
  skills: [],
  priority: 0,
};
const early = { place: 9, windows: [{ fromS: 8 * HOUR_S, toS: 8 * HOUR_S + 10 * MINUTE_S }], serviceS: MINUTE_S };
const problem = town(
  [
    driver('ann', { break: { window: { fromS: 9 * HOUR_S, toS: 9 * HOUR_S + 600 }, durationS: 1800 } }),
    driver('cleo'),
    driver('bob', { skills: ['install'], shift: { fromS: 8 * HOUR_S, toS: 8 * HOUR_S + 20 * MINUTE_S } }),
  ],
  [
    delivery('near', 2),
    delivery('far', 10),
    delivery('early', 9, { stop: early }),
    delivery('late', 5, { stop: { place: 5, windows: [{ fromS: 10 * HOUR_S, toS: 11 * HOUR_S }], serviceS: 0 } }),
    delivery('installed', 3, { skills: ['install'] }),
    delivery('heavy', 1, { delivers: { weightKg: 95 } }),
    delivery('bound', 1, { resource: 'bob' }),
    shipment,
  ],
);
const evaluate = createEvaluate(problem);
const at = (...tasks: string[]): StopRef[] => tasks.map((task) => ({ task, stop: 0 }));

describe('what a sequence of stops comes to', () => {
  it('starts as late as it may, waits for windows and has its break on the way', () => {
    const { route, violations } = evaluate('ann', at('far', 'late'));
    expect(violations).toEqual([]);
    const [far, late] = route.stops;
    expect(route.startS).toBe(8 * HOUR_S);
    expect(far).toMatchObject({ arrivalS: 8 * HOUR_S + 10 * MINUTE_S, waitS: 0, load: { weightKg: 10 } });
    // The break begins where its window does, at the stop.
    expect(route.break).toEqual({ startS: 9 * HOUR_S, endS: 9 * HOUR_S + 1800, before: 1 });
    expect(late).toMatchObject({ arrivalS: 8 * HOUR_S + 20 * MINUTE_S, startS: 10 * HOUR_S, load: { weightKg: 0 } });
    expect(late?.waitS).toBe(100 * MINUTE_S - 1800);
    expect(route).toMatchObject({ distanceM: 20_000, cost: 30, load: { weightKg: 20 } });
  });

  it('leaves the depot only in time for the first window', () => {
    expect(evaluate('cleo', at('late')).route.startS).toBe(10 * HOUR_S - 5 * MINUTE_S);
  });

  it.each([
    ['window', 'ann', at('far', 'early')],
    ['shift', 'bob', at('far')],
    ['skills', 'ann', at('installed')],
    ['capacity', 'ann', at('near', 'heavy')],
    ['resource', 'ann', at('bound')],
    ['precedence', 'ann', [{ task: 'shipment', stop: 1 as const }, ...at('shipment')]],
    ['precedence', 'ann', at('shipment')],
  ])('names what it breaks: %s', (code, resource, refs) => {
    const { violations, route } = evaluate(resource, refs);
    expect(violations.map((violation) => violation.code)).toEqual([code]);
    expect(route.stops).toHaveLength(refs.length);
  });
});
