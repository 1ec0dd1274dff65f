import { describe, expect, it } from 'vitest';
import { isFresh, isInForce } from '../../../src/engine/dispatch/token-store.ts';

describe('a token', () => {
  it('is fresh for 90% of its life', () => {
    expect(isFresh(1_000, 2_000, 1_899)).toBe(true);
    expect(isFresh(1_000, 2_000, 1_900)).toBe(false);
  });
  it('without an end is fresh until it is refused', () => {
    expect(isFresh(0, undefined, Number.MAX_SAFE_INTEGER)).toBe(true);
  });
  it('with an end before its begin never is', () => {
    expect(isFresh(1_000, 500, 1_000)).toBe(false);
  });
});

describe('a refusal', () => {
  it('holds under the version of the profile that met it', () => {
    const known = {
      got: { kind: 'refused', problem: { code: 'x', messages: [] } },
      fetchedAtMs: 0,
      profileHash: 'v1',
    } as const;
    expect(isInForce(known, { key: 'k', profileHash: 'v1' }, 1e15)).toBe(true);
    expect(isInForce(known, { key: 'k', profileHash: 'v2' }, 0)).toBe(false);
  });
});
