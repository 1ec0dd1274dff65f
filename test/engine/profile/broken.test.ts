import { expect, test } from 'vitest';
import { formatPlace } from '../../../src/engine/failure.ts';
import { RULES } from '../../../src/engine/profile/rules.ts';
import { bestExamples, findingsOf, readBroken } from './broken.ts';

const corpus = readBroken();
const inOrder = <T extends { readonly place: string; readonly rule: string }>(list: readonly T[]): readonly T[] =>
  list.toSorted((one, other) => (`${one.place} ${one.rule}` < `${other.place} ${other.rule}` ? -1 : 1));

test.each(corpus)('$why', (broken) => {
  const found = findingsOf(broken.files).map(({ place, rule, message, help }) => ({
    place: formatPlace(place),
    rule,
    message: help === undefined ? message : `${message} (${help})`,
  }));
  expect(inOrder(found)).toEqual(inOrder(broken.expected));
});

test.each(corpus.flatMap(({ why, mended }) => (mended === undefined ? [] : [{ why, mended }])))(
  '$why: mended, nothing is found',
  ({ mended }) => {
    expect(findingsOf(mended)).toEqual([]);
  },
);

/** What no text of a home can show: sizes, and what the system refuses. */
const ELSEWHERE = ['too-large', 'unreadable', 'unreadable-file'];

test('every rule has a case that fails, and the same one mended', () => {
  const shown = bestExamples(corpus);
  expect(Object.keys(RULES).filter((rule) => !shown.has(rule))).toEqual(ELSEWHERE);
});
