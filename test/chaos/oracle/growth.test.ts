import { expect, it } from 'vitest';
import { findGrowth, type Sample } from './growth.ts';

const flat: Sample = {
  'memory MB': 420,
  descriptors: 120,
  connections: 40,
  'queue MB': 3,
  'Redis MB': 5,
  'Redis keys': 30,
};
/** As many as a soak takes, over its time. */
const soak = (minutes: number, perHour: Partial<Sample>): Sample[] =>
  Array.from({ length: 24 }, (_, at) => {
    const leaked = Object.entries(perHour).map(([name, by]) => [
      name,
      flat[name as keyof Sample] + (by * (at + 1) * minutes) / 24 / 60,
    ]);
    return { ...flat, ...(Object.fromEntries(leaked) as Partial<Sample>) };
  });

it('lets be what stays as it is, and tells it', () => {
  const { figures, violations } = findGrowth(soak(24, { 'memory MB': 100 }), 24);
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ connections: '40 → 40', 'Redis keys': '30 → 30' });
});

it.each([
  ['memory MB', 200],
  ['queue MB', 200],
  ['Redis MB', 100],
  ['Redis keys', 3_600],
  ['descriptors', 600],
  ['connections', 60],
])('finds in 24 minutes a leak: of %s, %i an hour', (name, perHour) => {
  expect(findGrowth(soak(24, { [name]: perHour }), 24).violations).toEqual([
    expect.stringMatching(`^${name} grew from`),
  ]);
});

it('allows as much an hour in a longer run, and more while it warms up', () => {
  expect(findGrowth(soak(120, { 'memory MB': 50 }), 120).violations).toEqual([]);
  expect(findGrowth(soak(120, { 'memory MB': 70 }), 120).violations).toHaveLength(1);
  expect(findGrowth(soak(0.4, { 'memory MB': 10_000 }), 0.4).violations).toEqual([]);
});
