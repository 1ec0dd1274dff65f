import { describe, expect, it } from 'vitest';
import { reasonToRefuse } from '../../../src/platform/queue/open.ts';

describe('a job', () => {
  it.each(['d-17-a1', 'e9b1c7de-0000-4000-8000-000000000000', 'status_3', 'x1'.repeat(100)])(
    'may be called %s',
    (id) => {
      expect(reasonToRefuse({ id })).toBeUndefined();
    },
  );

  it.each([
    ['', 'nothing'],
    ['17', 'a plain integer, which BullMQ gives out itself'],
    ['-17', 'a negative integer'],
    ['d:17', 'with a colon, which separates keys'],
    ['delayed', "by one of BullMQ's own keys"],
    ['d 17', 'with a space'],
    ['d17\u0000', 'with a NUL, which PostgreSQL refuses'],
    ['d17\ud800', 'with half a character'],
    ['x1'.repeat(101), 'too long a name'],
  ])('may not be called %j: %s', (id) => {
    expect(reasonToRefuse({ id })).toMatch(/^an id /);
  });

  it('may be delayed by up to a year, and not by nonsense', () => {
    for (const delayMs of [0, 0.5, 1_800_000, 366 * 86_400_000])
      expect(reasonToRefuse({ id: 'd1', delayMs })).toBeUndefined();
    for (const delayMs of [-1, Number.NaN, Infinity])
      expect(reasonToRefuse({ id: 'd1', delayMs })).toMatch(/^a delay /);
  });
});
