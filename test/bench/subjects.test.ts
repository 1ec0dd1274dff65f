import { describe, expect, it } from 'vitest';
import { CARRIERS, writtenOf } from '../../bench/subjects.ts';

describe('the hand-written mappings of the bench', () => {
  it.each(CARRIERS)('of $code give what the mappings give', async (carrier) => {
    const written = await writtenOf(carrier);
    expect(written.map(({ kind }) => kind)).toEqual(['request', 'response', 'status']);
    expect(written.every(({ seen }) => seen.length > 0)).toBe(true);
  });
});
