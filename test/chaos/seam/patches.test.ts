import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { MUTATIONS } from '../mutations.ts';
import { EAGER, shortLeases } from './patches.ts';

const all = [...shortLeases(1), ...EAGER, ...MUTATIONS.flatMap(({ patches }) => patches)];

it.each(all)('a patch fits src/$file: $find', ({ file, find }) => {
  expect(readFileSync(path.resolve(import.meta.dirname, '../../../src', file), 'utf8')).toContain(find);
});
