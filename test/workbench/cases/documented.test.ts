import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryCaseFiles } from '../../../src/workbench/cases/read.ts';
import { runCaseNamed } from '../../../src/workbench/cases/run.ts';
import { ACTIONS, BODY_KEYS, Case, FAULTS, OUTCOMES } from '../../../src/workbench/cases/schema.ts';
import { directoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { said } from './running.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}docs/cases.md`, 'utf8');

const written = [...page.matchAll(/```yaml\n(case: (.*?)\n.*?)```/gs)].map(([, text = '', title = '']) => ({
  title,
  text,
}));

test.each(written)('the example of the documentation passes as it is written: $title', async ({ text }) => {
  const { carrier: plain } = loadCarrier('plain', { home: directoryFiles(root), shipped: directoryFiles(root) });
  const real = directoryCaseFiles(root);
  const files = {
    ...real,
    read: (path: string) => (path === 'fixtures/plain/example.yaml' ? Buffer.from(text) : real.read(path)),
  };
  expect(said((await runCaseNamed(plain!, 'example.yaml', files)).report)).toEqual([]);
});

test('the documentation names every key and word of the format', () => {
  const keys = new Set<string>([...BODY_KEYS, ...ACTIONS, ...FAULTS, ...OUTCOMES]);
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(value as object)) keys.add(name);
      walk(value);
    }
  };
  walk(Case);
  expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
});
