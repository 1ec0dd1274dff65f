import { expect, test } from 'vitest';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { context, loadAcme } from './profiles.ts';

const BASE = `
carrier: base
name: The base
abstract: true
headers: { X-A: a, X-B: b }
limits: { timeout: 10s, rate: 20/s }
auth: { basic: { username: u, password: p } }
tables: { t: { A: '1', B: '2' } }
operations:
  create:
    post: /orders
    body: { json: { keep: 1, drop: 2, deep: { a: 1 } } }
    result: '{ "itemsTrackDetails": response.body.x, "referenceId": $table("t", "A") }'
  cancel: { post: /cancel }
outcomes: [ { status: 404, do: succeed } ]
memo: [one]
`;
const OVER = `
carrier: acme
extends: base
environments: { production: { url: 'https://acme.example' } }
`;
const load = (over: string, base = BASE, more: Record<string, string> = {}) =>
  loadAcme(`${OVER}${over}`, { 'carriers/base.yaml': base, ...more });
const bodyOf = (over: string): unknown =>
  load(over).carrier?.operations.create?.steps[0].body?.content.evaluate({}, context);

test('maps merge, lists and scalars replace', () => {
  const { carrier, said } = load(
    "headers: { X-B: c }\nlimits: { timeout: 5s }\nmemo: [two]\ntables: { t: { B: '3' } }",
  );
  expect(said).toEqual([]);
  const step = carrier?.operations.create?.steps[0];
  expect(Object.fromEntries(Object.entries(step?.headers ?? {}).map(([key, value]) => [key, value.text]))).toEqual({
    'X-A': 'a',
    'X-B': 'c',
  });
  expect(step?.limits).toMatchObject({ timeoutMs: 5_000, rate: { count: 20, perMs: 1_000 } });
  expect(carrier).toMatchObject({ memo: ['two'], tables: { t: { A: '1', B: '3' } } });
});

test('null takes a key away', () => {
  const { carrier } = load(
    'headers: { X-A: null }\nlimits: null\nauth: null\noperations: { cancel: null }\noutcomes: null',
  );
  const step = carrier?.operations.create?.steps[0];
  expect(Object.keys(step?.headers ?? {})).toEqual(['X-B']);
  expect(step).toMatchObject({ limits: { timeoutMs: 30_000, rate: undefined }, auth: [], outcomes: [] });
  expect(Object.keys(carrier?.operations ?? {})).toEqual(['create']);
});

test('null in a body takes a key of the base away, and is a value where there was none', () => {
  expect(bodyOf('operations: { create: { body: { json: { drop: null, new: null, deep: { b: null } } } } }')).toEqual({
    keep: 1,
    deep: { a: 1, b: null },
    new: null,
  });
});

test('another method, codec or kind of auth replaces the one of the base', () => {
  const { carrier, said } = load(
    "auth: { bearer: { token: 'a-token' } }\noperations: { create: { put: /o, body: { xml: { a: b } } } }",
  );
  expect(said).toEqual([]);
  expect(carrier?.operations.create?.steps[0]).toMatchObject({
    method: 'PUT',
    body: { codec: 'xml' },
    auth: [{ kind: 'bearer' }],
  });
});

test('name and abstract are not inherited', () => {
  expect(load('').carrier).toMatchObject({ name: 'acme', abstract: false });
});

test('a finding in a base names the base’s file', () => {
  const { said } = load('', BASE.replace('timeout: 10s', 'timeout: 10'));
  expect(said).toEqual([expect.stringContaining('carriers/base.yaml:6:20 error wrong-value: timeout')]);
});

test('a mapping file is sought in the profile’s folder, then its base’s', () => {
  const base = BASE.replace(/result: '.*'/, 'result: answer.jsonata');
  const shared = { 'mappings/base/answer.jsonata': '{ "itemsTrackDetails": response.body.base }' };
  const own = { 'mappings/acme/answer.jsonata': '{ "itemsTrackDetails": response.body.own }' };
  expect(load('', base, shared).carrier?.operations.create?.result?.text).toContain('base');
  expect(load('', base, { ...shared, ...own }).carrier?.operations.create?.result?.text).toContain('own');
});

test('bases chain', () => {
  const more = { 'carriers/root.yaml': BASE.replace('carrier: base', 'carrier: root') };
  const { carrier, said } = load('', 'carrier: base\nextends: root\nabstract: true\nheaders: { X-B: middle }\n', more);
  expect(said).toEqual([]);
  expect(carrier?.operations.create?.steps[0].headers['X-B']?.text).toBe('middle');
});

test('a base that is not there is named, with the one that was meant', () => {
  expect(loadAcme(OVER.replace('base', 'bsae'), { 'carriers/base.yaml': BASE }).said).toEqual([
    'carriers/acme.yaml:3:10 error missing-base: there is no profile "bsae" to extend (did you mean "base"?)',
  ]);
});

test('a base in the home goes before the one that ships with the engine', () => {
  const shipped = memoryFiles({ 'carriers/base.yaml': BASE.replace('/orders', '/shipped') });
  const urlWith = (files: Record<string, string>) =>
    loadAcme(OVER, files, shipped).carrier?.operations.create?.steps[0].url.text;
  expect(urlWith({ 'carriers/base.yaml': BASE })).toBe('/orders');
  expect(urlWith({})).toBe('/shipped');
});

test('rows of a status table merge code by code, however they are grouped', () => {
  const statuses = 'statuses: { table: { In Transit: [A, B, C], Lost: [L] } }\n';
  const { carrier, said } = load('statuses: { table: { At Facility: [B], C: null, D: Damaged } }', BASE + statuses);
  expect(said).toEqual([]);
  expect(carrier?.statuses.table.map(({ key, status }) => `${key} ${status}`)).toEqual([
    'A In Transit',
    'B At Facility',
    'L Lost',
    'D Damaged',
  ]);
});
