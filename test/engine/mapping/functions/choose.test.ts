import { describe, expect, it } from 'vitest';
import { Rejection } from '../../../../src/engine/mapping/mapping.ts';
import { evaluate, misuseOf } from '../evaluating.ts';

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

  it('without a message is an error rather than no rejection', async () => {
    expect(await misuseOf('$reject(nowhere)')).toMatch(/needs message/);
  });
});

describe('$prune of a constructor, which is pruned as it is built', () => {
  const roots = {
    a: '',
    b: null,
    c: [1, '', null, { d: '' }, { d: 'x' }],
    e: { f: { g: '' }, h: 0 },
    rows: [{ n: 1, t: '' }, { n: null }, { t: 'y', u: ['z', ''] }],
    none: [],
  };
  it.each([
    '{"a": a, "b": b, "c": c, "e": e, "none": none, "missing": nowhere}',
    '{"list": [a, b, c, e], "made": [{"x": a}, {"x": c}], "nested": [[a], [b, 1]]}',
    '{"rows": [rows.{"n": n, "t": t, "u": u}], "plain": rows.{"n": n}, "lone": [rows[0].{"t": t}]}',
    '{"places": [$rows#$i.{"i": $i, "t": t}], "other": $rows#$i.{"i": $i}}',
    '{"if": e.h = 0 ? {"yes": a, "f": e.f} : "no", "block": ($x := a; {"x": $x, "y": e.h}), "empty": {}}',
    '{"__proto__": a, "constructor": {"toString": "x"}, "text": "", "zero": 0, "off": false, "null": null}',
    '[a, b, {"c": c}, rows.t, [], {}]',
    '{"none": a, "nothing": [{}]}',
  ])('%s', async (constructor) => {
    const whole = await evaluate(`($made := ${constructor}; $prune($made))`, roots);
    expect(await evaluate(`$prune(${constructor})`, roots)).toEqual(whole);
  });

  it('ends where a value holds itself twice, again and again', async () => {
    const doublings = Array.from({ length: 60 }, (_, at) => `$v${at + 1} := {"a": $v${at}, "b": $v${at}};`).join(' ');
    expect(await misuseOf(`($v0 := {"x": 1}; ${doublings} $prune($v60))`)).toMatch(/./);
  });

  it('gives plain lists', async () => {
    const pruned = (await evaluate('$prune(rows.n)', { rows: [{ n: 1 }, { n: 2 }] })) as readonly unknown[];
    expect(Object.getPrototypeOf(pruned)).toBe(Array.prototype);
    expect(pruned).toEqual([1, 2]);
  });
});
