import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, PING, root, waybill } from './spawning.ts';

const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const [lintSample = '', testSample = ''] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text);

/** The keys of a value, all the way down: of a list those of its first entry. */
const keysOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [keysOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, keysOf(held)]));
};

test('every command is documented', async () => {
  const { out } = await waybill(['--help']);
  const names = [...out.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(page).toMatch(new RegExp(`^## ${name}\\b`, 'm'));
});

test('the JSON of lint is as documented', async () => {
  const home = folderWith({ 'carriers/acme.yaml': ACME.replace('operations:', 'heders: {}\noperations:') });
  expect(JSON.parse((await waybill(['lint', '--json'], { home })).out)).toEqual(JSON.parse(lintSample));
});

test('the JSON of test is as documented', async () => {
  const home = folderWith({
    'carriers/acme.yaml': ACME,
    'fixtures/acme/ping.yaml': PING.replace('/ping', '/ping?old=1'),
  });
  const { out } = await waybill(['test', '--json'], { home });
  expect(keysOf(JSON.parse(out))).toEqual(keysOf(JSON.parse(testSample)));
});
