import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodecName } from '../../../src/engine/codecs/codec.ts';
import { compareBodies, type ComparedBody } from '../../../src/workbench/cases/compare-bodies.ts';

const wire = (text: string, contentType?: string): ComparedBody => ({ bytes: Buffer.from(text), contentType });
const compare = (codec: CodecName, expected: string, actual: string): unknown =>
  compareBodies(codec, wire(expected), wire(actual));

const list = (from: number): string => JSON.stringify(Array.from({ length: 500 }, (_, at) => at + from));
const body = (boundary: string, parts: readonly string[]): ComparedBody =>
  wire(
    [...parts.map((part) => `--${boundary}\r\n${part}\r\n`), `--${boundary}--`].join(''),
    `multipart/form-data; boundary=${boundary}`,
  );
const part = (name: string, type: string, content: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}`;

describe('JSON', () => {
  it('is equal whatever the layout and the order of keys', () => {
    expect(compare('json', '{"a":1,"b":[{"c":null}]}', '{ "b": [ {"c": null} ], "a": 1.0 }')).toEqual([]);
  });

  it('names each place that differs, and does not take text for numbers or null for nothing', () => {
    expect(
      compare('json', '{"a":1,"b":["x","y"],"c":null,"d":{"e":1}}', '{"a":"1","b":["x"],"d":{"e":2,"f":3}}'),
    ).toEqual([
      { path: 'a', expected: 1, actual: '1' },
      { path: 'b[1]', expected: 'y', actual: undefined },
      { path: 'c', expected: null, actual: undefined },
      { path: 'd.e', expected: 1, actual: 2 },
      { path: 'd.f', expected: undefined, actual: 3 },
    ]);
  });

  it('compares a value with bytes as if it had been sent', () => {
    expect(compareBodies('json', { value: { a: 1, b: undefined } }, wire('{"a":1}'))).toEqual([]);
  });

  it('says which side cannot be read', () => {
    expect(compare('json', '{}', '<html>')).toEqual([
      {
        path: '',
        expected: 'a body that reads as json',
        actual: expect.stringMatching(/^does not read as json: is not JSON/),
      },
    ]);
    expect(compareBodies('json', { value: { a: Number.NaN } }, wire('{}'))).toMatchObject([
      { expected: expect.stringContaining('a: ') },
    ]);
  });

  it('stops after a hundred differences', () => {
    expect(compare('json', list(0), list(1))).toHaveLength(100);
  });
});

describe('XML', () => {
  it('is equal whatever the layout, the prefixes, the comments and the order of attributes', () => {
    const expected =
      '<?xml version="1.0"?>\n<a:x xmlns:a="urn:a" p="1" a:q="2">\n  <a:y>1 &lt; 2</a:y>\n  <z/>\n</a:x>';
    const actual =
      '<x xmlns="urn:a" xmlns:k="urn:a" k:q="2" p="1"><!-- c --><y><![CDATA[1 < 2]]></y><z xmlns=""></z></x>';
    expect(compare('xml', expected, actual)).toEqual([]);
  });

  it('sees another namespace behind the same prefix', () => {
    expect(compare('xml', '<a:x xmlns:a="urn:a"/>', '<a:x xmlns:a="urn:b"/>')).toEqual([
      { path: 'x', expected: '{urn:a}x', actual: '{urn:b}x' },
    ]);
  });

  it('names texts, attributes and repeated elements that differ', () => {
    expect(
      compare('xml', '<a><b i="1">x</b><b>y</b><c j="1">z</c></a>', '<a><b i="2">x</b><b>Y</b><c>z</c></a>'),
    ).toEqual([
      { path: 'a/b[1]/@i', expected: '1', actual: '2' },
      { path: 'a/b[2]', expected: 'y', actual: 'Y' },
      { path: 'a/c/@j', expected: '1', actual: undefined },
    ]);
  });

  it('reports one missing or additional element as one difference', () => {
    expect(compare('xml', '<a><b/><c>1</c><d/></a>', '<a><b/><d/></a>')).toEqual([
      { path: 'a/c', expected: '<c>1', actual: undefined },
    ]);
    expect(compare('xml', '<a><b/><d/></a>', '<a><b/><c><e/></c><d/></a>')).toEqual([
      { path: 'a/c', expected: undefined, actual: '<c>…' },
    ]);
  });

  it('sees the order of elements', () => {
    expect(compare('xml', '<a><b/><c/></a>', '<a><c/><b/></a>')).not.toEqual([]);
  });

  it('sees white space that is content', () => {
    expect(compare('xml', '<a><b>x y</b></a>', '<a><b>x  y</b></a>')).toEqual([
      { path: 'a/b', expected: 'x y', actual: 'x  y' },
    ]);
  });
});

describe('SOAP', () => {
  it('compares what an author wrote with the envelope that went out', () => {
    const options = { namespaces: { s: 'urn:s' } };
    const sent = wire(
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><order xmlns="urn:s"><id xmlns="">2</id></order></e:Body></e:Envelope>',
    );
    expect(compareBodies('soap', { value: { body: { 's:order': { id: 2 } } }, options }, sent)).toEqual([]);
    expect(compareBodies('soap', { value: { body: { 's:order': { id: 3 } } }, options }, sent)).toEqual([
      { path: 'Envelope/Body/order/id', expected: '3', actual: '2' },
    ]);
  });
});

describe('forms', () => {
  it('compare field by field, repeats in order, escapes undone', () => {
    expect(compare('form', 'a=1&b=x%20y&a=2', 'a=1&a=2&b=x+y')).toEqual([]);
    expect(compare('form', 'a=1&a=2&b=', 'a=2&a=1')).toEqual([
      { path: 'a[0]', expected: '1', actual: '2' },
      { path: 'a[1]', expected: '2', actual: '1' },
      { path: 'b', expected: '', actual: undefined },
    ]);
  });
});

describe('multipart', () => {
  it('compares part by part, each in its own codec, whatever the boundary', () => {
    const expected = body('one', [
      part('j', 'application/json', '{"a":1,"b":2}'),
      part('x', 'text/xml', '<a> <b/> </a>'),
    ]);
    const actual = body('two', [
      part('x', 'text/xml', '<a><b></b></a>'),
      part('j', 'application/json', '{"b":2,"a":1}'),
    ]);
    expect(compareBodies('multipart', expected, actual)).toEqual([]);
  });

  it('names the part and the place in it', () => {
    const expected = body('one', [
      part('j', 'application/json', '{"a":1}'),
      part('f', 'application/pdf', 'abc'),
      part('g', 'text/plain', 'x'),
    ]);
    const actual = body('one', [
      part('j', 'application/json', '{"a":2}'),
      part('f', 'application/pdf', 'abX'),
      part('f', 'text/plain', ''),
    ]);
    expect(compareBodies('multipart', expected, actual)).toEqual([
      { path: 'j.a', expected: 1, actual: 2 },
      { path: 'f', expected: '3 bytes, from byte 2: 63', actual: '3 bytes, from byte 2: 58' },
      { path: 'g', expected: 'a part', actual: undefined },
      { path: 'f[1]', expected: undefined, actual: 'a part' },
    ]);
  });

  it('compares a written value with what went out', () => {
    const parts = { a: 1, f: { filename: 'f.json', contentType: 'application/json', content: { x: [1] } } };
    const sent = body('other', [
      'Content-Disposition: form-data; name="a"\r\n\r\n1',
      'Content-Disposition: form-data; name="f"; filename="f.json"\r\nContent-Type: application/json\r\n\r\n{"x": [1]}',
    ]);
    expect(compareBodies('multipart', { value: parts }, sent)).toEqual([]);
  });
});

describe('text and bytes', () => {
  it('forgives a last line break and its kind', () => {
    expect(compare('text', 'a\r\nb\n', 'a\nb')).toEqual([]);
    expect(compare('text', 'a', 'b')).toEqual([{ path: '', expected: 'a', actual: 'b' }]);
  });

  it('compares the rest byte by byte', () => {
    expect(compare('binary', 'abc', 'abc')).toEqual([]);
    expect(compare('binary', 'ab', 'abc')).toEqual([
      { path: '', expected: '2 bytes, from byte 2: the end', actual: '3 bytes, from byte 2: 63' },
    ]);
    expect(compareBodies('binary', { value: 'YWJj' }, wire('abc'))).toEqual([]);
  });

  it('does not look at a body that does not matter', () => {
    expect(compare('none', 'a', 'b')).toEqual([]);
  });
});

it('finds no difference between a value and itself, and one where a value was changed', () => {
  const value = fc
    .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), { minKeys: 1 })
    .filter((map) => !JSON.stringify(map).includes('__proto__'));
  fc.assert(
    fc.property(value, (map) => {
      const key = Object.keys(map)[0]!;
      expect(compareBodies('json', { value: map }, { bytes: Buffer.from(JSON.stringify(map, null, 2)) })).toEqual([]);
      expect(compareBodies('json', { value: map }, { value: { ...map, [key]: { changed: map[key] } } })).not.toEqual(
        [],
      );
    }),
    { numRuns: 200 },
  );
});
