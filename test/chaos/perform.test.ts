import { once } from 'node:events';
import { expect, it } from 'vitest';
import { perform } from './perform.ts';
import type { Scenario } from './scenario.ts';

const context = {
  seed: 1,
  dose: 'small',
  sizes: {},
  backend: 'postgres',
  patience: 1,
  log: () => undefined,
} as const;

const scenario = (run: Scenario['run']): Scenario => ({
  name: 'example',
  promise: 'an example',
  limitMinutes: { small: 0.0001 },
  run,
});

it('a row whose time ran out is red, though it found nothing', async () => {
  const cutShort = scenario(async ({ signal }) => {
    await once(signal, 'abort');
    return { figures: {}, violations: [] };
  });
  expect(await perform(cutShort, context, '')).toMatchObject({
    verdict: 'RED',
    violations: ['not done within 0.0001 min'],
  });
});

it('a row that ends in time is green', async () => {
  const done = scenario(() => Promise.resolve({ figures: {}, violations: [] }));
  expect(await perform(done, context, '')).toMatchObject({ verdict: 'PASS', violations: [] });
});
