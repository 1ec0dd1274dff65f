import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, waybill } from './spawning.ts';

const BROKEN = ACME.replace('operations:', 'heders: {}\noperations:');

test('a home without findings is good', async () => {
  const home = folderWith({ 'carriers/acme.yaml': ACME });
  expect(await waybill(['lint'], { home })).toEqual({ code: 0, out: '1 carrier, no findings\n', error: '' });
  const { code, out } = await waybill(['lint', '--json'], { home });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ ok: true, carriers: ['acme'], findings: [], mappings: [] });
});

test('a finding is shown with its line and a caret', async () => {
  const home = folderWith({ 'carriers/acme.yaml': BROKEN, 'carriers/good.yaml': ACME.replace('acme', 'good') });
  const { code, out } = await waybill(['lint'], { home });
  expect(code).toBe(1);
  expect(out).toBe(`carriers/acme.yaml:4:1 error unknown-key
  "heders" is not known in the profile
  4 | heders: {}
    | ^
  help: did you mean "headers"?

2 carriers: 1 error, 0 warnings
`);
});

test('a finding as JSON has its place flat', async () => {
  const home = folderWith({ 'carriers/acme.yaml': BROKEN });
  const { code, out } = await waybill(['lint', 'acme', '--json'], { home });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    carriers: ['acme'],
    findings: [
      {
        rule: 'unknown-key',
        severity: 'error',
        file: 'carriers/acme.yaml',
        line: 4,
        column: 1,
        message: '"heders" is not known in the profile',
        help: 'did you mean "headers"?',
        excerpt: 'heders: {}',
      },
    ],
    mappings: [],
  });
});

test('only the carriers that are named are checked', async () => {
  const home = folderWith({ 'carriers/acme.yaml': BROKEN, 'carriers/good.yaml': ACME.replace('acme', 'good') });
  expect(await waybill(['lint', 'good'], { home })).toMatchObject({ code: 0, out: '1 carrier, no findings\n' });
});

test('an unknown carrier is misuse, and the one that was meant is named', async () => {
  const home = folderWith({ 'carriers/acme.yaml': ACME });
  const { code, out, error } = await waybill(['lint', 'acne'], { home });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toBe(`waybill: there is no carrier "acne" in ${home}: did you mean "acme"?\n`);
});

test('a home without carriers says so', async () => {
  const home = folderWith({});
  expect(await waybill(['lint'], { home })).toMatchObject({ code: 0, out: `no carriers in ${home}/carriers\n` });
});

test('findings as SARIF and for GitHub', async () => {
  const home = folderWith({ 'carriers/acme.yaml': BROKEN });
  const sarif = await waybill(['lint', '--format', 'sarif'], { home });
  expect(sarif.code).toBe(1);
  expect(JSON.parse(sarif.out)).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'waybill', rules: [{ id: 'unknown-key' }] } },
        columnKind: 'utf16CodeUnits',
        results: [
          {
            ruleId: 'unknown-key',
            ruleIndex: 0,
            level: 'error',
            message: { text: '"heders" is not known in the profile (did you mean "headers"?)' },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'carriers/acme.yaml', uriBaseId: 'HOME' },
                  region: { startLine: 4, startColumn: 1 },
                },
              },
            ],
          },
        ],
      },
    ],
  });
  expect(await waybill(['lint', '--format', 'github'], { home })).toMatchObject({
    code: 1,
    out: '::error file=carriers/acme.yaml,line=4,col=1,title=unknown-key::"heders" is not known in the profile (did you mean "headers"?)\n',
  });
});

test('--fix mends what can mean nothing else, and nothing besides', async () => {
  const home = folderWith({ 'carriers/acme.yaml': BROKEN });
  expect(await waybill(['lint', '--fix'], { home })).toEqual({
    code: 0,
    out: '1 finding mended\n1 carrier, no findings\n',
    error: '',
  });
  expect(readFileSync(join(home, 'carriers/acme.yaml'), 'utf8')).toBe(BROKEN.replace('heders', 'headers'));
  expect(readdirSync(join(home, 'carriers'))).toEqual(['acme.yaml']);
});
