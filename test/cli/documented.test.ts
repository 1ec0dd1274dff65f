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

test('the sample of new gives a carrier whose cases pass, and lint asks for what is left in one block a file', async () => {
  const [, sample = ''] = /```http\n(.*?)```/s.exec(page) ?? [];
  const [, command = ''] = /```sh\nnpm run -s waybill -- (new .*?)\n```/s.exec(page) ?? [];
  const { run, json, read } = homeWith({ 'acme.http': sample });
  expect(await run(...command.split(' '))).toMatchObject({ code: 0, error: '' });
  expect((await run('test', 'acme', '--no-pack')).out).toContain('1 passed, 0 failed');
  expect(read('fixtures/_consignments/acme.yaml')).toContain('destinationName: Lina Beispiel');
  expect(read('mappings/acme/create.jsonata')).toContain('$country(destinationCountry, "alpha3")');
  const linted = await run('lint', 'acme');
  expect(linted.out).toMatch(/^carriers\/acme\.yaml error unconfirmed, 4 in lines\n {2}3: /m);
  expect(linted.out.split('\n').length).toBeLessThan(25);
  const again = (await json('new', 'other', '--samples', 'acme.http')).value;
  expect(keysOf(again)).toEqual(keysOf({ carrier: '', written: [''], toConfirm: 1, ignored: [], refuted: [] }));
});
