import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIBRARY } from '../../../../src/engine/mapping/functions/library.ts';
import { context, evaluate } from '../evaluating.ts';

/** A double as the decimal it is written as: `units / 10 ** places`. */
const decimalOf = (value: number): { readonly units: bigint; readonly places: bigint } => {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const places = BigInt(fraction.length) - BigInt(power);
  const units = BigInt(`${sign}${whole}${fraction}`) * (places < 0n ? 10n ** -places : 1n);
  return { units, places: places < 0n ? 0n : places };
};

const scale = (value: bigint, power: number): bigint => value * 10n ** BigInt(Math.max(0, power));

/** `n * size / unit` by big integers alone, halves away from zero: to so many digits, or to 15 significant ones. */
const exactly = (n: number, size: number, unit: number, digits?: number): number => {
  const [a, b, c] = [decimalOf(n), decimalOf(size), decimalOf(unit)];
  const above = a.units * b.units * 10n ** c.places;
  const below = c.units * 10n ** (a.places + b.places);
  const positive = above < 0n ? -above : above;
  const order = String(positive).length - String(below).length;
  const whole = scale(positive, -order) >= scale(below, order) ? order + 1 : order;
  const places = digits ?? 15 - whole;
  const [dividend, divisor] = [scale(positive, places), scale(below, -places)];
  return Number(`${above < 0n ? '-' : ''}${(2n * dividend + divisor) / (2n * divisor)}e${-places}`) + 0;
};

const UNITS = [
  { KG: 1000, G: 1, LB: 453.59237, OZ: 28.349523125 },
  { CM: 10, IN: 25.4, MM: 1, M: 1000, FT: 304.8 },
  { CBM: 1e9, CFT: 28_316_846.592, CM3: 1000, IN3: 16_387.064, MM3: 1, L: 1e6 },
];
const PAIRS = UNITS.flatMap((units) => {
  const all = Object.entries<number>(units);
  return all.flatMap(([from, size]) => all.map(([to, unit]) => ({ from, size, to, unit })));
});

describe('$convert', () => {
  it('gives what big integers give, from every unit to every other, to some digits or all', () => {
    const everyday = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.nat(6)).map(([n, p]) => n / 10 ** p);
    const numbers = fc.oneof(everyday, fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e200, max: 1e200 }));
    const convert = LIBRARY.get('convert')?.call;
    expect(PAIRS).toHaveLength(16 + 25 + 36);
    for (const { from, size, to, unit } of PAIRS) {
      fc.assert(
        fc.property(numbers, fc.option(fc.nat(12), { nil: undefined }), (n, digits) => {
          const exact = exactly(n, size, unit, digits);
          const isLost = exact === 0 && n > 0 && digits !== undefined;
          expect(convert?.(context(), [n, from, to, digits])).toBe(isLost ? 10 ** -digits : exact);
        }),
        { numRuns: 200 },
      );
    }
  });
});

describe('$roundUp', () => {
  it.each([
    [1.21, 0.5, 1.5],
    [1.5, 0.5, 1.5],
    [0.3, 0.1, 0.3],
    [0.31, 0.1, 0.4],
    [-1.2, 0.5, -1],
    [0, 5, 0],
    [7, 2.5, 7.5],
  ])('%d by %d is %d', async (n, step, result) => {
    expect(await evaluate('$roundUp(n, step)', { n, step })).toBe(result);
  });
});
