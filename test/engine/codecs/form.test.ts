import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formCodec } from '../../../src/engine/codecs/form.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';

describe('writing a form', () => {
  it('writes scalars in order and repeats a list', () => {
    expect(formCodec.encode({ b: 'x y&=é', a: 1, c: [true, 'z'], d: '' })).toEqual({
      bytes: Buffer.from('b=x+y%26%3D%C3%A9&a=1&c=true&c=z&d='),
      contentType: 'application/x-www-form-urlencoded',
    });
  });

  it('leaves out null, what is missing and empty lists', () => {
    expect(formCodec.encode({ a: null, b: undefined, c: [], d: [null, 1] }).bytes.toString()).toBe('d=1');
  });

  it.each([
    ['a map', { a: 1, address: { zip: 1 } }, 'address: must be text, a number or a boolean, but is a map'],
    ['a list in a list', { a: [[1]] }, 'a[0]: must be text, a number or a boolean, but is a list'],
    ['NaN', { a: Number.NaN }, 'a: must be'],
    ['half of a surrogate pair', { a: '\uDC00' }, 'a: holds half'],
    ['text', 'a=b', 'but this is a string'],
  ])('refuses %s, naming the field', (_, value, message) => {
    const failure = failureOf(() => formCodec.encode(value));
    expect(failure.code).toBe('body_not_encodable');
    expect(failure.message).toContain(message);
  });
});

describe('reading a form', () => {
  it.each<[string, string, unknown]>([
    [
      'gives texts, and a list for a field that repeats',
      'a=1&b=x+y%26%C3%A9&a=2&c&d=&&a=',
      { a: ['1', '2', ''], b: 'x y&é', c: '', d: '' },
    ],
    ['leaves a per cent sign that begins no escape', 'a=100%&b=%zz', { a: '100%', b: '%zz' }],
    ['reads an empty body as nothing', '', undefined],
  ])('%s', (_, text, body) => {
    expect(bodyOf(formCodec, text)).toEqual(body);
  });

  it('obeys the charset', () => {
    expect(bodyOf(formCodec, 'a=%E9', 'application/x-www-form-urlencoded; charset=iso-8859-1')).toEqual({ a: 'é' });
  });

  it('drops __proto__', () => {
    expect(Object.keys(bodyOf(formCodec, '__proto__=1&constructor=2&__proto__=3') as object)).toEqual(['constructor']);
  });

  it('refuses more fields than allowed', () => {
    expect(reasonOf(formCodec, 'a&'.repeat(300_000)).code).toBe('body_too_large');
  });
});

it('reads back what it wrote', () => {
  const field = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__');
  const text = fc.string({ unit: 'binary', maxLength: 12 }).map((one) => one.toWellFormed());
  fc.assert(
    fc.property(fc.dictionary(field, fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 }))), (map) => {
      fc.pre(Object.keys(map).length > 0);
      expect(bodyOf(formCodec, formCodec.encode(map).bytes)).toEqual(map);
    }),
    { numRuns: 300 },
  );
});
