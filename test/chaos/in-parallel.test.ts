import { setImmediate as soon } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inParallel } from './in-parallel.ts';

const performed = async (weights: readonly number[], room: number) => {
  const [begun, together]: [number[], number[]] = [[], []];
  let now = 0;
  await inParallel(
    weights.map((weight) => ({ weight })),
    room,
    async ({ weight }) => {
      begun.push(weight);
      now += weight;
      together.push(now);
      await soon();
      now -= weight;
    },
  );
  return { begun, together };
};

it('rows run one after another where there is room for one', async () => {
  expect(await performed([1, 1, 1], 1)).toEqual({ begun: [1, 1, 1], together: [1, 1, 1] });
});

it('heavy rows come first, light ones beside them, and never more than there is room for', async () => {
  expect(await performed([1, 3, 1, 2, 1], 4)).toEqual({ begun: [3, 1, 2, 1, 1], together: [3, 4, 3, 4, 4] });
});

it('a row heavier than the room has it for itself', async () => {
  expect(await performed([1, 9], 4)).toEqual({ begun: [9, 1], together: [9, 1] });
});

it('a row that throws is the caller’s to hear of', async () => {
  await expect(inParallel([{}], 2, async () => await Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
