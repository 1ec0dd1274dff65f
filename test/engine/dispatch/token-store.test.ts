import { expect, it } from 'vitest';
import { isFresh, isInForce } from '../../../src/engine/dispatch/token-store.ts';

it.each([
  ['is fresh for 90% of its life', 1_000, 2_000, 1_899, true],
  ['and no longer', 1_000, 2_000, 1_900, false],
  ['without an end is fresh until it is refused', 0, undefined, Number.MAX_SAFE_INTEGER, true],
  ['with an end before its begin never is', 1_000, 500, 1_000, false],
])('a token %s', (_, fetchedAtMs, expiresAtMs, nowMs, fresh) => {
  expect(isFresh(fetchedAtMs, expiresAtMs, nowMs)).toBe(fresh);
});

it.each([
  ['v1', 1e15, true],
  ['v2', 0, false],
])('a refusal holds under the version of the profile that met it: v1, under %s', (profileHash, nowMs, holds) => {
  const got = { kind: 'refused', problem: { code: 'x', messages: [] } } as const;
  expect(isInForce({ got, fetchedAtMs: 0, profileHash: 'v1' }, { key: 'k', profileHash }, nowMs)).toBe(holds);
});
