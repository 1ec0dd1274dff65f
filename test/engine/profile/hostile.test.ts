import { expect, it } from 'vitest';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { HARMLESS, HOSTILE_PROFILES } from './hostile-profiles.ts';
import { shipped } from './profiles.ts';

it.each(Object.keys(HOSTILE_PROFILES))(
  'a profile that tries it with %s is refused, and leaves nothing behind',
  (code) => {
    const before = [Object.prototype, Array.prototype].map((shared) => Reflect.ownKeys(shared));
    const home = memoryFiles({ [`carriers/${code}.yaml`]: HOSTILE_PROFILES[code] ?? '' });
    const { carrier, findings } = loadCarrier(code, { home, shipped });
    expect(carrier !== undefined).toBe(HARMLESS.has(code));
    expect(findings.length).toBeLessThanOrEqual(500);
    expect([Object.prototype, Array.prototype].map((shared) => Reflect.ownKeys(shared))).toEqual(before);
  },
);

it('a key that stands twice is told of at its second place', () => {
  const text = 'carrier: twice\nname: Example\nname: Other\n';
  const { findings } = loadCarrier('twice', { home: memoryFiles({ 'carriers/twice.yaml': text }), shipped });
  expect(findings).toContainEqual(
    expect.objectContaining({ rule: 'repeated-key', place: { file: 'carriers/twice.yaml', line: 3, column: 1 } }),
  );
});

it('a profile of very many keys costs little, for reading it stops at a number of words', () => {
  const text = HOSTILE_PROFILES['many-keys'] ?? '';
  const { findings } = loadCarrier('many-keys', { home: memoryFiles({ 'carriers/many-keys.yaml': text }), shipped });
  expect(findings.map(({ rule }) => rule)).toEqual(['too-large']);
});
