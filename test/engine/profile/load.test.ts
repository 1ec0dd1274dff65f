import { expect, test } from 'vitest';
import { loadBundle, loadHome } from '../../../src/engine/profile/load.ts';
import { HEAD, loadFiles, shipped } from './profiles.ts';

const MINIMAL = shipped.read('carriers/plain.yaml') ?? '';
const load = (files: Record<string, string>) => loadFiles(files, shipped);

test('the bundled profiles load without a finding, the contract as a base', () => {
  const { carriers, findings } = loadHome({ home: shipped, shipped });
  expect(findings).toEqual([]);
  expect(carriers.get('contract')?.abstract).toBe(true);
});

test('the minimal profile is the contract with an address and a token', () => {
  const { carriers, said } = load({ 'carriers/plain.yaml': MINIMAL });
  expect(said).toEqual([]);
  const plain = carriers.get('plain');
  expect(plain).toMatchObject({
    code: 'plain',
    name: 'Plain Carrier',
    abstract: false,
    labels: { formats: ['PDF', 'ZPL', 'PNG'] },
  });
  expect(Object.keys(plain?.operations ?? {})).toEqual(['create', 'update', 'cancel']);
  expect(plain?.operations.create?.idempotency.by).toBe('reference');
  expect(plain?.operations.create?.steps[0].auth[0]).toMatchObject({ kind: 'bearer' });
  expect(plain?.operations.create?.result?.place.file).toBe('mappings/contract/answer.jsonata');
  expect(plain?.statuses.table).toHaveLength(9);
});

test('a broken profile leaves the others working', () => {
  const { carriers, said } = load({
    'carriers/plain.yaml': MINIMAL,
    'carriers/acme.yaml': 'carrier: acme\nheders: {}\n  x: [',
  });
  expect([...carriers.keys()]).toEqual(['plain']);
  expect(said.length).toBeGreaterThan(0);
  expect(said.every((line) => line.startsWith('carriers/acme.yaml:'))).toBe(true);
});

const acme = (operations: string): string => `${HEAD}operations:\n${operations}\n`;

test.each(['../../secret.jsonata', '/etc/passwd.jsonata', 'a/../b.jsonata', '.hidden.jsonata'])(
  'a mapping name that leads elsewhere is refused: %s',
  (name) => {
    const { said } = load({ 'carriers/acme.yaml': acme(`  create: { post: /orders, result: '${name}' }`) });
    expect(said.join()).toContain('mapping-path');
  },
);

test('a profile named otherwise than a carrier is said not to be read', () => {
  expect(load({ 'carriers/acme.yml': MINIMAL }).said.join()).toContain('warning wrong-code: this file is not read');
});

test('the version is the same for the same texts, and another for any other text', () => {
  const files = {
    'carriers/acme.yaml': acme('  create: { post: /orders, result: answer.jsonata }'),
    'mappings/acme/answer.jsonata': '{ "itemsTrackDetails": response.body.x }',
  };
  const hash = (changed: Record<string, string>) => load({ ...files, ...changed }).carriers.get('acme')?.hash;
  expect(hash({})).toMatch(/^[0-9a-f]{64}$/);
  expect(hash({ 'carriers/plain.yaml': MINIMAL })).toBe(hash({}));
  expect(hash({ 'mappings/acme/answer.jsonata': '{ "itemsTrackDetails": response.body.y }' })).not.toBe(hash({}));
  expect(hash({ 'carriers/acme.yaml': `${files['carriers/acme.yaml']}# a comment\n` })).not.toBe(hash({}));
});

test('kept texts compile to the same version without the home they came from', () => {
  const { carriers, bundles } = load({ 'carriers/plain.yaml': MINIMAL });
  const bundle = bundles.get('plain');
  expect(Object.keys(bundle?.files ?? {})).toEqual([
    'carriers/plain.yaml',
    'carriers/contract.yaml',
    'mappings/contract/answer.jsonata',
  ]);
  const again = loadBundle(JSON.parse(JSON.stringify(bundle)));
  expect(again.carrier?.hash).toBe(carriers.get('plain')?.hash);
  expect(Object.keys(again.carrier?.operations ?? {})).toEqual(['create', 'update', 'cancel']);
});

test('findings carry the line they stand in', () => {
  const { findings } = load({ 'carriers/acme.yaml': acme('  creat: {}') });
  expect(findings.find((each) => each.rule === 'unknown-key')?.excerpt).toBe('  creat: {}');
});
