import { expect, it } from 'vitest';
import { tellOf } from './accepting.ts';
import { answered } from './evidences.ts';

const stopped = { name: 'stopped', fromMs: 10_000, toMs: 17_000 };
const rate = { everyMs: 100, atOnce: 6, patience: 1 };
/** Six seconds in which five a second can be made. */
const accepts = (count: number, began: number) =>
  Array.from({ length: count }, (_, at) => answered(`REF-${at}`, { atMs: began + 2_005, ms: 2_005 }));

it('asks for half of the accepts that the load can make', () => {
  expect(tellOf(stopped, accepts(15, 11_000), rate)).toEqual({ accepted: 15, violations: [] });
  expect(tellOf(stopped, accepts(14, 11_000), rate).violations).toEqual([
    '14 accepted while Redis was stopped, of at least 15',
  ]);
  expect(tellOf(stopped, accepts(7, 11_000), { ...rate, patience: 2 }).violations).toEqual([]);
});

it('does not count what was on its way when the fault began', () => {
  expect(tellOf(stopped, accepts(20, 10_900), rate).accepted).toBe(0);
});

it('finds whoever was sent away, though he came before', () => {
  const away = answered('REF-99', { status: 503, atMs: 12_000, ms: 5_000 });
  expect(tellOf(stopped, [...accepts(15, 11_000), away], rate).violations).toEqual(['1 × 503 while Redis was stopped']);
});
