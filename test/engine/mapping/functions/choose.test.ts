import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, engineNamed } from '../../../../src/engine/mapping/chosen-engine.ts';
import { compileExpression } from '../../../../src/engine/mapping/expression.ts';
import { Rejection, type Roots } from '../../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../../src/engine/mapping/source-text.ts';
import { LIBRARY } from '../../../../src/engine/mapping/functions/library.ts';
import { context, evaluate, misuseOf } from '../evaluating.ts';

const isNothing = (x: unknown): boolean =>
  x === null || x === '' || (typeof x === 'object' && Object.keys(x).length === 0);

describe('$list', () => {
  it('stays a list inside a constructed object', async () => {
    expect(await evaluate('{ "a": $list(x), "b": $list(y) }', { x: 1, y: [[2]] })).toEqual({ a: [1], b: [[2]] });
    expect(await evaluate('$list(null)')).toEqual([]);
  });
});

describe('$prune', () => {
  it('goes to every depth, and keeps false, 0 and bytes', async () => {
    const x = { a: [{ b: '' }, { c: [] }], d: { e: { f: null } }, g: false, h: 0, i: new Uint8Array([1]) };
    expect(await evaluate('$prune(x)', { x })).toEqual({ g: false, h: 0, i: new Uint8Array([1]) });
  });

  it('gives an empty map for nothing, an empty list for a list of nothing', async () => {
    expect(await evaluate('[$prune(nowhere), $prune(null)]')).toEqual([{}, {}]);
    expect(await evaluate('$prune(x)', { x: ['', null] })).toEqual([]);
  });

  it('is what a walk by the rules gives, and leaves what it was given as it was', () => {
    const walked = (x: unknown): unknown => {
      if (Array.isArray(x)) return x.map(walked).filter((each) => !isNothing(each));
      if (typeof x !== 'object' || x === null) return x;
      return Object.fromEntries(
        Object.entries(x).flatMap(([k, each]) => (isNothing(walked(each)) ? [] : [[k, walked(each)]])),
      );
    };
    const leaf = fc.constantFrom('', null, 0, false, 'x');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(fc.array(value), (x) => {
        const before = JSON.stringify(x);
        expect(JSON.stringify(LIBRARY.get('prune')?.call(context(), [x]))).toBe(JSON.stringify(walked(x)));
        expect(JSON.stringify(x)).toBe(before);
      }),
    );
  });

  it('ends where a value holds itself twice, again and again', async () => {
    const doublings = Array.from({ length: 60 }, (_, at) => `$v${at + 1} := {"a": $v${at}, "b": $v${at}};`).join(' ');
    expect(await misuseOf(`($v0 := {"x": 1}; ${doublings} $prune($v60))`)).toMatch(/./);
  });

  it.each(ENGINE_NAMES)('keeps the positions that a path binds (%s)', async (engine) => {
    const source = sourceText('test', '$prune({"rows": [rows#$i.{"i": $i, "t": t}]})');
    const rows = [{ t: '' }, { n: null }, { t: 'y' }];
    const pruned = await compileExpression(source, engineNamed(engine)).evaluate({ rows }, context());
    expect(pruned).toEqual({ rows: [{ i: 0 }, { i: 1 }, { i: 2, t: 'y' }] });
  });

  it('gives plain lists', async () => {
    const pruned = (await evaluate('$prune(rows.n)', { rows: [{ n: 1 }, { n: 2 }] })) as readonly unknown[];
    expect(Object.getPrototypeOf(pruned)).toBe(Array.prototype);
    expect(pruned).toEqual([1, 2]);
  });
});

describe('$table', () => {
  const tables = { codes: { a: 1, '': 'none' }, rest: { '*': 'rest' }, empty: { toString: 'row' } };
  const look = (expression: string) => evaluate(expression, {}, { tables });

  it('takes the row, then the rest, then what is said else', async () => {
    expect(await look("$table('codes', 'a', 9)")).toBe(1);
    expect(await look("$table('codes', nowhere)")).toBe('none');
    expect(await look("$table('rest', 'x', 9)")).toBe('rest');
    expect(await look("$table('codes', 'x', null)")).toBeNull();
    expect(await look("$table('codes', 'x', nowhere)")).toBeUndefined();
  });

  it('names table and key when there is nothing', async () => {
    await expect(look("$table('codes', 'x')")).rejects.toThrow(/'codes'.*'x'/);
    await expect(look("$table('none', 'x', 9)")).rejects.toThrow(/'none'/);
    await expect(look("$table('codes', 'toString')")).rejects.toThrow(/'toString'/);
  });
});

describe('$reject', () => {
  it('carries message and code', async () => {
    await expect(evaluate("$reject('over 25 kg', 'WEIGHT')")).rejects.toMatchObject({
      name: 'Rejection',
      message: 'over 25 kg',
      code: 'WEIGHT',
    });
    await expect(evaluate("$reject('over 25 kg')")).rejects.toThrow(Rejection);
  });
});

describe.each(ENGINE_NAMES)('$try by the engine %s', (name) => {
  const engine = engineNamed(name);
  const tried = async (text: string, roots: Roots = {}): Promise<unknown> =>
    await compileExpression(sourceText('test', text), engine).evaluate(roots, context());

  it.each([
    ["$try($number('ten'), 10)", 10],
    ["$try($number('9'), 10)", 9],
    ["$exists($try($number('ten')))", false],
    ["$try($number('ten'), $try($phone('x', 'DE', 'e164'), 'neither'))", 'neither'],
    ["$try('x' * 2, 'no product')", 'no product'],
    ["$try($uppercase({}), 'no text')", 'no text'],
    ["'ten' ~> $number() ~> $try(10)", 10],
    ["['1', 'two', '3'].$try($number($), 0)", [1, 0, 3]],
    ["$map(['1', 'two'], function($x) { $try($number($x), $x) })", [1, 'two']],
    ["($f := function($x) { $try($number($x), 0) }; $f('two'))", 0],
    ['order.$try($number(floor), note)', 'top'],
  ])('%s gives %j', async (text, value) => {
    expect(await tried(text, { order: { floor: 'five', note: 'top' } })).toEqual(value);
  });

  it('evaluates `else` only where it is needed, and what rejects there rejects', async () => {
    expect(await tried("$try($number('9'), $reject('no'))")).toBe(9);
    await expect(tried("$try($number('ten'), $reject('no'))")).rejects.toThrow(Rejection);
  });

  it.each(["$try($reject('no'), 1)", '$try(($f := function() { $f() + 1 }; $f()), 1)', '$try($nothing(1), 1)'])(
    'does not go on from %s',
    async (text) => {
      await expect(tried(text)).rejects.toThrow();
    },
  );
});
