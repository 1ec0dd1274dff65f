import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT, read } from '../support/project.ts';

const { exports } = JSON.parse(read('package.json')) as {
  exports: Record<string, string | { types: string; default: string }>;
};

const sourceOf = (built: string): string =>
  path.join(PROJECT, built.replace('./dist/', 'src/').replace(/\.(?:d\.ts|js)$/, '.ts'));

/** Modules that are there at run time: imports of types are not. */
const importsOf = (file: string, seen = new Set<string>()): Set<string> => {
  for (const [, clause = '', from = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s([^;]*?)from '([^']+)'/gm,
  )) {
    if (clause.startsWith('type ')) continue;
    const target = from.startsWith('.') ? path.join(path.dirname(file), from) : from;
    if (seen.has(target)) continue;
    seen.add(target);
    if (from.startsWith('.')) importsOf(target, seen);
  }
  return seen;
};

it('every export of the package has its source', () => {
  for (const target of Object.values(exports)) {
    if (typeof target === 'string') continue;
    expect(sourceOf(target.default)).toBe(sourceOf(target.types));
    expect(existsSync(sourceOf(target.default))).toBe(true);
  }
});

it('the client needs nothing at run time, and the check of webhooks only its library', () => {
  const room = path.join(PROJECT, 'src/client/');
  const outside = (name: string) => [...importsOf(path.join(room, name))].filter((target) => !target.startsWith(room));
  expect(outside('client.ts')).toEqual([]);
  expect(outside('webhook.ts')).toEqual(['standardwebhooks']);
});
