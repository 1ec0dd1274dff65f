import { expect, it } from 'vitest';
import { slipsOf } from '../../../src/engine/mapping/closest.ts';

const LETTERS = ['a', 'b', 'c'];
const words = (length: number): readonly string[] =>
  length === 0 ? [''] : words(length - 1).flatMap((word) => LETTERS.map((letter) => word + letter));
const ALL = [0, 1, 2, 3, 4].flatMap(words);

/** The word, and what it becomes by one letter changed, inserted, dropped, or swapped with its neighbour. */
const slipsIn = (word: string): ReadonlySet<string> => {
  const places = Array.from({ length: word.length + 1 }, (_, at) => [word.slice(0, at), word.slice(at)] as const);
  return new Set([
    word,
    ...places.flatMap(([before, after]) => [
      ...LETTERS.map((letter) => before + letter + after),
      ...(after === '' ? [] : [before + after.slice(1), ...LETTERS.map((letter) => before + letter + after.slice(1))]),
      ...(after.length < 2 ? [] : [`${before}${after[1]}${after[0]}${after.slice(2)}`]),
    ]),
  ]);
};

it('slips of a word are those that one typing error makes of it, and no others', () => {
  for (const word of ALL) {
    const expected = ALL.filter((one) => slipsIn(word).has(one));
    expect(slipsOf(word, ALL)).toEqual(expected);
  }
});

it('slips do not depend on capitals', () => {
  expect(slipsOf('Weigth', ['weight', 'WEIGHT', 'height', 'weights'])).toEqual(['weight', 'WEIGHT']);
});
