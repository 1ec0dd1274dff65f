import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, homeWith, keysOf, PING, root } from './home.ts';

const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const replayed = (/```jsonl\n(.*?)```/s.exec(page)?.[1] ?? '')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const [lintSample, testSample] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text));

test('the JSON of lint is as documented', async () => {
  const { json } = homeWith({ 'carriers/acme.yaml': ACME.replace('operations:', 'heders: {}\noperations:') });
  expect((await json('lint')).value).toEqual(lintSample);
});

test('the JSON of test is as documented', async () => {
  const wrong = PING.replace('/ping', '/ping?old=1');
  const { json } = homeWith({ 'carriers/acme.yaml': ACME, 'fixtures/acme/ping.yaml': wrong });
  expect(keysOf((await json('test')).value)).toEqual(keysOf(testSample));
});

test('the JSON of replay is as documented', async () => {
  const [{ update }] = replayed[0].observations[0].events;
  const { jsonLines } = homeWith({
    'carriers/acme.yaml': `${ACME}statuses: { table: { MOVING: In Transit } }\n`,
    'pushes.jsonl': `${JSON.stringify(update)}\n{"broken\n`,
  });
  const { lines } = await jsonLines('replay', 'pushes.jsonl', '--carrier', 'acme');
  expect(lines[0]).toEqual(replayed[0]);
  expect(lines.slice(1).map(keysOf)).toEqual(replayed.slice(1).map(keysOf));
});
