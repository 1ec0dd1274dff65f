import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Roots } from '../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { compileTemplate, type TextPosition } from '../../../src/engine/mapping/template.ts';
import { compileTree } from '../../../src/engine/profile/compile/context.ts';
import { nodeOf } from '../../../src/engine/profile/tree.ts';
import { failureOf, context } from './evaluating.ts';

const compile = (text: string, position: TextPosition = 'text') =>
  compileTemplate(sourceText('carriers/acme.yaml', text, { line: 7, column: 10 }), position);
const fill = async (text: string, roots: Roots = {}, position: TextPosition = 'text'): Promise<unknown> =>
  await compile(text, position).evaluate(roots, context());
const refusal = (text: string, roots: Roots, position: TextPosition) => failureOf(() => fill(text, roots, position));

const url = (text: string, roots: Roots) => fill(text, roots, 'url');

describe('a text', () => {
  it('without ${ } is a constant', () => {
    const mapping = compile('plain $text {braces} 100% }');
    expect(mapping.constant).toBe(true);
    expect(mapping.evaluate({}, context())).toBe('plain $text {braces} 100% }');
  });

  it('holds a literal ${ as $${', async () => {
    expect(compile('costs $${x}').constant).toBe(true);
    expect(await fill('costs $${x} ${x}', { x: 5 })).toBe('costs ${x} 5');
    expect(await fill('$$${x}')).toBe('$${x}');
    expect(await fill('$')).toBe('$');
  });

  it.each([
    ['${ {"a": {"b": 1}}.a.b }', '1'],
    ['${ "}" & "{" }', '}{'],
    ['${ "\\"}" }', '"}'],
    ['${ `odd } name` }', 'odd'],
    ['${ /* not } here */ 1 }', '1'],
    ['${ $replace("a}b", /\\}/, "-") }', 'a-b'],
    ['${ $replace("a}b", /[\\}\\/]/, "-") }|${ 6 / 2 }', 'a-b|3'],
    ['${ (6) / 2 } } ${ 8 / 2 / 2 } }', '3 } 2 }'],
    ['${ and / 2 } }', '2 }'],
    ['${ [1..3][0] }${ $sum([1]) / 1 }', '11'],
  ])('%s gives %s: braces balance; texts, comments and regular expressions are skipped', async (text, filled) => {
    expect(await fill(text, { 'odd } name': 'odd', and: 4 })).toBe(filled);
  });

  it('writes numbers as JSONata does, and booleans as words', async () => {
    expect(await fill('${a}|${b}|${c}', { a: 0.1 + 0.2, b: true, c: 1e21 })).toBe('0.3|true|1e+21');
  });

  it('places an error in the expression, and an unclosed ${, in the file', async () => {
    const syntax = await failureOf(() => compile('ab\n  ${ x +  }'));
    expect(syntax).toMatchObject({ code: 'mapping_syntax', place: { file: 'carriers/acme.yaml', line: 8 } });
    const unclosed = await failureOf(() => compile('ab ${ x'));
    expect(unclosed).toMatchObject({ code: 'mapping_syntax', place: { line: 7, column: 13 } });
    expect(await failureOf(() => compile('ab ${ }'))).toMatchObject({ code: 'mapping_syntax' });
    const failing = await refusal('ab ${ 1 + "x" }', {}, 'text');
    expect(failing).toMatchObject({ code: 'mapping_failed', place: { line: 7, column: 18 } });
  });

  it('fails when a value is missing, null, or no text', async () => {
    expect((await refusal('a ${nowhere}', {}, 'text')).message).toContain('nowhere');
    expect((await refusal('${nowhere}', {}, 'text')).code).toBe('mapping_failed');
    expect((await refusal('a ${x}', { x: null }, 'text')).code).toBe('mapping_failed');
    expect((await refusal('a ${x}', { x: [1, 2] }, 'text')).message).toContain('a list');
    expect((await refusal('a ${x}', { x: { a: 1 } }, 'text')).message).toContain('a map');
  });
});

describe('a value', () => {
  it('keeps its type when it is one whole ${ }', async () => {
    expect(await fill('${x}', { x: 5 }, 'value')).toBe(5);
    expect(await fill('${x}', { x: { a: [1] } }, 'value')).toEqual({ a: [1] });
    expect(await fill('${x}', { x: null }, 'value')).toBeNull();
    expect(await fill('${x}', {}, 'value')).toBeUndefined();
  });

  it('is a text when there is more around', async () => {
    expect(await fill(' ${x}', { x: 5 }, 'value')).toBe(' 5');
    expect((await refusal(' ${x}', {}, 'value')).code).toBe('mapping_failed');
  });
});

describe('a header', () => {
  it('is left out when it is one whole ${ } without a value, and fails with more around', async () => {
    expect(await fill('${x}', {}, 'header')).toBeUndefined();
    expect(await fill('${x}', { x: null }, 'header')).toBeUndefined();
    expect((await refusal('Bearer ${x}', {}, 'header')).code).toBe('mapping_failed');
  });

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\u0000b', 'Łódź', '😀', '\u007F'])('refuses %j', async (x) => {
    expect((await refusal('${x}', { x }, 'header')).message).toMatch(/header cannot carry/);
    expect((await failureOf(() => compile(x, 'header'))).code).toBe('mapping_syntax');
  });

  it('carries Latin-1', async () => {
    expect(await fill('${x}', { x: 'Zürich\tä' }, 'header')).toBe('Zürich\tä');
  });
});

describe('a query value', () => {
  it('is left out when it has no value, and not encoded here', async () => {
    expect(await fill('${x}', {}, 'query')).toBeUndefined();
    expect(await fill('a ${x}', { x: 'b&c=ü' }, 'query')).toBe('a b&c=ü');
    expect(await fill('${x}', { x: ['T1', 2] }, 'query')).toEqual(['T1', '2']);
  });
});

describe('a URL', () => {
  it('encodes each value, the slash too', async () => {
    expect(await url('/orders/${x}/label', { x: 'a/b c?d#e%ü' })).toBe('/orders/a%2Fb%20c%3Fd%23e%25%C3%BC/label');
    expect(await url('/orders?id=${x}&n=${y}', { x: "a&b='*", y: 2 })).toBe('/orders?id=a%26b%3D%27%2A&n=2');
  });

  it('takes a ${ } at its beginning as it is', async () => {
    expect(await url('${x}', { x: 'https://a.example/l?t=1' })).toBe('https://a.example/l?t=1');
    expect(await url('${x}/labels/${y}', { x: 'https://a.example/v1', y: 'a/b' })).toBe(
      'https://a.example/v1/labels/a%2Fb',
    );
  });

  it('refuses a missing or empty value, in the query too', async () => {
    for (const text of ['/a/${x}', '/a?b=${x}', '${x}']) {
      expect((await refusal(text, {}, 'url')).code).toBe('mapping_failed');
      expect((await refusal(text, { x: '' }, 'url')).code).toBe('mapping_failed');
    }
  });

  it.each(['https://${x}.example/a', 'https://api.${x}/a', 'https://api.example:${x}/'])(
    '%s is refused: a host holds no value',
    async (text) => {
      expect(await failureOf(() => compile(text, 'url'))).toMatchObject({ code: 'mapping_syntax', place: { line: 7 } });
    },
  );

  it('refuses a second value that would continue the host', async () => {
    expect((await refusal('${x}${y}', { x: 'https://api.example', y: '.evil.example' }, 'url')).message).toMatch(
      /host/,
    );
  });

  it.each(['.', '..'])('refuses the value %j as a path segment, which encoding would not stop', async (x) => {
    expect((await refusal('/orders/${x}/label', { x }, 'url')).message).toMatch(/dots/);
    expect((await refusal('/orders/${x}', { x }, 'url')).message).toMatch(/dots/);
    expect(await url('/orders/v${x}2', { x })).toBe(`/orders/v${x}2`);
    expect(await url('/orders?v=${x}', { x })).toBe(`/orders?v=${x}`);
  });

  it('never lets a value out of its place, whatever it holds', async () => {
    const template = compile('https://api.example/a/${x}/b?c=${x}&d=1', 'url');
    const values = fc.string({ minLength: 1, unit: 'binary' }).filter((x) => x.isWellFormed() && !/^\.{1,2}$/.test(x));
    await fc.assert(
      fc.asyncProperty(values, async (x) => {
        const filled = (await template.evaluate({ x }, context())) as string;
        expect(filled).toMatch(/^[\w\-.~%:/?=&]+$/);
        const parsed = new URL(filled);
        expect(parsed.host).toBe('api.example');
        expect(parsed.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', x, 'b']);
        expect([...parsed.searchParams]).toEqual([
          ['c', x],
          ['d', '1'],
        ]);
      }),
    );
  });

  it('refuses half of a surrogate pair', async () => {
    expect((await refusal('/a/${x}', { x: '\uD800' }, 'url')).code).toBe('mapping_failed');
  });
});

describe('the URL of an environment', () => {
  it('may hold values that are labels of its host', async () => {
    const text = 'https://api.${$lowercase(settings.country)}.example/v1';
    expect(await fill(text, { settings: { country: 'NL' } }, 'base')).toBe('https://api.nl.example/v1');
    for (const country of ['evil.example/', 'a.b', 'a@b', 'a:80', '-a', 'ä']) {
      expect((await refusal(text, { settings: { country } }, 'base')).message).toMatch(/host name/);
    }
  });
});

const build = async (tree: unknown, roots: Roots): Promise<unknown> =>
  await compileTree(nodeOf(tree)).evaluate(roots, context());

describe('a tree', () => {
  it('fills its texts and keeps everything else', async () => {
    const tree = { url: '${webhook.url}', enabled: true, events: ['*', '${kind}'], depth: { n: 1, none: null } };
    expect(await build(tree, { webhook: { url: 'https://w.example' }, kind: 'all' })).toEqual({
      url: 'https://w.example',
      enabled: true,
      events: ['*', 'all'],
      depth: { n: 1, none: null },
    });
  });

  it('leaves out a key and an element whose one whole ${ } has no value, and keeps null', async () => {
    expect(await build({ a: '${x}', b: '${y}', c: ['${x}', 1] }, { y: null })).toEqual({ b: null, c: [1] });
  });

  it('fails when there is more around a missing value', async () => {
    expect((await failureOf(() => build({ a: ['no ${x}'] }, {}))).code).toBe('mapping_failed');
  });

  it('keeps the type of a value that stands alone', async () => {
    expect(await build({ a: '${x}', b: '${x} kg' }, { x: 2 })).toEqual({ a: 2, b: '2 kg' });
  });

  it('without any ${ } is a constant that nobody can change', () => {
    const mapping = compileTree(nodeOf({ a: [{ b: '$${' }] }));
    expect(mapping.constant).toBe(true);
    const value = mapping.evaluate({}, context()) as { a: { b: string }[] };
    expect(value).toEqual({ a: [{ b: '${' }] });
    expect(() => value.a.push({ b: '' })).toThrow(TypeError);
  });

  it('writes text inside text where the tree says so, never where a value does', async () => {
    const free = { '#json': { a: 1 }, b: [{ '#xml': { 'a b': 1 } }] };
    const tree = {
      json: { '#json': { o: '${free}', inner: { '#json': ['${quote}', null] } } },
      xml: { '@kind': 'x', '#xml': { o: { '@id': '${id}' } } },
      fixed: { '#json': [1] },
      none: { '#json': '${missing}' },
      free: '${free}',
    };
    expect(await build(tree, { free, quote: '"', id: 7 })).toEqual({
      json: JSON.stringify({ o: free, inner: '["\\"",null]' }),
      xml: { '@kind': 'x', '#text': '<o id="7"/>' },
      fixed: '[1]',
      free,
    });
  });

  it('holds two levels of text inside text at most, and no more than 20 MB of one', async () => {
    const deep = { '#json': [{ '#json': [{ '#xml': { a: 1 } }] }] };
    expect(await failureOf(() => build(deep, {}))).toMatchObject({ code: 'mapping_syntax', message: /2 levels/ });
    const twice = { a: { '#json': [{ '#json': ['${text}'] }] } };
    const failure = await failureOf(() => build(twice, { text: '"'.repeat(5_000_000) }));
    expect(failure).toMatchObject({ code: 'body_too_large', place: { line: 1 } });
    expect((await failureOf(() => build({ '#xml': '${o}' }, { o: { 'a b': 1 } }))).code).toBe('body_not_encodable');
    expect((await failureOf(() => build('${$toXml({ "a": text })}', { text: '&'.repeat(4_100_000) }))).message).toMatch(
      /\$toXml.*20000000 bytes/,
    );
  });

  it('treats __proto__ as a key', async () => {
    const built = await build(JSON.parse('{"__proto__":"${x}"}'), { x: { admin: true } });
    expect(Object.keys(built as object)).toEqual(['__proto__']);
    expect((built as Record<string, unknown>)['admin']).toBeUndefined();
  });
});
