import { describe, expect, test } from 'vitest';
import { formatPlace } from '../../../src/engine/failure.ts';
import { applyFixes } from '../../../src/engine/profile/finding.ts';
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

const offered = corpus.filter(({ files }) => findingsOf(files).some(({ fix }) => fix !== undefined));

describe('a finding that offers a change is gone when the change is made', () => {
  test.each(offered)('$why', (broken) => {
    const before = findingsOf(broken.files);
    const files = { ...broken.files };
    for (const [file, text] of Object.entries(files)) {
      files[file] = applyFixes(
        text,
        before.filter(({ place }) => place.file === file),
      ).text;
    }
    const mended = before.filter(({ fix }) => fix !== undefined);
    const findings = findingsOf(files);
    for (const { rule, message } of mended) {
      expect(findings.filter((left) => left.rule === rule && left.message === message)).toEqual([]);
    }
  });
});

const finding = (column: number, old: string, text: string) =>
  ({
    rule: 'unknown-key',
    severity: 'error',
    place: { file: 'a', line: 1, column },
    message: '',
    fix: { place: { file: 'a', line: 1, column }, old, text },
  }) as const;

test('a change whose place holds something else is left out, and one within another, too', () => {
  expect(applyFixes('abc def', [finding(5, 'xyz', '!')])).toEqual({ text: 'abc def', applied: [] });
  expect(applyFixes('abc def', [finding(1, 'abc def', '[abc def]'), finding(5, 'def', 'DEF')]).text).toBe('abc DEF');
});
