import { expect, test } from 'vitest';
import type { Shape } from '../../src/engine/profile/language/kinds.ts';
import { tariff, tariffService, transit } from '../../src/engine/profile/language/rates.ts';
import { PROJECT, read } from '../support/project.ts';
import { globSync } from 'node:fs';

const document = read('docs/tariffs.md');

test('docs/tariffs.md shows the examples as they are, whose cases test/docs/examples.test.ts plays', () => {
  const files = globSync('docs/examples/{carriers/{tariff.yaml,tariffs/*,transit/*},fixtures/tariff/*}', {
    cwd: PROJECT,
  });
  const texts = files.map((file) =>
    read(file)
      .replace(/^# waived.*\n/m, '')
      .trim(),
  );
  const blocks = [...document.matchAll(/```(?:yaml\n# [^\n]*|csv)\n(.*?)```/gs)].map(([, block = '']) => block.trim());
  expect(blocks.length).toBe(7);
  expect(blocks.filter((block) => !texts.includes(block))).toEqual([]);
});

const keysOf = (shape: Shape): string[] => Object.keys(shape.properties ?? {});

test('docs/tariffs.md names every key of tariffs and transit times', () => {
  const surcharge = tariff.properties.surcharges.items ?? {};
  const keys = [tariff, transit, tariffService, surcharge].flatMap(keysOf);
  expect(keys.filter((key) => !document.includes(`\`${key}\``))).toEqual([]);
});
