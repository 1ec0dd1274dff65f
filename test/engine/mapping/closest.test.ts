import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { slipsOf } from '../../../src/engine/mapping/closest.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 8 });

/** What one letter more, fewer, other or swapped makes of it. */
const withinOne = (from: string): Set<string> => {
  const made = new Set([from]);
  for (let at = 0; at <= from.length; at += 1) {
    const [before, after] = [from.slice(0, at), from.slice(at)];
    made.add(before + after.slice(1));
    made.add(before + after.charAt(1) + after.charAt(0) + after.slice(2));
    for (const letter of 'abc') made.add(before + letter + after).add(before + letter + after.slice(1));
  }
  return made;
};

test('words within one typing error are those that it makes', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      expect(slipsOf(one, [other])).toEqual(withinOne(one).has(other) ? [other] : []);
    }),
  );
});
