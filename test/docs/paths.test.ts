/** Documents name files of the project; each of them has to be there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** Sources of pages that are written one folder up. */
const folderOf = (page: string): string => path.resolve(PROJECT, path.dirname(page.replace('docs/source/', 'docs/')));
/** JSONata's own. */
const ELSEWHERE = 'test/test-suite/';

it.each(globSync(['*.md', 'docs/**/*.md'], { cwd: PROJECT }))('%s names only files that are there', (page) => {
  const text = readFileSync(path.join(PROJECT, page), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|docs|simulator|bench|\.ci)\/[\w./-]+)`/g)].map(
    ([, name]) => name ?? '',
  );
  expect(named.filter((name) => !name.startsWith(ELSEWHERE) && !existsSync(path.join(PROJECT, name)))).toEqual([]);
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => link ?? '');
  expect(linked.filter((link) => !existsSync(path.resolve(folderOf(page), link)))).toEqual([]);
});
