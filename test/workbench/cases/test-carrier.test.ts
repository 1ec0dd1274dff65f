import { expect, test } from 'vitest';
import { watchedCases } from '../../../src/workbench/cases/test-carrier.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { memoryCaseFiles } from '../../../src/workbench/cases/read.ts';

const BASE = `carrier: base
name: Base
abstract: true
environments: { production: { url: 'https://api.acme.example' } }
operations: { probe: { get: /ping, headers: { X-Kind: kind } } }
`;
const CASE = `case: pinged
flow:
  - do: probe
    exchanges: [ { request: { get: 'https://api.acme.example/ping' }, response: { status: 200, json: pong.json } } ]
`;
const FILES: Record<string, string> = {
  'carriers/base.yaml': BASE,
  'carriers/one.yaml': 'carrier: one\nname: One\nextends: base\nabstract: false\n',
  'carriers/two.yaml': BASE.replace('carrier: base', 'carrier: two').replace('abstract: true\n', ''),
  'fixtures/one/a.yaml': CASE,
  'fixtures/one/b.yaml': CASE.replace('pong.json', '{}'),
  'fixtures/one/pong.json': '{}',
  'fixtures/two/a.yaml': CASE,
  'fixtures/two/pong.json': '{}',
};
const CODES = ['base', 'one', 'two'];

const ran = async (...changed: string[]): Promise<string[]> => {
  const files = { ...FILES };
  const run = watchedCases({
    homes: { home: memoryFiles(files), shipped: memoryFiles({}) },
    files: memoryCaseFiles(files),
    pack: false,
  });
  expect((await run(CODES)).cases).toHaveLength(3);
  return (await run(CODES, new Set(changed))).cases.map(({ place }) => place.file);
};

test.each([
  ['a case', 'fixtures/one/a.yaml', ['fixtures/one/a.yaml']],
  ['a file that a case names', 'fixtures/one/pong.json', ['fixtures/one/a.yaml']],
  ['a profile', 'carriers/two.yaml', ['fixtures/two/a.yaml']],
  ['a base', 'carriers/base.yaml', ['fixtures/one/a.yaml', 'fixtures/one/b.yaml']],
  ['a file that nobody reads', 'fixtures/one/notes.txt', []],
])('%s: only what it touches runs again', async (_what, changed, cases) => {
  expect(await ran(changed)).toEqual(cases);
});
