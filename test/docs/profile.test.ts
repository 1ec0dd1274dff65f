import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { caseNames } from '../../src/workbench/cases/read.ts';
import { runCaseNamed } from '../../src/workbench/cases/run.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';
import { pagesOf, profileDocument } from './profile-document.ts';
import { RULES } from '../../src/engine/profile/rules.ts';
import type { Shape } from '../../src/engine/profile/language/kinds.ts';
import { alternativeFor, alternativesOf, CARRIER_SHAPE, shapeOfKey } from '../../src/engine/profile/language/shape.ts';
import { parseSource } from '../../src/engine/profile/source.ts';
import type { Node } from '../../src/engine/profile/tree.ts';
import { said } from '../workbench/cases/running.ts';
import { caseFiles, exampleCodes, examples, homes } from './examples.ts';
import { PROJECT, read } from '../support/project.ts';

const guide = profileDocument(read('docs/source/profile.md'));
const reference = profileDocument(read('docs/source/reference.md'));
const pages = pagesOf(reference.text);

/** Every key of the language: what it holds (the same for one that stands in several maps), where it is first, its name. */
const keysOfLanguage = (): readonly { readonly inner: Shape; readonly path: string; readonly key: string }[] => {
  const found: { inner: Shape; path: string; key: string }[] = [];
  const seen = new Set<Shape>();
  const walk = (shape: Shape, at: string): void => {
    for (const map of alternativesOf(shape)) {
      if (seen.has(map)) continue;
      seen.add(map);
      for (const [key, inner] of Object.entries(map.properties ?? {})) {
        found.push({ inner, path: `${at}.${key}`.slice(1), key });
        walk(inner, `${at}.${key}`);
      }
      if (map.additionalProperties !== undefined && map.additionalProperties !== false)
        walk(map.additionalProperties, `${at}.<name>`);
      if (map.items !== undefined) walk(map.items, `${at}[]`);
    }
  };
  walk(CARRIER_SHAPE, '');
  return found;
};

/** What the keys hold that a profile uses. */
const noteUse = (node: Node, shape: Shape | undefined, used: Set<Shape>): void => {
  const form = alternativeFor(shape, node.kind);
  if (form === undefined) return;
  if (node.kind === 'list') for (const item of node.items) noteUse(item, form.items, used);
  if (node.kind !== 'map') return;
  for (const { key, value } of node.entries) {
    const inner = shapeOfKey(form, key.text);
    if (inner !== undefined) used.add(inner);
    noteUse(value, inner, used);
  }
};

/** Its commands, block by block. */
const typed = (page: string): readonly string[] => [...page.matchAll(/```sh\n.*?```/gs)].map(([block]) => block);

describe('docs/profile.md', () => {
  it('shows the examples as they are (npm run docs writes it anew)', async () => {
    await expect(guide.text).toMatchFileSnapshot(path.join(PROJECT, 'docs/profile.md'));
  });

  it('has a recipe for what carriers often differ in, each with an example or with commands of README', () => {
    const [, text = ''] = /^## Recipes\n(.*)/ms.exec(guide.text) ?? [];
    const recipes = text.split(/^### /m).slice(1);
    expect(recipes.length).toBeGreaterThan(8);
    const executed = typed(read('README.md'));
    const without = recipes.filter((recipe) => !recipe.includes('Shown by') && typed(recipe).length === 0);
    expect(without).toEqual([]);
    expect(recipes.flatMap(typed).filter((block) => !executed.includes(block))).toEqual([]);
  });
});

describe('docs/reference', () => {
  it.each([...pages])('%s says what the schema, the engine and the examples say', async (name, text) => {
    await expect(text).toMatchFileSnapshot(path.join(PROJECT, 'docs/reference', name));
  });

  it('has no other pages, and its index leads to each', () => {
    expect(readdirSync(path.join(PROJECT, 'docs/reference')).filter((name) => !pages.has(name))).toEqual([]);
    const index = pages.get('README.md') ?? '';
    expect([...pages.keys()].filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([]);
  });

  it('has a row for every key of the language', () => {
    const rows = new Set(reference.keys.map((row) => row.split('.').at(-1)));
    const missing = keysOfLanguage().filter(({ key }) => !rows.has(key) && key !== 'steps');
    expect(missing.map(({ path: at }) => at)).toEqual([]);
  });

  it('shows every example, and one on each page', () => {
    expect([...new Set([...reference.shown, ...guide.shown])].toSorted()).toEqual(exampleCodes.toSorted());
    const without = [...pages].filter(([, text]) => !text.includes('Shown by')).map(([name]) => name);
    // Each rule has its example in the list of lint.
    expect(without).toEqual(['README.md', 'rules.md']);
  });
});

describe('the examples', () => {
  it.each(exampleCodes)('%s is free of findings', (code) => {
    expect(loadCarrier(code, homes).findings).toEqual([]);
  });

  const cases = exampleCodes.flatMap((code) => caseNames(code, caseFiles).map((name) => [code, name] as const));
  it.each(cases)('%s: %s passes', async (code, name) => {
    const { carrier } = loadCarrier(code, homes);
    if (carrier === undefined) throw new Error(`${code} does not load`);
    const { report } = await runCaseNamed(carrier, name, caseFiles);
    expect(said(report)).toEqual([]);
  });

  it('each have a case, but for a base', () => {
    const without = exampleCodes.filter((code) => caseNames(code, caseFiles).length === 0);
    expect(without).toEqual(['base']);
  });

  it('together use every key of the language', () => {
    const used = new Set<Shape>();
    for (const { profile } of examples.values()) {
      const { root } = parseSource('example', profile);
      if (root !== undefined) noteUse(root, CARRIER_SHAPE, used);
    }
    const unused = keysOfLanguage().filter(({ inner }) => !used.has(inner));
    expect(unused.map(({ path: at }) => at)).toEqual([]);
  });
});

it('every rule that is listed is named by the code', () => {
  const files = readdirSync(path.join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('profile/rules.ts'));
  const code = sources.map((file) => read(`src/${file}`)).join('\n');
  expect(Object.keys(RULES).filter((rule) => !code.includes(`'${rule}'`))).toEqual([]);
});
