import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bundledCarriers, carriersPage } from './carriers.ts';
import { PROJECT } from './examples.ts';

const carriers = bundledCarriers();

it('docs/carriers.md counts what there is (npm run docs writes it anew)', async () => {
  const pages = readdirSync(path.join(PROJECT, 'docs/carriers'));
  await expect(carriersPage(carriers, pages)).toMatchFileSnapshot(path.join(PROJECT, 'docs/carriers.md'));
});

it.each(carriers)('$code takes at most 150 lines of YAML and 200 of JSONata', ({ yamlLines, jsonataLines }) => {
  expect(yamlLines).toBeLessThanOrEqual(150);
  expect(jsonataLines).toBeLessThanOrEqual(200);
});

it.each(carriers.filter(({ isBase }) => !isBase))('$code has cases', ({ cases }) => {
  expect(cases).toBeGreaterThan(0);
});
