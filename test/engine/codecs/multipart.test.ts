import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multipartCodec } from '../../../src/engine/codecs/multipart.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';

const boundary = 'b0undary';
const written = (value: unknown): string => multipartCodec.encode(value, { boundary }).bytes.toString();
const MIXED = 'multipart/mixed; boundary=b';
const read = (lines: readonly string[]): unknown => bodyOf(multipartCodec, lines.join('\r\n'), MIXED);

const namedPart = (name: string, text: string, ...headers: string[]): string[] => [
  '--b',
  `Content-Disposition: form-data; name="${name}"`,
  ...headers,
  '',
  text,
];

describe('writing multipart/form-data', () => {
  it('writes scalars and files with the boundary it is given', () => {
    const encoded = multipartCodec.encode(
      {
        id: 7,
        file: { filename: 'a "b".pdf', contentType: 'application/pdf', contentEncoding: 'base64', content: 'JVBERg==' },
        tag: ['x', null, 'ü'],
        gone: null,
      },
      { boundary },
    );
    expect(encoded.contentType).toBe('multipart/form-data; boundary=b0undary');
    expect(encoded.bytes.toString()).toBe(
      [
        '--b0undary\r\nContent-Disposition: form-data; name="id"\r\n\r\n7',
        '--b0undary\r\nContent-Disposition: form-data; name="file"; filename="a %22b%22.pdf"',
        'Content-Type: application/pdf\r\n\r\n%PDF',
        '--b0undary\r\nContent-Disposition: form-data; name="tag"\r\n\r\nx',
        '--b0undary\r\nContent-Disposition: form-data; name="tag"\r\n\r\nü',
        '--b0undary--\r\n',
      ].join('\r\n'),
    );
  });

  it.each([
    ['application/json', '\r\n\r\n{"id":1}\r\n'],
    ['text/xml', '<id>1</id>\r\n'],
  ])('writes a map as %s where the part says so', (contentType, text) => {
    expect(written({ order: { contentType, content: { id: 1 } } })).toContain(text);
  });

  it('quotes a boundary that needs it', () => {
    expect(multipartCodec.encode({}, { boundary: 'a:b' }).contentType).toBe('multipart/form-data; boundary="a:b"');
  });

  it.each([
    ['a key no part has', { a: { content: 'x', fileName: 'y' } }, 'a.fileName: is not a key of a part'],
    ['a map without a type', { a: { content: {} } }, 'a.content: is a map: that needs a contentType'],
    ['a part without content', { a: { filename: 'x' } }, 'a.content: a part needs content'],
    ['what is not base64', { a: { content: 'no base64!', contentEncoding: 'base64' } }, 'a.content: is not base64'],
    ['an unknown encoding', { a: { content: 'x', contentEncoding: 'hex' } }, "a.contentEncoding: must be 'text' or"],
    ['a type that would end its header', { a: { content: 'x', contentType: 'a\r\nX: y' } }, 'a.contentType: holds'],
    ['content that holds the boundary', { a: 'x\r\n--b0undary' }, 'a part holds the boundary'],
    ['a list of lists', { a: [[1]] }, 'a[0].content: is a list'],
    ['text', 'a', 'written from a map of parts'],
  ])('refuses %s', (_, value, message) => {
    const failure = failureOf(() => multipartCodec.encode(value, { boundary }));
    expect(failure.code).toBe('body_not_encodable');
    expect(failure.message).toContain(message);
  });

  it.each([undefined, '', 'with blank', 'x'.repeat(71), 'line\nbreak'])('refuses the boundary %j', (refused) => {
    expect(failureOf(() => multipartCodec.encode({}, { boundary: refused })).message).toContain('boundary');
  });
});

describe('reading multipart', () => {
  it('keys by name, else by Content-ID, else by place; decodes JSON, XML and text, keeps the rest as base64', () => {
    const body = read([
      'preamble --b',
      '--b',
      'Content-Type: application/json',
      'Content-ID: <jsonInfos>',
      '',
      '{"id":12345678901234567890}',
      '--b',
      'content-disposition: form-data;',
      ' name="label"; filename="l.pdf"',
      'Content-Type: application/octet-stream',
      'Content-ID: <other>',
      '',
      '%PDF-\0\xFF',
      '--b  ',
      'Content-Type: text/xml',
      '',
      '<a><b>1</b></a>',
      '--b',
      '',
      'bare',
      '--b--',
      'epilogue',
    ]);
    expect(body).toEqual({
      jsonInfos: { id: '12345678901234567890' },
      label: Buffer.from('%PDF-\0\xFF').toString('base64'),
      2: { a: { b: '1' } },
      3: 'bare',
    });
  });

  it('undoes transfer encodings', () => {
    const printable = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'];
    const body = read([
      ...namedPart('a', 'aGVs\r\nbG8=', 'Content-Transfer-Encoding: base64'),
      ...namedPart('b', 'caf=C3=A9 =\r\nau lait', ...printable),
      '--b--',
    ]);
    expect(body).toEqual({ a: 'hello', b: 'café au lait' });
  });

  it('makes a list of parts of one name and drops __proto__', () => {
    const body = read([
      ...namedPart('a', '1'),
      ...namedPart('__proto__', 'x'),
      ...namedPart('__proto__', '{"polluted":1}', 'Content-Type: application/json'),
      ...namedPart('a', '2'),
      ...namedPart('a', '3'),
      '--b--',
    ]);
    expect(Object.entries(body as object)).toEqual([['a', ['1', '2', '3']]]);
    expect('polluted' in (body as object)).toBe(false);
  });

  it('reads bare line feeds, empty parts and a quoted boundary', () => {
    const text = '--b b\nContent-ID: a\n\n--b b\nContent-ID: c\n\n\n--b b--';
    expect(bodyOf(multipartCodec, text, 'multipart/related; boundary="b b"; type="x"')).toEqual({ a: '', c: '' });
  });

  it('is not misled by a longer boundary or one inside a line', () => {
    expect(read(['--b', '', 'x --b', '--bc', '--b--'])).toEqual({ 0: 'x --b\r\n--bc' });
  });

  it.each<[string, string, string, string?]>([
    ['no boundary in the type', '--b\r\n\r\nx\r\n--b--', 'names no boundary', 'multipart/mixed'],
    ['a boundary that never occurs', 'x', 'never occurs'],
    ['a cut body', '--b\r\n\r\nx\r\n', 'the closing boundary is missing'],
    ['a body cut inside its last boundary', '--b\r\n\r\nx\r\n--b', 'the closing boundary is missing'],
    ['headers without an end', `--b\r\n${'X: y\r\n'.repeat(10_000)}\r\nx\r\n--b--`, 'headers never end'],
    ['a JSON part that is none', '--b\r\nContent-Type: application/json\r\n\r\n{\r\n--b--', 'is not JSON'],
    ['thousands of parts', '--b\r\n\r\nx\r\n'.repeat(5_000), 'more than 1000 parts'],
  ])('refuses %s', (_, text, message, contentType = MIXED) => {
    expect(reasonOf(multipartCodec, text, contentType).message).toContain(message);
  });
});

it('reads back what it wrote, bytes and texts alike', () => {
  const name = fc
    .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 })
    .filter((one) => one !== '__proto__' && !one.includes('%') && !one.includes('\\'));
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ contentType: 'application/pdf', content: Buffer.from(bytes) })),
  );
  fc.assert(
    fc.property(fc.dictionary(name, part, { minKeys: 1, maxKeys: 5 }), (parts) => {
      const { bytes, contentType } = multipartCodec.encode(parts, { boundary: 'x'.repeat(40) });
      const expected = Object.entries(parts).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : value.content.toString('base64'),
      ]);
      expect(bodyOf(multipartCodec, bytes, contentType)).toEqual(Object.fromEntries(expected));
    }),
    { numRuns: 300 },
  );
});

it('never throws, whatever the bytes are', () => {
  const pieces = [
    '--b',
    '--b--',
    '\r\n',
    '\n',
    'Content-ID: a',
    'Content-Type: application/json',
    ':',
    '{}',
    ' ',
    '\0',
  ];
  const soup = fc.array(fc.constantFrom(...pieces)).map((some) => Buffer.from(some.join('')));
  fc.assert(
    fc.property(soup, (bytes) => {
      expect(multipartCodec.decode(bytes, { contentType: MIXED }).ok).toBeTypeOf('boolean');
    }),
    { numRuns: 500 },
  );
});
