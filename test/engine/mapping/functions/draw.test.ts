import { expect, it } from 'vitest';
import type { Draw } from '../../../../src/engine/mapping/mapping.ts';
import { evaluate, misuseOf } from '../evaluating.ts';

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

it('$sequence refuses options that it does not know or that contradict', async () => {
  expect(await misuseOf(`$sequence('s', {"step": 2})`)).toMatch(/not 'step'/);
  expect(await misuseOf(`$sequence('s', {"min": 9, "max": 5})`)).toMatch(/max that is not below/);
  expect(await misuseOf(`$sequence('s', {"pad": 1.5})`)).toMatch(/whole number/);
  expect(await misuseOf(`$sequence('s', {"pad": 99})`)).toMatch(/40 digits/);
});
