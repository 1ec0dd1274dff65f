import { expect, test } from 'vitest';
import { RULES } from '../../src/profile/rules.ts';
import { findingsOf, readBroken } from './broken.ts';

const corpus = readBroken();
const inOrder = <T extends { readonly place: string; readonly rule: string }>(list: readonly T[]): readonly T[] =>
  list.toSorted((one, other) => (`${one.place} ${one.rule}` < `${other.place} ${other.rule}` ? -1 : 1));

test.each(corpus)('$why', (broken) => {
  const found = findingsOf(broken).map(({ place: { file, line, column }, rule, message, help }) => ({
    place: `${file}:${line}:${column}`,
    rule,
    message,
    help,
  }));
  expect(inOrder(found)).toEqual(inOrder(broken.expected));
});

/** What no text of a home can show: what the system refuses, sizes, files of cases, what cases show. */
const ELSEWHERE = ['too-large', 'unreadable', 'unreadable-file', 'missing-file', 'unshown-path'];

test('every rule has a case', () => {
  const shown = new Set(corpus.flatMap(({ expected }) => expected.map(({ rule }) => rule)));
  expect(Object.keys(RULES).filter((rule) => !shown.has(rule))).toEqual(ELSEWHERE);
});
