import { expect, it } from 'vitest';
import { checkNights } from './nights.ts';

it('events in nights when clocks change are read as when they happened', () => {
  const { read, wrong } = checkNights();
  expect(wrong).toEqual([]);
  expect(read).toBeGreaterThan(500);
});
