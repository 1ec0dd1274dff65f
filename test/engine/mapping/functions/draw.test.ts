import { expect, it } from 'vitest';
import type { Draw } from '../../../../src/engine/mapping/mapping.ts';
import { evaluate } from '../evaluating.ts';

it('$uuid and $sequence are drawn by kind and name, and a number is padded', async () => {
  const draws: Draw[] = [];
  const drawn = (draw: Draw) => {
    draws.push(draw);
    return '7';
  };
  const expression = `[$uuid(), $uuid('a'), $sequence('s', {"min": 5, "max": 9, "pad": 3}), $sequence('t')]`;
  expect(await evaluate(expression, {}, { drawn })).toEqual(['7', '7', '007', '7']);
  expect(draws.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { kind: 'uuid', name: '', options: {} },
    { kind: 'uuid', name: 'a', options: {} },
    { kind: 'sequence', name: 's', options: { min: 5, max: 9, pad: 3 } },
    { kind: 'sequence', name: 't', options: {} },
  ]);
});
