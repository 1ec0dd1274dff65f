import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { CodecName } from '../../../src/engine/codecs/codec.ts';
import { bodyOf, type WithBody } from '../../../src/workbench/cases/bodies.ts';
import { compareBodies, type ComparedBody } from '../../../src/workbench/cases/compare-bodies.ts';
import { shownDifferences } from './running.ts';

const wire = (text: string, contentType?: string): ComparedBody => ({ bytes: Buffer.from(text), contentType });
const compare = (codec: CodecName, expected: string, seen: string) => compareBodies(codec, wire(expected), wire(seen));
const written = (held: WithBody): ComparedBody => bodyOf(held, () => undefined)!;

const body = (boundary: string, parts: readonly string[]): ComparedBody =>
  wire(
    [...parts.map((part) => `--${boundary}\r\n${part}\r\n`), `--${boundary}--`].join(''),
    `multipart/form-data; boundary=${boundary}`,
  );
const part = (name: string, type: string, content: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}`;

const envelopeOf = (content: string): string =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${content}</e:Body></e:Envelope>`;

const order = (id: string): string =>
  `<?xml version="1.0"?>\n<a:order xmlns:a="urn:a" id="${id}"> <a:to>X</a:to> </a:order>`;
const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const inPart = (text: string): ComparedBody => body('one', [`Content-Disposition: form-data; name="o"\r\n\r\n${text}`]);

const list = (from: number): string => JSON.stringify(Array.from({ length: 500 }, (_, at) => at + from));
const envelope = (id: number) => ({
  soap: { namespaces: { s: 'urn:s' }, body: { 's:order': { id } } },
});

describe('bodies are equal', () => {
  const xml = '<?xml version="1.0"?>\n<a:x xmlns:a="urn:a" p="1" a:q="2">\n  <a:y>1 &lt; 2</a:y>\n  <z/>\n</a:x>';
  const same = '<x xmlns="urn:a" xmlns:k="urn:a" k:q="2" p="1"><!-- c --><y><![CDATA[1 < 2]]></y><z xmlns=""></z></x>';
  test.each<[CodecName, string, string, string]>([
    [
      'json',
      'whatever the layout and the order of keys',
      '{"a":1,"b":[{"c":null}]}',
      '{ "b": [ {"c": null} ], "a": 1.0 }',
    ],
    ['xml', 'whatever the layout, the prefixes, the comments and the order of attributes', xml, same],
    ['form', 'whatever the order of different fields, escapes undone', 'a=1&b=x%20y&a=2', 'a=1&a=2&b=x+y'],
    ['text', 'but for a last line break and the kind of all', 'a\r\nb\n', 'a\nb'],
    ['binary', 'byte by byte', 'abc', 'abc'],
    ['none', 'where the body does not matter', 'a', 'b'],
  ])('%s: %s', (codec, _, expected, seen) => expect(compare(codec, expected, seen)).toEqual([]));
});

describe('each place that differs is named', () => {
  test.each<[CodecName, string, string, string, string]>([
    ['json', 'types differ, and null is not nothing', '{"a":1,"c":null}', '{"a":"1"}', 'a: 1 → "1" | c: null → -'],
    ['json', 'lists in order', '{"b":["x","y"]}', '{"b":["x"]}', 'b[1]: "y" → -'],
    ['json', 'maps inside', '{"d":{"e":1}}', '{"d":{"e":2,"f":3}}', 'd.e: 1 → 2 | d.f: - → 3'],
    ['xml', 'the namespace', '<a:x xmlns:a="urn:a"/>', '<a:x xmlns:a="urn:b"/>', 'x: "{urn:a}x" → "{urn:b}x"'],
    ['xml', 'attributes', '<a><c j="1">z</c></a>', '<a><c>z</c></a>', 'a/c/@j: "1" → -'],
    [
      'xml',
      'texts and repeated elements',
      '<a><b i="1">x</b><b>y</b></a>',
      '<a><b i="2">x</b><b>Y</b></a>',
      'a/b[1]/@i: "1" → "2" | a/b[2]: "y" → "Y"',
    ],
    ['xml', 'a missing element, once', '<a><b/><c>1</c><d/></a>', '<a><b/><d/></a>', 'a/c: "<c>1" → -'],
    ['xml', 'another one, once', '<a><b/><d/></a>', '<a><b/><c><e/></c><d/></a>', 'a/c: - → "<c>…"'],
    ['xml', 'the order', '<a><b/><c/></a>', '<a><c/><b/></a>', 'a/b: "<b>" → - | a/b[2]: - → "<b>"'],
    ['xml', 'white space in it', '<a><b>x y</b></a>', '<a><b>x  y</b></a>', 'a/b: "x y" → "x  y"'],
    ['form', 'repeats in order', 'a=1&a=2&b=', 'a=2&a=1', 'a[0]: "1" → "2" | a[1]: "2" → "1" | b: "" → -'],
    ['text', 'the whole', 'a', 'b', ': "a" → "b"'],
    ['binary', 'from where', 'ab', 'abc', ': "2 bytes, from byte 2: the end" → "3 bytes, from byte 2: 63"'],
  ])('%s: %s', (codec, _, expected, seen, differences) => {
    expect(shownDifferences(compare(codec, expected, seen))).toBe(differences);
  });

  it('at most a hundred times', () => {
    expect(compare('json', list(0), list(1))).toHaveLength(100);
  });

  it('as a whole where a side cannot be read', () => {
    expect(shownDifferences(compare('json', '{}', '<html>'))).toMatch(
      /^: "a body that reads as json" → "does not read as json: is not JSON/,
    );
  });
});

describe('multipart', () => {
  it('compares part by part, each in its own codec, whatever the boundary', () => {
    const [json, xml] = [part('j', 'application/json', '{"a":1,"b":2}'), part('x', 'text/xml', '<a> <b/> </a>')];
    const other = [part('x', 'text/xml', '<a><b></b></a>'), part('j', 'application/json', '{"b":2,"a":1}')];
    expect(compareBodies('multipart', body('one', [json, xml]), body('two', other))).toEqual([]);
  });

  it('names the part and the place in it', () => {
    const json = (value: number) => part('j', 'application/json', `{"a":${value}}`);
    const pdf = (content: string) => part('f', 'application/pdf', content);
    const expected = body('one', [json(1), pdf('abc'), part('g', 'text/plain', 'x')]);
    const seen = body('one', [json(2), pdf('abX'), part('f', 'text/plain', '')]);
    expect(shownDifferences(compareBodies('multipart', expected, seen))).toBe(
      'j.a: 1 → 2 | f: "3 bytes, from byte 2: 63" → "3 bytes, from byte 2: 58" | g: "a part" → - | f[1]: - → "a part"',
    );
  });
});

describe('what an author wrote is compared with what went out', () => {
  const sent = wire(
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><order xmlns="urn:s"><id xmlns="">2</id></order></e:Body></e:Envelope>',
  );
  const parts = { a: 1, f: { filename: 'f.json', contentType: 'application/json', content: { x: [1] } } };
  const form = body('other', [
    'Content-Disposition: form-data; name="a"\r\n\r\n1',
    'Content-Disposition: form-data; name="f"; filename="f.json"\r\nContent-Type: application/json\r\n\r\n{"x": [1]}',
  ]);
  test.each<[CodecName, WithBody, ComparedBody]>([
    ['json', { json: { a: 1, b: undefined } }, wire('{"a":1}')],
    ['soap', envelope(2), sent],
    ['multipart', { multipart: parts }, form],
    ['binary', { base64: 'YWJj' }, wire('abc')],
  ])('%s', (codec, held, seen) => expect(compareBodies(codec, written(held), seen)).toEqual([]));

  it('and differs where it does', () =>
    expect(shownDifferences(compareBodies('soap', written(envelope(3)), sent))).toBe(
      'Envelope/Body/order/id: "3" → "2"',
    ));

  it('and is named where it cannot be written', () =>
    expect(() => written({ json: { a: Number.NaN } })).toThrow(/^a: /));
});

describe('a text that is XML or JSON is compared by what it means, wherever it stands', () => {
  const same = '<order id="1" xmlns="urn:a"><to>X</to></order>';
  const field = (text: string) => wire(new URLSearchParams({ xml: text }).toString());
  const inner = { order: { '@xmlns': 'urn:a', '@id': 1, to: 'X' } };
  test.each<[string, CodecName, ComparedBody, ComparedBody, ComparedBody, string]>([
    ['a field of a form', 'form', field(same), field(order('1')), field(order('2')), 'xml.order/@id: "1" → "2"'],
    ['a part', 'multipart', inPart(same), inPart(order('1')), inPart(order('2')), 'o.order/@id: "1" → "2"'],
    [
      'an element',
      'xml',
      wire(`<r><d>${escaped(same)}</d></r>`),
      wire(`<r><d><![CDATA[${order('1')}]]></d></r>`),
      wire(`<r><d><![CDATA[${order('2')}]]></d></r>`),
      'r/d.order/@id: "1" → "2"',
    ],
    [
      'JSON in JSON',
      'json',
      wire(JSON.stringify({ p: '{"a":1,"b":[2]}' })),
      wire(JSON.stringify({ p: '{ "b": [2], "a": 1 }' })),
      wire(JSON.stringify({ p: '{"b":[3],"a":1}' })),
      'p.b[0]: 2 → 3',
    ],
    [
      'a structure in a form',
      'form',
      written({ form: { xml: { '#xml': inner } } }),
      field(order('1')),
      field(order('2')),
      'xml.order/@id: "1" → "2"',
    ],
    [
      'a structure in a part',
      'multipart',
      written({ multipart: { o: { content: { '#json': { a: [1] } } } } }),
      inPart('{ "a": [ 1 ] }'),
      inPart('{"a":[2]}'),
      'o.a[0]: 1 → 2',
    ],
    [
      'a structure in an element',
      'soap',
      written({ soap: { body: { d: { '@kind': 'x', '#xml': inner } } } }),
      wire(envelopeOf(`<d kind="x">${escaped(order('1'))}</d>`)),
      wire(envelopeOf(`<d kind="x">${escaped(order('2'))}</d>`)),
      'Envelope/Body/d.order/@id: "1" → "2"',
    ],
  ])('%s', (_, codec, expected, alike, other, differences) => {
    expect(compareBodies(codec, expected, alike)).toEqual([]);
    expect(shownDifferences(compareBodies(codec, expected, other))).toBe(differences);
  });

  it('but XML is not JSON, and text that is neither is compared as it stands', () => {
    expect(compareBodies('form', field('{"a":1}'), field('<a>1</a>'))).toHaveLength(1);
    expect(compareBodies('form', field('<a> x'), field('<a>x'))).toHaveLength(1);
  });
});

it('finds no difference between a value and itself, and one where a value was changed', () => {
  const value = fc
    .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), { minKeys: 1 })
    .filter((map) => !JSON.stringify(map).includes('__proto__'));
  fc.assert(
    fc.property(value, (map) => {
      const key = Object.keys(map)[0]!;
      const own = written({ json: map });
      expect(compareBodies('json', own, wire(JSON.stringify(map, null, 2)))).toEqual([]);
      expect(compareBodies('json', own, written({ json: { ...map, [key]: { changed: map[key] } } }))).not.toEqual([]);
    }),
    { numRuns: 200 },
  );
});
