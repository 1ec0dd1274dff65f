/** The structure that docs/architecture.md draws, held against the imports, those of types included. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

/** What each building may import beside itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  platform: ['engine'],
  workbench: ['engine'],
  client: ['engine', 'platform'],
  fleet: ['engine'],
  cli: ['engine', 'platform', 'workbench', 'client', 'fleet'],
};

type Imports = ReadonlyMap<string, readonly string[]>;

const importsOf = (file: string, source: string): readonly string[] =>
  [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) =>
    path.posix.normalize(path.posix.join(path.posix.dirname(file), target ?? '')),
  );

const readImports = (...globs: readonly string[]): Imports =>
  new Map(
    globSync(globs, { cwd: ROOT }).map((file) => [file, importsOf(file, readFileSync(path.join(ROOT, file), 'utf8'))]),
  );

const building = (file: string): string => file.split('/')[1] ?? '';

const breaches = (imports: Imports): readonly string[] =>
  [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.startsWith('src/') && building(target) !== building(file))
      .filter((target) => ALLOWED[building(file)]?.includes(building(target)) !== true)
      .map((target) => `${file} imports ${target}`),
  );

/** The first circle that each file is in, each circle once. */
const circles = (imports: Imports): readonly string[] => {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) found.add(trail.slice(start).toSorted().join(' ↔ '));
    if (start !== -1 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return [...found];
};

const SOURCES = readImports('src/**/*.{ts,js}', 'simulator/**/*.ts', 'bench/**/*.ts');

it('src/ has the six buildings, and they import one way', () => {
  const sources = new Map([...SOURCES].filter(([file]) => file.startsWith('src/')));
  expect(new Set([...sources.keys()].map(building))).toEqual(new Set(Object.keys(ALLOWED)));
  expect(breaches(sources)).toEqual([]);
});

it('a file of the platform that imports the workbench is found, whether it takes values or types', () => {
  const file = 'src/platform/records/planted.ts';
  for (const words of ['import { explain }', 'import type { Explanation }', 'const { explain } = await import(']) {
    const source = words.endsWith('(')
      ? `${words}'../../workbench/explain/explain.ts')`
      : `${words} from '../../workbench/explain/explain.ts';`;
    expect(breaches(new Map([[file, importsOf(file, source)]]))).toEqual([
      `${file} imports src/workbench/explain/explain.ts`,
    ]);
  }
});

it('a circle is found', () => {
  expect(
    circles(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['a', 'd']],
        ['d', []],
      ]),
    ),
  ).toEqual(['a ↔ b ↔ c']);
});
it('no files import one another in a circle, not even for types', () => {
  expect(circles(SOURCES)).toEqual([]);
});

it('no file of src/ is longer than 300 lines, and few are shorter than 25', () => {
  const lines = [...SOURCES.keys()]
    .filter((file) => file.startsWith('src/'))
    .map((file) => ({ file, count: readFileSync(path.join(ROOT, file), 'utf8').split('\n').length - 1 }));
  expect(lines.filter(({ count }) => count > 300)).toEqual([]);
  expect(lines.filter(({ count }) => count < 25).length).toBeLessThanOrEqual(25);
});
