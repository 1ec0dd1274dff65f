import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keysOf } from './keys-of.ts';
import { ACME, folderWith, PING, root, waybill } from './spawning.ts';
import { typed } from './typing.ts';

const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const replayed = (/```jsonl\n(.*?)```/s.exec(page)?.[1] ?? '').trim();
const [lintSample = '', testSample = ''] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text);

test('every command is documented', async () => {
  const { out } = await waybill(['--help']);
  const names = [...(out.split('Commands:')[1] ?? '').matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name);
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

const valuesOf = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('the JSON of replay is as documented', async () => {
  const [update] = JSON.parse(replayed.split('\n')[0] ?? '').observations[0].events.map(
    (event: { update: unknown }) => event.update,
  ) as unknown[];
  const home = folderWith({
    'carriers/acme.yaml': `${ACME}statuses: { table: { MOVING: In Transit } }\n`,
    'pushes.jsonl': `${JSON.stringify(update)}\n{"broken\n`,
  });
  const { out } = await typed(['replay', 'pushes.jsonl', '--carrier', 'acme', '--json'], { home });
  const [seen, documented] = [valuesOf(out), valuesOf(replayed)];
  expect(seen[0]).toEqual(documented[0]);
  expect(seen.slice(1).map(keysOf)).toEqual(documented.slice(1).map(keysOf));
});
