import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, homeWith } from './home.ts';

const BROKEN = ACME.replace('operations:', 'heders: {}\noperations:');
const withBroken = () => homeWith({ 'carriers/acme.yaml': BROKEN, 'carriers/good.yaml': ACME.replace('acme', 'good') });

test('a home without findings is good', async () => {
  const { run, json } = homeWith({ 'carriers/acme.yaml': ACME });
  expect(await run('lint')).toEqual({ code: 0, out: '1 carrier, no findings\n', error: '' });
  expect(await json('lint')).toEqual({ code: 0, value: { ok: true, carriers: ['acme'], findings: [], mappings: [] } });
});

test('a finding is shown with its line and a caret', async () => {
  const { code, out } = await withBroken().run('lint');
  expect(code).toBe(1);
  expect(out).toBe(`carriers/acme.yaml:4:1 error unknown-key
  "heders" is not known in the profile
  4 | heders: {}
    | ^
  help: did you mean "headers"?

2 carriers: 1 error, 0 warnings
`);
});

test('only the carriers that are named are checked', async () => {
  expect(await withBroken().run('lint', 'good')).toMatchObject({ code: 0, out: '1 carrier, no findings\n' });
});

test('an unknown carrier is misuse, and the one that was meant is named', async () => {
  const { misuse, home } = withBroken();
  await misuse(['lint', 'acne'], `waybill: there is no carrier "acne" in ${home}: did you mean "acme"?\n`);
});

test('a home without carriers says so', async () => {
  const { run, home } = homeWith({});
  expect(await run('lint')).toMatchObject({ code: 0, out: `no carriers in ${home}/carriers\n` });
});

test('findings as SARIF and for GitHub', async () => {
  const { run } = withBroken();
  const text = '"heders" is not known in the profile (did you mean "headers"?)';
  const sarif = await run('lint', '--format', 'sarif');
  expect(sarif.code).toBe(1);
  const artifactLocation = { uri: 'carriers/acme.yaml', uriBaseId: 'HOME' };
  const locations = [{ physicalLocation: { artifactLocation, region: { startLine: 4, startColumn: 1 } } }];
  const results = [{ ruleId: 'unknown-key', ruleIndex: 0, level: 'error', message: { text }, locations }];
  const tool = { driver: { name: 'waybill', rules: [{ id: 'unknown-key' }] } };
  const runs = [{ tool, columnKind: 'utf16CodeUnits', results }];
  expect(JSON.parse(sarif.out)).toMatchObject({ version: '2.1.0', runs });
  expect(await run('lint', '--format', 'github')).toMatchObject({
    code: 1,
    out: `::error file=carriers/acme.yaml,line=4,col=1,title=unknown-key::${text}\n`,
  });
});

test('--fix mends what can mean nothing else, and nothing besides', async () => {
  const { run, read, home } = homeWith({ 'carriers/acme.yaml': BROKEN });
  const out = '1 finding mended\n1 carrier, no findings\n';
  expect(await run('lint', '--fix')).toEqual({ code: 0, out, error: '' });
  expect(read('carriers/acme.yaml')).toBe(BROKEN.replace('heders', 'headers'));
  expect(readdirSync(join(home, 'carriers'))).toEqual(['acme.yaml']);
});
