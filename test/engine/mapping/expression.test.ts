import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, engineNamed } from '../../../src/engine/mapping/chosen-engine.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { DrawNeeded, Rejection, type Roots } from '../../../src/engine/mapping/mapping.ts';
import { sliceOf, sourceText } from '../../../src/engine/mapping/source-text.ts';
import { failureOf, context } from './evaluating.ts';

describe.each(ENGINE_NAMES)('by the engine %s', (name) => {
  const engine = engineNamed(name);
  const compile = (text: string) => compileExpression(sourceText('mappings/acme/order.jsonata', text), engine);
  const evaluate = async (text: string, roots: Roots = {}): Promise<unknown> =>
    await compile(text).evaluate(roots, context());
  const syntaxOf = (text: string) => failureOf(() => compile(text));
  const failing = (text: string, roots: Roots = {}) => failureOf(() => evaluate(text, roots));

  describe('an expression', () => {
    it('sees its roots as fields of the document and as variables', async () => {
      const roots = { settings: { account: '7' }, consignment: { itemList: [{ itemWeight: 2 }] } };
      expect(await evaluate('settings.account', roots)).toBe('7');
      expect(await evaluate('[consignment.itemList.{ "w": itemWeight, "a": $settings.account }]', roots)).toEqual([
        { w: 2, a: '7' },
      ]);
    });

    it('yields plain lists and maps, and undefined for nothing', async () => {
      expect(await evaluate('nowhere.at.all')).toBeUndefined();
      const list = (await evaluate('x.y', { x: [{ y: 1 }, { y: 2 }] })) as unknown[];
      expect(Object.keys(list)).toEqual(['0', '1']);
    });

    it('knows its text and place', () => {
      const source = sourceText('carriers/acme.yaml', 'a:\n  when: x = 1');
      expect(compileExpression(sliceOf(source, 11, 16), engine)).toMatchObject({
        text: 'x = 1',
        place: { file: 'carriers/acme.yaml', line: 2, column: 9 },
        constant: false,
      });
    });

    it('leaves its input as it was, even where JSONata would change it', async () => {
      const roots = { items: [], deep: { list: [{ a: 1 }] } };
      const before = structuredClone(roots);
      await evaluate(
        '{ "a": items{"x": 1}, "b": deep.list[], "c": $sort(deep.list, function($l, $r) { $l.a > $r.a }) }',
        roots,
      );
      expect(roots).toEqual(before);
    });

    it('takes frozen input', async () => {
      expect(await evaluate('items{"x": 1}', Object.freeze({ items: Object.freeze([]) }))).toBeDefined();
    });

    it('calls the functions of the language, also through ~>, higher-order functions and partial application', async () => {
      expect(await evaluate("'' ~> $first('b')")).toBe('b');
      expect(await evaluate("$map(['a', ''], function($x) { $first($x, 'none') })")).toEqual(['a', 'none']);
      expect(await evaluate("$map(['a', 'b'], $list)")).toEqual([['a'], ['b']]);
      expect(await evaluate("($or := $first(?, 'none'); $or(''))")).toEqual('none');
    });
  });

  describe('a text that is no expression', () => {
    it('fails with the place of the token that is wrong', async () => {
      const failure = await syntaxOf('{\n  "a": consignment.city,\n  "b" consignment.zip\n}');
      expect(failure.code).toBe('mapping_syntax');
      expect(failure.place).toEqual({ file: 'mappings/acme/order.jsonata', line: 3, column: 7 });
    });

    it.each([
      ['(1 + ', 1, 6],
      ['"open', 1, 6],
      ['a.\n  )', 2, 3],
      ['a b', 1, 3],
      ['a /* open', 1, 3],
    ])('%j is refused at %i:%i', async (text, line, column) => {
      expect((await syntaxOf(text)).place).toMatchObject({ line, column });
    });

    it.each(['$now()', '$millis()', '$random()', '$eval("1")', '$map([1], $random)', '$shuffle([1, 2])', '$now(?)'])(
      '%s is refused, with the reason',
      async (text) => {
        const failure = await syntaxOf(`{ "a": ${text} }`);
        expect(failure.code).toBe('mapping_syntax');
        expect(failure.message).toMatch(/refused/);
        expect(failure.help).toBeTruthy();
      },
    );

    it.each([
      ['#xml', '$toXml', '{ "a": { "#xml": b } }'],
      ['#json', '$string', 'a{ "#json": b }'],
    ])('%s as a key is refused, for %s is what writes text inside text here', async (key, name, text) => {
      const { code, help, place } = await syntaxOf(text);
      expect([code, help, place?.column]).toEqual(['mapping_syntax', expect.stringContaining(name), text.indexOf(key)]);
    });

    it('lets $now stand for the root, and for nothing where there is no such root', async () => {
      expect(await evaluate('{ "at": $now }', { now: '2026-03-02T12:00:00Z' })).toEqual({ at: '2026-03-02T12:00:00Z' });
      expect(await evaluate('$now')).toBeUndefined();
    });
  });

  describe('an evaluation that fails', () => {
    it('says why in plain words, with the code of JSONata and the place of the token', async () => {
      const failure = await failing('{\n  "total": 1,\n  "sum": consignment.totalWeight + 1\n}', {
        consignment: { totalWeight: 'much' },
      });
      expect(failure.code).toBe('mapping_failed');
      expect(failure.message).toMatch(/left side.*number.*\+.*T2001/);
      expect(failure.place).toEqual({ file: 'mappings/acme/order.jsonata', line: 3, column: 34 });
    });

    it('places an error of a function at the name of the function', async () => {
      expect((await failing('  $uppercase(1)')).place).toMatchObject({ line: 1, column: 3 });
      expect((await failing("[1,\n $table('none', 'a')]")).place).toMatchObject({ line: 2, column: 2 });
    });

    it('does not repeat a value, which may be a secret', async () => {
      const failure = await failing('$number(credentials.key)', { credentials: { key: 'hunter2hunter2' } });
      expect(failure.describe()).not.toContain('hunter2');
    });

    it('passes on what $error says', async () => {
      expect((await failing("$error('no depot for this country')")).message).toContain('no depot for this country');
    });

    it('refuses a function as its result', async () => {
      expect((await failing('$sum')).message).toMatch(/function/);
      expect((await failing('function($x) { $x }')).message).toMatch(/function/);
    });

    it('ends a recursion and a loop without an end', async () => {
      expect((await failing('($f := function($x) { 1 + $f($x) }; $f(1))')).message).toMatch(/D1011/);
      expect((await failing('($f := function($x) { $f($x) }; $f(1))')).message).toMatch(/D1012|more steps/);
    });

    it('is a placed failure even when something broke that should not', async () => {
      const broken = context({
        drawn: () => {
          throw new TypeError('hunter2hunter2');
        },
      });
      const failure = await failureOf(() => compile('$uuid()').evaluate({}, broken));
      expect(failure).toMatchObject({ code: 'mapping_failed', place: { line: 1 } });
      expect(failure.describe()).not.toContain('hunter2');
    });

    it('passes a rejection and the wish for a draw through as they are', async () => {
      await expect(evaluate("{ 'a': [$reject('over 25 kg', 'WEIGHT')] }")).rejects.toThrow(Rejection);
      const drawing = {
        drawn: () => {
          throw new DrawNeeded({ kind: 'uuid', name: '', options: {} });
        },
      };
      const mapping = compile('{ "a": $uuid() }');
      await expect((async () => await mapping.evaluate({}, context(drawing)))()).rejects.toThrow(DrawNeeded);
    });
  });
});
