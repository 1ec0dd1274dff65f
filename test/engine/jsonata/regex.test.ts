import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/engine/jsonata/compile.ts';
import { waysThrough, worstSteps } from '../../../src/engine/jsonata/regex-cost.ts';

const subjects = [
  '',
  'abc',
  'Example Street 12b',
  'a-b_c d\u00a0e',
  'line one\nline two',
  '2026-05-01T09:00',
  'ééé',
  '((x))',
  'aaa bbb',
];

const patterns =
  String.raw`/a/ /[a-c]+/i /^\w+/ /(\d+)-(\d+)/ /\s/ /\S+/ /^line.*$/m /(?:ab|a)(c|bc)?/ /x{1,3}|\(+/ /\bs/i
/(a)(b)?/ /[^\s\d]+/ /\./ /[\])(]/ /e+?t/ /(?<year>\d{4})/`.split(/\s/);

describe('the linear engine', () => {
  it.each(patterns)('finds what the backtracking one finds: %s', (pattern) => {
    const source = `[$match($, ${pattern})]`;
    for (const subject of subjects) {
      const native = compile(source).evaluate(subject);
      const linear = compile(source, { limits: { regex: 0 } }).evaluate(subject);
      expect(linear).toStrictEqual(native);
    }
  });
});

describe('the ways through a pattern', () => {
  it.each([
    ['abc', 1, 0],
    ['a*b', 1, 1],
    ['a*b*', 1, 2],
    ['a|b|c', 3, 0],
    ['(a|b)c?', 4, 0],
    ['a{2,4}', 3, 0],
    ['(a|b){3}', 8, 0],
    ['[a*|(]+', 1, 1],
    ['\\(*', 1, 1],
    ['(?:ab)*', 1, 1],
    ['(a)\\1', 1, 1],
    ['(a+)+', Infinity, 0],
    ['(a|b)*', Infinity, 0],
    ['(?<name>a?)*', Infinity, 0],
  ])('%s', (pattern, factor, degree) => {
    expect(waysThrough(pattern)).toStrictEqual({ factor, degree });
  });

  it('bound the steps on a text', () => {
    expect(worstSteps({ factor: 2, degree: 1 }, 3, 9)).toBe(600);
    expect(worstSteps({ factor: Infinity, degree: 0 }, 3, 0)).toBe(Infinity);
  });
});
