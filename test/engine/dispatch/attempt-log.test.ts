import { describe, expect, it } from 'vitest';
import { nextInSequence } from '../../../src/engine/dispatch/attempt-log.ts';

describe('a sequence', () => {
  it.each([
    [undefined, {}, '1', 2],
    [undefined, { min: 100 }, '100', 101],
    [7, { pad: 4 }, '0007', 8],
    [9, { min: 5, max: 9 }, '9', 5],
    [undefined, { min: 5, max: 5 }, '5', 5],
    // The profile's range has changed since.
    [3, { min: 5, max: 9 }, '5', 6],
    [12, { min: 5, max: 9 }, '5', 6],
    [12_345, { pad: 3 }, '12345', 12_346],
  ])('at %j with %j gives %j, then %j', (current, options, value, next) => {
    expect(nextInSequence(current, options)).toEqual({ value, next });
  });
});
