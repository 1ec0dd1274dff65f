import { assert, constantFrom, pre, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formCodec } from '../../../src/engine/codecs/form.ts';
import { writeXml } from '../../../src/engine/codecs/xml.ts';
import { createMask, isSensitiveHeader } from '../../../src/engine/transport/masking.ts';
import { startCost } from '../../support/cost.ts';

const key = 'p4$$/w&rd "ü"+key';
const mask = createMask([{ name: 'apiKey', value: key }]);

describe('a secret', () => {
  it.each<[string, string]>([
    ['itself', key],
    ['base64', Buffer.from(key).toString('base64')],
    ['base64url', Buffer.from(key).toString('base64url')],
    ['base64, percent-encoded', encodeURIComponent(Buffer.from(key).toString('base64'))],
    ['hex', Buffer.from(key).toString('hex')],
    ['hex, upper-case', Buffer.from(key).toString('hex').toUpperCase()],
    ['percent-encoded', encodeURIComponent(key)],
    ['percent-encoded, lower-case digits', encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ '': key }).toString().slice(1)],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['in JSON as PHP writes it', JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/').replaceAll('ü', '\\u00fc')],
    ['in XML text', key.replaceAll('&', '&amp;')],
    ['in XML', key.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ])('is hidden: %s', (_title, written) => {
    expect(mask.text(`a=${written};`)).toBe('a=***apiKey***;');
    expect(mask.bytes(Buffer.from(`a=${written};`)).toString()).toBe('a=***apiKey***;');
  });

  it.each(['id:', 'id1:', 'id12:'])('is hidden inside the base64 of a longer text, after %s', (before) => {
    const plain = createMask([{ name: 'password', value: 'correct-horse' }]);
    for (const encoding of ['base64', 'base64url'] as const) {
      const masked = plain.text(`Basic ${Buffer.from(`${before}correct-horse and more`).toString(encoding)}`);
      expect(masked).toContain('***password***');
      const left = masked
        .replace(/^Basic /, '')
        .split('***password***')
        .map((part) => Buffer.from(part, encoding).toString('latin1'));
      for (const part of left) expect(part).not.toMatch(/orr|hor|rse/);
    }
  });

  const wild = { password: 'pa&ss<word>1"x' };
  it.each<[string, Readonly<Record<string, string>>, string, string]>([
    [
      'wherever it stands and however often',
      { token: 'abcdefgh' },
      'abcdefgh abcdefghabcdefgh',
      '***token*** ***token******token***',
    ],
    [
      'as the longer one, where it holds another',
      { short: 'abcdefgh', long: 'abcdefgh-ijkl' },
      'x abcdefgh-ijkl y abcdefgh z',
      'x ***long*** y ***short*** z',
    ],
    [
      'with no tail of another that it overlaps',
      { one: 'abcdefgh', two: 'efghijklmn' },
      'x abcdefghijklmn y',
      'x ***one*** y',
    ],
    ['once, named like a secret', { password: 'password' }, 'is password.', 'is ***password***.'],
    ['XML in a form', wild, 'a=pa%26amp%3Bss%26lt%3Bword%26gt%3B1%22x;', 'a=***password***;'],
    ['JSON in a form', wild, 'a=pa%26ss%3Cword%3E1%5C%22x;', 'a=***password***;'],
    ['JSON in an attribute', wild, 'a=pa&amp;ss&lt;word&gt;1\\&quot;x;', 'a=***password***;'],
    ['XML in JSON', wild, 'a=pa&amp;ss&lt;word&gt;1\\"x;', 'a=***password***;'],
  ])('is hidden: %s', (_title, secrets, text, masked) => {
    const own = createMask(Object.entries(secrets).map(([name, value]) => ({ name, value })));
    expect(own.text(text)).toBe(masked);
    expect(own.bytes(Buffer.from(text)).toString()).toBe(masked);
  });

  it('may be added later, as a token or what was hashed from one', () => {
    const growing = createMask([]);
    expect(growing.text('0123456789abcdef')).toBe('0123456789abcdef');
    expect(growing.add('session', '0123456789abcdef')).toBe(true);
    expect(growing.text('0123456789abcdef')).toBe('***session***');
  });

  it('under 8 characters is not masked, and that is said', () => {
    const growing = createMask([{ name: 'pin', value: '1234567' }]);
    expect(growing.add('pin', '1234567')).toBe(false);
    expect(growing.text('1234567')).toBe('1234567');
  });
});

/** Each way in which a profile may write a text into another. */
const WRITERS: Readonly<Record<string, (text: string) => string>> = {
  json: (text) => JSON.stringify({ field: text }),
  'an element': (text) => writeXml({ root: { field: text } }),
  'an attribute': (text) => writeXml({ root: { '@field': text } }),
  'a form': (text) => formCodec.encode({ field: text }, {}).bytes.toString(),
  $encodeUrlComponent: encodeURIComponent,
  $encodeUrl: encodeURI,
  $base64: (text) => Buffer.from(`user:${text}`).toString('base64'),
  $base64encode: (text) => Buffer.from(`user:${text}`, 'latin1').toString('base64'),
};
const PAIRS = Object.keys(WRITERS).flatMap((inner) =>
  Object.keys(WRITERS)
    .filter((outer) => !(inner.startsWith('$base64') && outer.startsWith('$base64')))
    .map((outer): [string, string] => [inner, outer]),
);

it.each(PAIRS)('a secret in two layers is hidden, whatever it is: %s in %s', (inner, outer) => {
  const write = (text: string): string => WRITERS[outer]!(WRITERS[inner]!(text));
  const unit = constantFrom(...Array.from('aZ9&<>"\'\\/%+=?~!*(){};:-_. \t\n\rüß€😀'));
  assert(
    property(string({ unit, minLength: 8, maxLength: 24 }), (value) => {
      const written = write(value);
      const secret = createMask([{ name: 'S', value: value }]);
      expect(secret.text(written)).toContain('***S***');
      expect(secret.bytes(Buffer.from(written)).toString()).toBe(secret.text(written));
      if (inner.startsWith('$base64') || outer.startsWith('$base64')) return;
      const [before = '', after = ''] = write('MARK').split('MARK');
      expect(secret.text(written)).not.toContain(written.slice(before.length, written.length - after.length));
    }),
    { numRuns: 100 },
  );
});

describe('bytes', () => {
  it('without a secret come back as the very same', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(mask.bytes(bytes)).toBe(bytes);
  });

  it('around a secret stay what they were, text or not', () => {
    const around = Buffer.from([0, 255, 128, 10]);
    const named = createMask([{ name: 'schlüssel', value: 'abcdefgh' }]);
    expect(named.bytes(Buffer.concat([around, Buffer.from('abcdefgh'), around]))).toEqual(
      Buffer.concat([around, Buffer.from('***schlüssel***'), around]),
    );
  });
});

describe('headers', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'Cookie',
    'set-cookie',
    'X-Api-Key',
    'apikey',
    'x-auth-token',
    'client-secret',
    'X_Session_Id',
    'Session',
    'X-Pwd',
    'Account-Pin',
    'Ocp-Apim-Subscription-Key',
  ])('%s is hidden whole', (name) => {
    expect(isSensitiveHeader(name)).toBe(true);
    expect(mask.headers({ [name]: 'anything' })).toEqual({ [name]: `***${name.toLowerCase()}***` });
  });

  it.each(['content-type', 'idempotency-key', 'x-request-id', 'location', 'webhook-id'])('%s is shown', (name) => {
    expect(mask.headers({ [name]: 'anything' })).toEqual({ [name]: 'anything' });
  });

  it('are masked by value as well', () => {
    expect(mask.headers({ location: `https://a.example/?key=${encodeURIComponent(key)}` })).toEqual({
      location: 'https://a.example/?key=***apiKey***',
    });
  });
});

it('no secret survives, whatever it is and whatever stands around it', () => {
  assert(
    property(string({ minLength: 8, maxLength: 40 }), string(), string(), (value, before, after) => {
      const masked = createMask([{ name: 'S', value }]).text(before + value + after);
      pre(!'***S***'.includes(value));
      expect(masked).toContain('***S***');
      expect(masked.replaceAll('***S***', '\u0000')).not.toContain(value);
    }),
    { numRuns: 500 },
  );
});

it('takes time in proportion to the text', () => {
  const secrets = Array.from({ length: 20 }, (_, index) => ({
    name: `s${index}`,
    value: `secret-number-${index}-of-20`,
  }));
  const many = createMask(secrets);
  const block = `${secrets[3]!.value} and much else that is not secret at all, ${'x'.repeat(400)}\n`;
  // The best of some: whoever shares the machine only makes it longer.
  const measure = (times: number): number => {
    const text = block.repeat(times);
    const tookMs = Array.from({ length: 4 }, () => {
      const cost = startCost();
      expect(many.text(text).length).toBeLessThan(text.length);
      return cost();
    });
    return Math.min(...tookMs);
  };
  const small = Math.max(measure(1_000), 2);
  // Ten times the text: ten times as long, where the square would be a hundred.
  expect(measure(10_000)).toBeLessThan(small * 40);
});
