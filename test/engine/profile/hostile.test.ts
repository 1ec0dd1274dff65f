import { array, assert, constantFrom, double, integer, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { HARMLESS, HOSTILE_PROFILES } from './hostile-profiles.ts';
import { NOTHING, shipped } from './profiles.ts';

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

it('a profile of very many keys costs little, for reading it stops at a number of words', () => {
  const text = HOSTILE_PROFILES['many-keys'] ?? '';
  const { findings } = loadCarrier('many-keys', { home: memoryFiles({ 'carriers/many-keys.yaml': text }), shipped });
  expect(findings.map(({ rule }) => rule)).toEqual(['too-large']);
});

const profiles = ['dpd', 'plain', 'sendle', 'teleship'].map((code) => ({
  code,
  text: shipped.read(`carriers/${code}.yaml`) ?? '',
}));

const PIECES = [
  ...String.raw`{ } [ ] " ' | null &a *a !t ${'${'} # , ~ 0x1 % @ ( $`.split(' '),
  ': ',
  '- ',
  '\n',
  '  ',
  '\t',
  '\u0000',
  '\uD800',
];

it('whatever is done to a profile, loading it says so and never throws', () => {
  const change = record({
    profile: constantFrom(...profiles),
    at: double({ min: 0, max: 1, noNaN: true }),
    cut: integer({ min: 0, max: 40 }),
    put: array(constantFrom(...PIECES), { maxLength: 3 }),
  });
  assert(
    property(change, ({ profile, at, cut, put }) => {
      const from = Math.floor(profile.text.length * at);
      const text = profile.text.slice(0, from) + put.join('') + profile.text.slice(from + cut);
      const home = {
        ...shipped,
        read: (path: string) => (path === `carriers/${profile.code}.yaml` ? text : shipped.read(path)),
      };
      const { carrier, findings } = loadCarrier(profile.code, { home, shipped });
      expect(carrier === undefined).toBe(findings.some((finding) => finding.severity === 'error'));
      const lines = text.split('\n').length + 1;
      for (const { place } of findings) {
        expect(place.line).toBeGreaterThan(0);
        if (place.file.startsWith('carriers/')) expect(place.line).toBeLessThanOrEqual(lines);
      }
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 150) },
  );
});

it('a home without carriers is empty, not an error', () => {
  expect(loadCarrier('acme', { home: NOTHING, shipped }).findings).toHaveLength(1);
});
