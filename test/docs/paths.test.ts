/** Documents name files of the project; each of them has to be there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf } from './profile-document.ts';
import { PROJECT, read } from '../support/project.ts';

/** Sources of pages that are written one folder up. */
const folderOf = (page: string): string => path.resolve(PROJECT, path.dirname(page.replace('docs/source/', 'docs/')));
/** Headings as they are linked to; those that directives of a source make are not among them. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
/** JSONata's own. */
const ELSEWHERE = 'test/test-suite/';

it.each(globSync(['*.md', 'docs/**/*.md'], { cwd: PROJECT }))('%s names only files that are there', (page) => {
  const text = read(page);
  const named = [...text.matchAll(/`((?:src|test|docs|simulator|bench|\.ci)\/[\w./-]+)`/g)].map(
    ([, name]) => name ?? '',
  );
  // What it says of a threat is shown by a test.
  if (page === 'SECURITY.md') expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !name.startsWith(ELSEWHERE) && !existsSync(path.join(PROJECT, name)))).toEqual([]);
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const wrong = linked.filter(([, link = '', anchor]) => {
    const file = link === '' ? path.resolve(PROJECT, page) : path.resolve(folderOf(page), link);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
  });
  expect(wrong.map(([link]) => link)).toEqual([]);
});

it('the code names only pages and headings that are there', () => {
  const sources = globSync('src/**/*.ts', { cwd: PROJECT }).map(read).join('\n');
  const named = [...sources.matchAll(/\b(docs\/[\w./-]+\.md)(?:#([\w-]+))?/g)];
  expect(named.length).toBeGreaterThan(0);
  const wrong = named.filter(([, file = '', anchor]) => {
    if (!existsSync(path.join(PROJECT, file))) return true;
    return anchor !== undefined && !anchorsOf(read(file)).has(anchor);
  });
  expect(wrong.map(([name]) => name)).toEqual([]);
});
