import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXml, writeXml, xmlCodec } from '../../../src/engine/codecs/xml.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';
import { startCost } from '../../support/cost.ts';

const INSTANCE = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';

describe('reading XML', () => {
  it.each<[string, string, unknown]>([
    [
      'drops prefixes and namespace declarations, keeps attributes as @name and text beside them as #text',
      '<n:a xmlns:n="urn:n" xmlns="urn:d" n:id="1"><n:b unit="kg">2.50</n:b><c/></n:a>',
      { a: { '@id': '1', b: { '@unit': 'kg', '#text': '2.50' }, c: '' } },
    ],
    [
      'leaves values as text',
      '<a><b>007</b><c>true</c><d>1e3</d><e>0x1F</e><f> padded </f></a>',
      { a: { b: '007', c: 'true', d: '1e3', e: '0x1F', f: ' padded ' } },
    ],
    [
      'makes a list of repeats, also of repeats that others part',
      '<a><b>1</b><c/><b>2</b><b><d>3</d></b></a>',
      { a: { b: ['1', '2', { d: '3' }], c: '' } },
    ],
    [
      'keeps a list of lists apart from a repeated element',
      '<a><b><c>1</c><c>2</c></b><b><c>3</c></b></a>',
      { a: { b: [{ c: ['1', '2'] }, { c: '3' }] } },
    ],
    ['forgets the layout around CDATA', '<a>\n  <![CDATA[<b> & ]]]]><![CDATA[>]]>\n</a>', { a: '<b> & ]]>' }],
    ['keeps a blank in CDATA', '<a>x<![CDATA[ ]]>y</a>', { a: 'x y' }],
    [
      'reads an empty element, and one with layout only, as empty text',
      '<a><b/><c></c><d>\n  </d></a>',
      { a: { b: '', c: '', d: '' } },
    ],
    [
      'reads a nil element as null',
      `<a ${INSTANCE}><b i:nil="true"/><c i:nil="false">1</c><d nil="true"/></a>`,
      { a: { b: null, c: { '@nil': 'false', '#text': '1' }, d: { '@nil': 'true' } } },
    ],
    ['joins the text between elements', '<p>Hello <b>big</b> world</p>', { p: { '#text': 'Hello  world', b: 'big' } }],
    [
      'forgets the layout around text beside elements',
      '<p a="1">\n  total\n  <b/>\n</p>',
      { p: { '@a': '1', '#text': 'total', b: '' } },
    ],
    [
      'knows the five entities and numeric ones',
      '<a x="&quot;&#10;">&lt;&gt;&amp;&apos;&#x1F4E6;</a>',
      { a: { '@x': '"\n', '#text': "<>&'📦" } },
    ],
    [
      'passes over comments and processing instructions',
      '<?xml version="1.0"?><!-- <b> --><?php system("ls") ?><a><!-- -->1<?x y?></a>',
      { a: '1' },
    ],
    ['reads a blank body as nothing', '', undefined],
    ['forgives blank lines before the declaration', '\n\n<?xml version="1.0"?><a/>', { a: '' }],
    ['drops a root __proto__', '<__proto__><polluted/></__proto__>', {}],
  ])('%s', (_, text, body) => {
    expect(bodyOf(xmlCodec, text)).toEqual(body);
  });

  it('drops an element __proto__ and keeps constructor and toString as data', () => {
    const body = bodyOf(
      xmlCodec,
      '<a __proto__="x"><__proto__><polluted>1</polluted></__proto__><constructor>c</constructor><toString/><toString/></a>',
    );
    expect(Object.keys((body as { a: object }).a).sort()).toEqual(['@__proto__', 'constructor', 'toString']);
    expect(body).toEqual({ a: { '@__proto__': 'x', constructor: 'c', toString: ['', ''] } });
    expect('polluted' in (body as { a: object }).a).toBe(false);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each<[string, Buffer, string | undefined, string?]>([
    ['the declaration', Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>', 'latin1'), undefined],
    ['the Content-Type', Buffer.from('<a>é</a>', 'latin1'), 'text/xml; charset="windows-1252"'],
    [
      'the Content-Type, with all of it',
      Buffer.from('<a>\x80\x9F</a>', 'latin1'),
      'text/xml; charset=windows-1252',
      '€Ÿ',
    ],
    [
      'the Content-Type before the declaration',
      Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'),
      'text/xml; charset=utf-8',
    ],
    ['a mark of UTF-8', Buffer.from('\uFEFF<a>é</a>'), 'text/xml; charset=iso-8859-1'],
    ['a mark of UTF-16', Buffer.from('\uFEFF<?xml version="1.0" encoding="utf-16"?><a>é</a>', 'utf16le'), undefined],
    [
      'UTF-16 without a mark',
      Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>é</a>', 'utf16le').swap16(),
      undefined,
    ],
    ['a declaration that cannot be true', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>é</a>'), undefined],
  ])('finds the charset by %s', (_, bytes, contentType, text = 'é') => {
    expect(bodyOf(xmlCodec, bytes, contentType)).toEqual({ a: text });
  });

  it('names a charset it does not know', () => {
    expect(reasonOf(xmlCodec, '<a/>', 'text/xml; charset=klingon')).toMatchObject({
      code: 'charset_unknown',
      message: expect.stringContaining('klingon'),
    });
  });
});

describe('hostile XML', () => {
  const laughs = Array.from({ length: 10 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  it.each([
    ['a billion laughs', `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l10;</a>`, 'body_not_readable'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 'body_not_readable'],
    ['an external DTD', '<!DOCTYPE a SYSTEM "http://example.com/a.dtd"><a/>', 'body_not_readable'],
    ['a parameter entity', '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://example.com/p"> %p;]><a/>', 'body_not_readable'],
    ['a DOCTYPE that only names the root', '<!DOCTYPE a><a/>', 'body_not_readable'],
    ['an unfinished DOCTYPE', `<!DOCTYPE a [${'<!ENTITY x "y">'.repeat(10_000)}`, 'body_not_readable'],
    ['an entity nobody declared', '<a>&nbsp;</a>', 'body_not_readable'],
    ['an entity named like a method', '<a>&constructor;</a>', 'body_not_readable'],
    ['a reference to NUL', '<a>&#0;</a>', 'body_not_readable'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>', 'body_not_readable'],
    ['a control character', '<a>\u0001</a>', 'body_not_readable'],
    ['deep nesting', '<a>'.repeat(1_000_000), 'body_too_large'],
    ['many elements', `<a>${'<b/>'.repeat(300_000)}</a>`, 'body_too_large'],
    ['many attributes', `<a ${Array.from({ length: 300_000 }, (_, at) => `a${at}=""`).join(' ')}/>`, 'body_too_large'],
    ['an attribute twice', '<a x="1" x="2"/>', 'body_not_readable'],
    ['an attribute without quotes', '<a x=1/>', 'body_not_readable'],
    ['mismatched tags', '<a><b></a></b>', 'body_not_readable'],
    ['an end too many', '<a/></a>', 'body_not_readable'],
    ['two roots', '<a/><b/>', 'body_not_readable'],
    ['text after the root', '<a/>text', 'body_not_readable'],
    ['a bare ampersand', '<a>fish & chips</a>', 'body_not_readable'],
    ['a bare less-than in an attribute', '<a x="<"/>', 'body_not_readable'],
    ['CDATA that never ends', '<a><![CDATA[x</a>', 'body_not_readable'],
    ['the end of CDATA in text', '<a>]]></a>', 'body_not_readable'],
    ['a comment that never ends', '<a/><!-- ', 'body_not_readable'],
    ['an instruction that never ends', `<?x ${'y'.repeat(100_000)}`, 'body_not_readable'],
    ['a second declaration', '<a/><?xml version="1.0"?>', 'body_not_readable'],
    ['two colons in a name', '<a:b:c/>', 'body_not_readable'],
    ['a colon at the end of a name', '<a:/>', 'body_not_readable'],
    ['text alone', 'Service unavailable', 'body_not_readable'],
    ['JSON', '{"a":1}', 'body_not_readable'],
  ])('is refused fast: %s', (_, text, code) => {
    const cost = startCost();
    const reason = reasonOf(xmlCodec, text);
    expect(reason.code).toBe(code);
    expect(cost()).toBeLessThan(1_500);
  });

  it('is refused wherever it was cut', () => {
    const whole = '<?xml version="1.0"?><a x="1"><b>text &amp; more</b><![CDATA[raw]]><!-- c --></a>';
    for (let length = 1; length < whole.length; length += 1) {
      expect(xmlCodec.decode(Buffer.from(whole.slice(0, length))).ok, whole.slice(0, length)).toBe(false);
    }
  });

  it('never throws, whatever the bytes are', () => {
    const pieces = '<a|>|</a>|<|&|;|<![CDATA[|]]>|<!--|-->|<?|?>| x="|"|:|é|\0|__proto__|<!DOCTYPE'.split('|');
    const soup = fc.array(fc.constantFrom(...pieces)).map((some) => Buffer.from(some.join('')));
    fc.assert(
      fc.property(soup, (bytes) => {
        expect(xmlCodec.decode(bytes).ok).toBeTypeOf('boolean');
      }),
      { numRuns: 500 },
    );
  });
});

describe('writing XML', () => {
  it('writes keys in their order, names as given, attributes first', () => {
    const value = { 'n:a': { z: 1, '@id': 7, b: [true, 'x'], '#text': 'tail', '@xmlns:n': 'urn:n' } };
    expect(xmlCodec.encode(value)).toEqual({
      bytes: Buffer.from(
        '<?xml version="1.0" encoding="UTF-8"?><n:a id="7" xmlns:n="urn:n"><z>1</z><b>true</b><b>x</b>tail</n:a>',
      ),
      contentType: 'application/xml; charset=utf-8',
    });
  });

  it.each<[string, unknown, Readonly<Record<string, string>>, string]>([
    [
      'leaves out null, what is missing and empty lists, and writes an empty text as an empty element',
      { a: { b: null, c: undefined, d: [], e: [null, 1], '@f': null, g: '' } },
      {},
      '<a><e>1</e><g/></a>',
    ],
    [
      'escapes markup, and in attributes the white space that reading would fold',
      { a: { '@x': '"<&>\n\t', '#text': '<b>&amp;</b> "\r\n' } },
      {},
      '<a x="&quot;&lt;&amp;&gt;&#10;&#9;">&lt;b&gt;&amp;amp;&lt;/b&gt; "&#13;\n</a>',
    ],
    [
      'declares namespaces on the root',
      { 's:a': { b: 1 } },
      { '': 'urn:d', s: 'urn:s' },
      '<s:a xmlns="urn:d" xmlns:s="urn:s"><b>1</b></s:a>',
    ],
    ['declares them on a root of text', { a: 1 }, { '': 'urn:d' }, '<a xmlns="urn:d">1</a>'],
    [
      'leaves a namespace to the root that declares it itself',
      { 's:a': { '@xmlns:s': 'urn:other' } },
      { s: 'urn:s' },
      '<s:a xmlns:s="urn:other"/>',
    ],
  ])('%s', (_, value, namespaces, text) => {
    expect(writeXml(value, namespaces)).toBe(text);
  });

  const circle: Record<string, unknown> = {};
  circle['a'] = circle;
  it.each([
    ['a name with a blank', { a: { 'b c': 1 } }, "a: 'b c' is not a name XML allows"],
    ['a name that begins with a digit', { a: { '1': 1 } }, "a: '1' is not a name XML allows"],
    ['markup in a name', { 'a><b': 1 }, "'a><b' is not a name XML allows"],
    ['an empty attribute name', { a: { '@': 1 } }, "a: '' is not a name XML allows"],
    ['a control character', { a: { b: ['x', 'y\u0001'] } }, 'a.b[1]: holds the character U+0001'],
    ['half of a surrogate pair', { a: { '@b': '\uD800' } }, 'a.@b: holds half of a surrogate pair'],
    ['NaN', { a: { b: Number.NaN } }, 'a.b: must be text, a number or a boolean, but is not a finite number'],
    ['a list inside a list', { a: { b: [[1]] } }, 'a.b[0]: is a list inside a list'],
    ['a map as an attribute', { a: { '@b': {} } }, 'a.@b: must be text'],
    ['a function', { a: () => 1 }, 'a: must be text'],
    ['an undeclared prefix', { a: { 's:b': 1 } }, "a.s:b: the namespace prefix 's' is not declared"],
    ['an undeclared prefix of an attribute', { a: { '@s:b': 1 } }, "a.@s:b: the namespace prefix 's' is not declared"],
    ['an element that looks like a declaration', { 'xmlns:b': 1 }, "the namespace prefix 'xmlns' is not declared"],
    ['two roots', { a: 1, b: 2 }, 'has one root element, but this has 2'],
    ['no root', { a: null }, 'has one root element, but this has 0'],
    ['a list of roots', { a: [1, 2] }, 'has one root element, but this has a list'],
    ['text', 'a', 'is written from a map with one element, but this is a string'],
    ['a map that holds itself', circle, 'nested deeper'],
  ])('refuses %s', (_, value, message) => {
    const failure = failureOf(() => xmlCodec.encode(value));
    expect(failure.code).toBe('body_not_encodable');
    expect(failure.message).toContain(message);
  });

  it.each(['b c', 'xmlfoo'])('refuses the prefix %s, which no one may declare', (prefix) => {
    expect(failureOf(() => writeXml({ a: 1 }, { [prefix]: 'urn:x' })).message).toContain(
      `'${prefix}' cannot be a namespace prefix`,
    );
  });
});

const name = fc
  .stringMatching(/^[A-Za-z_éŁ][A-Za-z0-9_.-]{0,6}$/)
  .filter((text) => text !== '__proto__' && text !== 'nil');
const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  // eslint-disable-next-line no-control-regex -- characters that XML has no form for
  .filter((one) => !/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/.test(one) && !/^[ \t\r\n]+$/.test(one));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    text,
    fc
      .tuple(
        fc.dictionary(
          name.map((one) => `@${one}`),
          text,
          { maxKeys: 3 },
        ),
        fc.dictionary(name, fc.oneof(tie('tree'), fc.array(tie('tree'), { minLength: 2, maxLength: 3 })), {
          minKeys: 1,
          maxKeys: 4,
        }),
      )
      .map(([attributes, elements]): unknown => ({ ...attributes, ...elements })),
  ),
}));

it('reads back what it wrote', () => {
  fc.assert(
    fc.property(name, tree, (root, value) => {
      const map = { [root]: value };
      expect(bodyOf(xmlCodec, xmlCodec.encode(map).bytes)).toEqual(map);
      expect(parseXml(writeXml(map))).toEqual(map);
    }),
    { numRuns: 300 },
  );
});
