import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/engine/jsonata/compile.ts';
import { ExpressionFailure } from '../../../src/engine/jsonata/failure.ts';
import { startCost } from '../../support/cost.ts';

const many = { list: Array.from({ length: 2000 }, (_, index) => index), text: 'a'.repeat(60_000) };
const wide = { rows: Array.from({ length: 400 }, (_, index) => ({ id: index, tags: ['x', 'y'] })) };

/** An object or array that holds itself twice, so many times over. */
const doubled = (form: string, times: number): string =>
  `($f := function($a, $n){ $n = 0 ? $a : $f(${form}, $n - 1) }; $f(1, ${times}))`;
const OBJECT = doubled('{"x": $a, "y": $a}', 50);
const ARRAY = doubled('[[$a], [$a]]', 60);

/** Expressions that never end, or would fill the memory, or take exponential time. */
const runaways: readonly (readonly [string, string])[] = [
  ['recursion without end', '($f := function($n){ 1 + $f($n + 1) }; $f(0))'],
  ['tail recursion without end', '($f := function(){ $f() }; $f())'],
  ['two functions that call each other', '($a := function(){ $b() }; $b := function(){ $a() }; $a())'],
  ['recursion through $map', '($f := function($x){ $map([1, 2], $f) }; $f(1))'],
  ['recursion through $reduce', '($f := function($x, $y){ $reduce([1, 2, 3], $f) }; $f(1, 2))'],
  ['recursion through ~>', '($f := function($x){ $x ~> $f }; $f(1))'],
  ['recursion through a filter', '($f := function($x){ $x[$f($)] }; $f([1]))'],
  ['recursion through $sort', '($f := function($x, $y){ $count($sort([2, 1, 3], $f)) > 0 }; $f(1, 2))'],
  ['recursion through partial application', '($f := function($x, $y){ ($g := $f(?, $y); $g($x)) }; $f(1, 2))'],
  ['recursion of exponential breadth', '($f := function($n){ $f($n - 1) + $f($n - 2) }; $f(60))'],
  ['Fibonacci the slow way', '($f := function($n){ $n < 2 ? $n : $f($n - 1) + $f($n - 2) }; $f(45))'],
  ['a fixed point of itself', '(function($x){ $x($x) })(function($x){ $x($x) })'],
  ['a text that doubles', '($f := function($s){ $f($s & $s) }; $f("ab"))'],
  ['a text that doubles in a fold', '$reduce([1..60], function($s){ $s & $s }, "ab")'.replace('($s)', '($s, $i)')],
  ['a text padded beyond measure', '$pad("x", 100000000000)'],
  ['texts padded again and again', '$map([1..100000], function($i){ $pad("x", 4000000) & $i })'],
  ['an array that doubles', '($f := function($a){ $f($append($a, $a)) }; $f([1, 2]))'],
  ['an array that holds itself twice, printed', `$string(${ARRAY})`],
  ['an array that holds itself twice, returned', ARRAY],
  ['an object that holds itself twice, compared', `${OBJECT} = ${OBJECT}`],
  ['an object that holds itself twice, cloned', `$clone(${OBJECT})`],
  ['the descendants of that', `$count(${OBJECT}.**)`],
  ['a range too long', '[1..9000000000]'],
  ['ranges in ranges', '[1..5000].([1..5000].([1..5000]))'],
  ['a product of lists', 'list.($x := $; $$.list.($y := $; $$.list.($x + $y)))'],
  ['a product of lists by @', 'list@$a.list@$b.list@$c.{"s": $a + $b + $c}'],
  ['a zip of long ranges again and again', '$map([1..100000], function(){ $zip([1..100000], [1..100000]) })'],
  ['a sort that never settles', '$sort([1..900000], function($a, $b){ $sum([1..1000]) > 0 })'],
  ['an ordering of many by something slow', '[1..100000]^($sum([1..2000]))'],
  ['distinct over many different objects', '$distinct([1..200000].{"a": $})'],
  ['$string of many texts', '$string([1..1000].$$.text)'],
  ['$join of many texts', '$join([1..2000].$$.text)'],
  ['$replace that grows', '($f := function($s){ $f($replace($s, "a", "aaaaaaaaaa")) }; $f("a"))'],
  ['$split into single letters, again and again', '$map([1..100000], function(){ $count($split($$.text, "")) })'],
  ['$base64encode of its own result', '($f := function($s){ $f($base64encode($s)) }; $f("abc"))'],
  ['$merge of what grows', '($f := function($o, $n){ $f($merge([$o, {$string($n): $o}]), $n + 1) }; $f({}, 0))'],
  [
    '$spread of a large object, again and again',
    '($o := $merge([1..2000].{$string($): $}); $map([1..100000], function(){ $spread($o) }))',
  ],
  ['transformations of a large document', '$map([1..100000], function(){ $$ ~> |list|{"x": 1}| })'],
  [
    'a regular expression that backtracks',
    '$match($$.text, /^(a+)+$/)[0].x & $contains($$.text & "!", /^(a|aa)+$/) & $error()',
  ],
  [
    'a number picture of a thousand digits, again and again',
    '$map([1..1000000], function($i){ $formatNumber($i, "#,##0.00") })',
  ],
  [
    'dates, again and again',
    '$map([1..1000000], function($i){ $toMillis($fromMillis($i * 1000), "[Y]-[M]-[D]T[H]:[m]:[s].[f][Z]") })',
  ],
  ['Roman numerals beyond measure', '$formatInteger(1e300, "I")'],
  ['infinity in letters', '$formatInteger(1/0, "a")'],
  ['infinity with an exponent', '$formatNumber(1/0, "0.0e0")'],
  ['a year of a billion digits', '$fromMillis(0, "[Y,1000000000]")'],
  ['a picture that grows', '$formatNumber(1, $$.text)'],
  ['a date that could be read in many ways', '$toMillis($$.text & "!", "[FNn][MNn][FNn][MNn]")'],
];

const failureOf = (source: string): ExpressionFailure | undefined => {
  try {
    compile(source).evaluate({ ...many, ...wide });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ExpressionFailure) return thrown;
    throw thrown;
  }
};

describe('a runaway', () => {
  it.each(runaways)('is an error within a second: %s', (_what, source) => {
    const cost = startCost();
    const failure = failureOf(source);
    const tookMs = cost();
    expect(failure?.code).toMatch(/^expression_(?:limit|failed)$/);
    expect(tookMs).toBeLessThan(1000);
  });

  it('harms no other evaluation', () => {
    failureOf('($f := function(){ $f() }; $f())');
    expect(compile('1 + 1').evaluate({})).toBe(2);
  });
});

describe('patterns that make a backtracking engine explode', () => {
  const text = `${'a'.repeat(40)}!`;
  const patterns = String.raw`/^(a+)+$/ /^(a|a)*$/ /^(a|aa)+$/ /(a*)*b/ /^(?:a?){40}a{40}$/ /(x+x+)+y|(a+a+)+b/ /^(\w+\s?)*$/`;
  it.each(patterns.split(' '))('match in time: %s', (pattern) => {
    const cost = startCost();
    expect(compile(`$contains(text, ${pattern})`).evaluate({ text })).toBeTypeOf('boolean');
    expect(cost()).toBeLessThan(500);
  });

  it('are refused where no engine could bound them', () => {
    const compiled = compile('$contains(text, /^(a+)+(?=b)$/)');
    expect(() => compiled.evaluate({ text })).toThrow(
      expect.objectContaining({ jsonataCode: 'W0004', code: 'expression_limit' }),
    );
  });
});

describe('an expression that would explode while it is parsed', () => {
  it('is refused for its copies', () => {
    const source = `${'('.repeat(40)}a${' ?? 1)'.repeat(40)}`;
    expect(() => compile(source)).toThrow(expect.objectContaining({ jsonataCode: 'W0006' }));
  });

  it('is refused for its depth', () => {
    expect(() => compile(`${'['.repeat(200_000)}1`)).toThrow(expect.objectContaining({ jsonataCode: 'W0006' }));
  });
});
