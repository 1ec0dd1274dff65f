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
    ['abc', 1, 0, 3],
    ['a*b', 1, 1, 2],
    ['a*b*', 1, 2, 2],
    ['a|b|c', 3, 0, 5],
    ['(a|b)c?', 4, 0, 5],
    ['a{2,4}', 3, 0, 4],
    ['(a|b){3}', 8, 0, 12],
    ['[a*|(]+', 1, 1, 2],
    ['\\(*', 1, 1, 1],
    ['(?:ab)*', 1, 1, 3],
    ['(a)\\1', 1, 1, 3],
    ['(a+)+', Infinity, 0, 6],
    ['(a|b)*', Infinity, 0, 4],
    ['(?<name>a?)*', Infinity, 0, 2],
    [`(a|b){0,${'0'.repeat(60)}2}`, 12, 0, 8],
    [`(?<${'n'.repeat(300)}>a?)*`, Infinity, 0, 2],
    ['a{5,}', 1, 1, 6],
    ['a{0,5000}b{33,66}', 1, 2, 35],
    ['((?:a{30}){30}){30}', 1, 0, 27_930],
    [`${'('.repeat(200)}a${')'.repeat(200)}`, Infinity, 0, 101],
  ])('%s', (pattern, factor, degree, size) => {
    expect(waysThrough(pattern)).toStrictEqual({ factor, degree, size });
  });

  it('are told of escapes with braces where they are letters of Unicode, and counts where they are not', () => {
    expect(waysThrough(String.raw`(?:\u{61}*)*`, 'u')).toMatchObject({ factor: Infinity });
    expect(waysThrough(String.raw`\p{L}+`, 'u')).toMatchObject({ factor: 1, degree: 1 });
    expect(waysThrough(String.raw`\u{0,40}`)).toMatchObject({ factor: 1, degree: 1 });
  });

  it('bound the steps on a text', () => {
    expect(worstSteps({ factor: 2, degree: 1, size: 3 }, 9)).toBe(600);
    expect(worstSteps({ factor: Infinity, degree: 0, size: 3 }, 0)).toBe(Infinity);
  });
});
