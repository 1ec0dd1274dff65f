import { describe, expect, it } from 'vitest';
import { compile, type CompileOptions } from '../../../src/engine/jsonata/compile.ts';
import { ExpressionFailure } from '../../../src/engine/jsonata/failure.ts';
import { parse, startOfNode } from '../../../src/engine/jsonata/parse.ts';
import { survey } from '../../../src/engine/jsonata/scope.ts';

const failureOf = (source: string, input: unknown = {}, options: CompileOptions<never> = {}): ExpressionFailure => {
  try {
    compile(source, options).evaluate(input);
  } catch (thrown) {
    if (thrown instanceof ExpressionFailure) return thrown;
    throw thrown;
  }
  throw new Error(`${source} did not fail`);
};

const evaluate = (source: string, input: unknown = {}, bindings: Record<string, unknown> = {}): unknown =>
  compile(source).evaluate(input, bindings);

const siblingAssignments = (source: string) =>
  survey(parse(source)).siblingAssignments.map((sibling) => startOfNode(source, sibling));

describe('an expression', () => {
  it('gives plain arrays, whatever stood between', () => {
    const result = evaluate('{"a": items.x, "b": [items.x], "c": items[x > 1][]}', { items: [{ x: 1 }, { x: 2 }] });
    expect(result).toStrictEqual({ a: [1, 2], b: [1, 2], c: [{ x: 2 }] });
  });

  it('gives undefined for nothing', () => {
    expect(evaluate('missing.field')).toBeUndefined();
  });

  it.each([
    ['"x" + 1', 'T2001', 4, '+'],
    ['a.b + "x"', 'T2002', 4, '+'],
    ['   $number("x")', 'D3030', 3, 'number'],
    ['{"a": 1, "b": $uppercase(5)}', 'T0410', 14, 'uppercase'],
    ['"a" & (1/0)', 'D3001', 4, '&'],
    ['$nothing(1)', 'T1006', 0, 'nothing'],
    ['uppercase("a")', 'T1005', 0, 'uppercase'],
    ['[1] < 2', 'T2010', 4, '<'],
    ['items^(x)', 'T2007', 5, undefined],
    ['$map([1], function($v){ $v + "x" })', 'T2002', 27, '+'],
    ['(\n  $x := 1;\n  -"a"\n)', 'D1002', 15, '-'],
    ['{(5): 1}', 'T1003', 0, undefined],
  ])('fails with place and token: %s', (source, code, position, token) => {
    const failure = failureOf(source, { a: { b: 1 }, items: [{ x: 1 }, { x: 'a' }] });
    expect(failure).toMatchObject({ jsonataCode: code, code: 'expression_failed', position });
    if (token !== undefined) expect(failure.token).toBe(token);
  });

  it('calls custom functions with the context of the evaluation', () => {
    const compiled = compile<{ readonly prefix: string }>('$tag(name) & $twice(2) & $string($map([1, 2], $twice))', {
      functions: [
        { name: 'tag', call: (context, [text]) => context.prefix + String(text) },
        { name: 'twice', call: (_context, [value]) => Number(value) * 2 },
      ],
    });
    expect(compiled.evaluate({ name: 'x' }, {}, { prefix: 'p-' })).toBe('p-x4[2,4]');
    expect(compiled.evaluate({ name: 'y' }, {}, { prefix: 'q-' })).toBe('q-y4[2,4]');
  });

  it('lets a failure of a custom function through unchanged', () => {
    const own = new Error('mine');
    const call = () => {
      throw own;
    };
    const compiled = compile('{"a": $fail()}', { functions: [{ name: 'fail', call }] });
    expect(() => compiled.evaluate({})).toThrow(own);
  });

  it('may be evaluated inside its own evaluation', () => {
    const compiled: ReturnType<typeof compile<number>> = compile('$n < 3 ? [$n, $again($n + 1)] : [$n]', {
      functions: [{ name: 'again', call: (context, [n]) => compiled.evaluate({}, { n }, context) }],
    });
    expect(compiled.evaluate({}, { n: 0 }, 1)).toStrictEqual([0, 1, 2, 3]);
  });

  it('lets a binding take the place of a built-in function', () => {
    expect(evaluate('$uppercase("a")', {}, { uppercase: (text: string) => `<${text}>` })).toBe('<a>');
    expect(evaluate('items#$i.$uppercase(x)', { items: [{ x: 'a' }] }, { uppercase: () => 'b' })).toBe('b');
    expect(evaluate('$now', {}, { now: 'then' })).toBe('then');
  });

  it.each([
    [
      'items#$i.{"n": $i, "u": $uppercase(x)}',
      [
        { n: 0, u: 'A' },
        { n: 1, u: 'B' },
      ],
    ],
    ['($f := function($v){ $v * 2 }; items#$i.{"n": $f($i)})', [{ n: 0 }, { n: 2 }]],
    ['($k := 2; items#$i.{"n": function($v){ $v * $k + $i }(5)})', [{ n: 10 }, { n: 11 }]],
    ['($i := "around"; items#$i.{"n": $i})', [{ n: 0 }, { n: 1 }]],
    [
      'items#$sum.{"n": $sum, "m": $max([$sum, 1])}',
      [
        { n: 0, m: 1 },
        { n: 1, m: 1 },
      ],
    ],
    [
      'items#$i.{"all": [$$.items#$j.{"at": $i & $j & $string($i)}.at]}',
      [{ all: ['000', '010'] }, { all: ['101', '111'] }],
    ],
  ])('knows the number of an item, and all other names as they are around: %s', (source, expected) => {
    expect(evaluate(source, { items: [{ x: 'a' }, { x: 'b' }] })).toStrictEqual(expected);
  });

  it('takes clock and chance from outside', () => {
    const compiled = compile('[$now(), $millis(), $random()]', {
      clock: () => 86_400_000,
      random: () => 0.25,
    });
    expect(compiled.evaluate({})).toStrictEqual(['1970-01-02T00:00:00.000Z', 86_400_000, 0.25]);
  });

  it('never changes its input', () => {
    const input = Object.freeze({
      list: Object.freeze([]),
      a: Object.freeze({ b: 1 }),
      items: Object.freeze([3, 1, 2]),
    });
    expect(evaluate('list{"x": 1}', input)).toStrictEqual({ x: 1 });
    expect(evaluate('$ ~> |a|{"c": 2}, "b"|', input)).toStrictEqual({ list: [], a: { c: 2 }, items: [3, 1, 2] });
    expect(evaluate('$ ~> |$$.a|{"c": 2}|', input)).toStrictEqual({ list: [], a: { b: 1 }, items: [3, 1, 2] });
    expect(evaluate('$sort(items)', input)).toStrictEqual([1, 2, 3]);
    expect(evaluate('$reverse($append(items, 4))', input)).toStrictEqual([4, 2, 1, 3]);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'prototype', 'length', 'keep'])(
    'sees no %s that is not the data’s own',
    (name) => {
      expect(evaluate(name, { a: 1 })).toBeUndefined();
      expect(evaluate(`a.${name}`, { a: { b: 1 } })).toBeUndefined();
      expect(evaluate(`$.a.${name}.${name}`, { a: { b: 1 } })).toBeUndefined();
      expect(evaluate(`a.${name}`, { a: [1, 2] })).toBeUndefined();
      expect(evaluate(`(function($x){ $x }).${name}`)).toBeUndefined();
      expect(evaluate(`$lookup($, "${name}")`, { a: 1 })).toBeUndefined();
      if (name !== 'length') expect(evaluate(`$${name}`)).toBeUndefined();
    },
  );

  it('keeps __proto__ a key like any other', () => {
    const own = JSON.parse('{"__proto__": {"polluted": 1}}') as object;
    for (const source of ['{"__proto__": {"polluted": 1}}', '$merge([$])', '$ ~> |$|{"__proto__": {"polluted": 1}}|']) {
      const result = evaluate(source, own) as object;
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      expect(Object.keys(result)).toStrictEqual(['__proto__']);
    }
    expect(evaluate('$keys({"__proto__": 1})')).toBe('__proto__');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('does not take text of the source for code', () => {
    const nasty = '"];throw 1;//\u2028`${1}`\\';
    expect(evaluate(`{${JSON.stringify(nasty)}: \`a"];b\`}`, { 'a"];b': nasty })).toStrictEqual({ [nasty]: nasty });
    expect(evaluate(`$.\`'+process.exit()+'\``, {})).toBeUndefined();
    expect(evaluate('($`x := 1; 2)')).toBe(2);
  });

  it('has $eval switched off', () => {
    expect(failureOf('$eval("1")', {})).toMatchObject({ jsonataCode: 'W0005', position: 0 });
  });

  it('keeps to the limits it is given', () => {
    expect(failureOf('[1..11]', {}, { limits: { sequence: 10 } }).jsonataCode).toBe('D2015');
    expect(failureOf('$pad("", 11)', {}, { limits: { text: 10 } }).jsonataCode).toBe('W0002');
    expect(
      failureOf('($f := function($n){ $n = 0 ? 0 : 1 + $f($n - 1) }; $f(9))', {}, { limits: { depth: 5 } }).jsonataCode,
    ).toBe('D1011');
    expect(failureOf('[1..5000].($ + 1)', {}, { limits: { steps: 1000 } }).jsonataCode).toBe('W0001');
    expect(failureOf('[1..500000].($ + 1)', {}, { limits: { timeoutMs: 1 } }).jsonataCode).toBe('D1012');
    expect(failureOf('[1..1000]', {}, { limits: { allocation: 100 } }).jsonataCode).toBe('W0003');
  });
});

describe('syntax errors', () => {
  it.each([
    ['a +* b', 'S0201', 5],
    ['{"a": }', 'S0211', 6],
    ['(1', 'S0203', 2],
    ['"abc', 'S0101', 4],
    ['a.5', 'S0213', 2],
    ['$x = := 5', 'S0211', 5],
    ['/(/', 'S0302', 3],
    ['function(x){1}', 'S0208', 9],
  ])('have code and place: %s', (source, code, position) => {
    expect(failureOf(source)).toMatchObject({ jsonataCode: code, code: 'expression_syntax', position });
  });
});

describe('the survey of an expression', () => {
  it('points at siblings that depend on their order', () => {
    expect(siblingAssignments('[$x := 1, $x]')).toStrictEqual([1]);
    expect(siblingAssignments('[($x := 1; $x), 2]')).toStrictEqual([]);
    expect(compile('[$x := 1, $x]').evaluate({})).toStrictEqual([1, 1]);
  });
});
