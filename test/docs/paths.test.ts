/** Documents name files of the project; each of them has to be there. */
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT, read } from '../support/project.ts';

/** Sources of pages that are written one folder up. */
const folderOf = (page: string): string => path.resolve(PROJECT, path.dirname(page.replace('docs/source/', 'docs/')));
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
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => link ?? '');
  expect(linked.filter((link) => !existsSync(path.resolve(folderOf(page), link)))).toEqual([]);
});
