import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ceilingOf, dividedBy, fractionOf, rounded, times, toNumber } from '../../../src/engine/mapping/decimal.ts';
import { factorOf, multiplied, upTo } from '../../../src/engine/mapping/decimal-factor.ts';

const sizes = [1000, 1, 453.59237, 28.349523125, 10, 25.4, 304.8, 1e9, 28316846.592, 16387.064, 1e6];

/** As people write weights and sizes, and as nobody does. */
const numbers = fc.oneof(
  fc
    .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 6 }))
    .map(([n, p]) => n / 10 ** p),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const steps = fc.oneof(
  fc.constantFrom(0.1, 0.5, 1, 0.01, 5, 0.25, 1e-9, 3),
  fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
);

/** 0 and -0 are the same weight. */
const plain = (value: number): number => (value === 0 ? 0 : value);

describe('arithmetic in doubles', () => {
  it('gives what big integers give, in every unit', () => {
    const size = fc.constantFrom(...sizes);
    fc.assert(
      fc.property(numbers, size, size, fc.option(fc.integer({ min: 0, max: 12 })), (value, from, to, digits) => {
        const factor = factorOf(dividedBy(fractionOf(from), fractionOf(to)));
        const product = times(fractionOf(value), factor.exact);
        const wanted = digits === null ? toNumber(product) : rounded(product, digits);
        expect(plain(multiplied(value, factor, digits ?? undefined))).toBe(plain(wanted));
      }),
      { numRuns: 20_000 },
    );
  });

  it('rounds up as big integers do', () => {
    fc.assert(
      fc.property(numbers, steps, (value, step) => {
        const size = fractionOf(step);
        const count = ceilingOf(dividedBy(fractionOf(value), size));
        expect(plain(upTo(value, step))).toBe(plain(toNumber(times({ numerator: count, denominator: 1n }, size))));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    [1.005, 1, 1, 2, 1.01],
    [2, 453.59237, 1000, 3, 0.907],
    [-1.005, 1, 1, 2, -1.01],
    [30, 10, 1, undefined, 300],
  ])('%f of %f in %f is rounded half away from zero', (value, from, to, digits, wanted) => {
    expect(multiplied(value, factorOf(dividedBy(fractionOf(from), fractionOf(to))), digits)).toBe(wanted);
  });
});
