import { expect, it } from 'vitest';
import { findMisused } from './credentials.ts';
import { asked, evidence } from './evidences.ts';

const planted = new Map([
  ['credential of shop with c01', 'k1'],
  ['credential of shop with c02', 'k2'],
  ['credential of deaf with c01', 'k3'],
]);
const found = (changes: Parameters<typeof asked>[1]) =>
  findMisused(evidence({ planted, carriers: [asked('REF-1', { authorization: 'Bearer k1', ...changes })] }));

it('I5: does not mind a credential with its own carrier, for its own shipper', () => {
  expect(found({})).toEqual([]);
  expect(found({ key: 'k1' })).toEqual([]);
});

it.each([
  ['of another carrier', { authorization: 'Bearer k2' }, 'credential of shop with c02'],
  ['of another shipper', { authorization: 'Bearer k3' }, 'credential of deaf with c01'],
  ['of another shipper in the URL', { key: 'k3' }, 'credential of deaf with c01'],
  ['that nobody planted', { authorization: 'Bearer ***' }, 'one that nobody knows'],
  ['that is none', { authorization: '' }, 'empty one'],
])('I5: finds a credential %s', (_what, changes, name) => {
  expect(found(changes)).toEqual([`I5: of credentials, c01 was shown the ${name} for REF-1 of shop`]);
});

it('I5: finds a request that no shipper asked for', () => {
  const carriers = [asked('REF-9', { authorization: 'Bearer k1' })];
  expect(findMisused(evidence({ planted, carriers }))).toEqual(['I5: c01 was asked for REF-9, which no shipper has']);
});
