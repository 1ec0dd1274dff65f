import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Shape } from '../../src/engine/profile/language/kinds.ts';
import { policy, policyRule } from '../../src/engine/profile/language/policy.ts';
import { alternativesOf } from '../../src/engine/profile/language/shape.ts';
import { policyNames } from '../../src/engine/profile/policies.ts';
import { testCarrier } from '../../src/workbench/cases/test-carrier.ts';
import { PROJECT, read } from '../support/project.ts';
import { caseFiles, homes } from './examples.ts';

const document = read('docs/policies.md');

test('docs/policies.md shows the examples as they are', () => {
  const files = globSync('docs/examples/{carriers/policies/*,fixtures/{standard,shares}/*}', { cwd: PROJECT });
  const texts = files.map((file) => read(file).trim());
  const blocks = [...document.matchAll(/```yaml\n# [^\n]*\n(.*?)```/gs)].map(([, block = '']) => block.trim());
  expect(blocks.length).toBe(3);
  expect(blocks.filter((block) => !texts.includes(block))).toEqual([]);
});

test.each(policyNames(homes))('the policy %s of the examples passes its cases', async (name) => {
  const { cases, findings, hasCases } = await testCarrier(name, { homes, files: caseFiles, pack: true });
  expect(findings).toEqual([]);
  expect(hasCases).toBe(true);
  expect(cases.filter(({ passed }) => !passed)).toEqual([]);
});

const keysOf = (shape: Shape | undefined): string[] => Object.keys(shape?.properties ?? {});

test('docs/policies.md names every key of policies', () => {
  const entry = alternativesOf(policyRule.properties.carriers.items ?? {}).find(({ type }) => type === 'object');
  const { weights } = policyRule.properties;
  const keys = [policy, policyRule, entry, weights, entry?.properties?.['minimum']].flatMap(keysOf);
  expect(keys.filter((key) => !document.includes(`\`${key}\``) && !document.includes(`${key}:`))).toEqual([]);
});
