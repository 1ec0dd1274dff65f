import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonCodec } from '../../../src/engine/codecs/json.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';
import { startCost } from '../../support/cost.ts';

describe('writing JSON', () => {
  it.each([
    ['keeps null', { a: null }, '{"a":null}'],
    ['drops what is missing, in maps and in lists', { b: undefined, c: [1, undefined, 2] }, '{"c":[1,2]}'],
    ['writes a key __proto__ as data', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ])('%s', (_, value, text) => {
    expect(jsonCodec.encode(value)).toEqual({ bytes: Buffer.from(text), contentType: 'application/json' });
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  it.each([
    ['NaN', { order: { weights: [1, Number.NaN] } }, 'order.weights[1]: ', 'not a finite number'],
    ['an infinity', { weight: Number.POSITIVE_INFINITY }, 'weight: ', 'not a finite number'],
    ['a function', { total: () => 1 }, 'total: ', 'a function'],
    ['bytes', { label: Buffer.from('x') }, 'label: ', 'bytes'],
    ['a date object', { at: new Date(0) }, 'at: ', 'an object'],
    ['a bigint', { n: 1n }, 'n: ', 'a bigint'],
    ['to send nothing', undefined, '', 'no value'],
    ['a map that holds itself', circle, '', 'nested deeper'],
  ])('refuses %s and names its place', (_, value, place, kind) => {
    const failure = failureOf(() => jsonCodec.encode(value));
    expect(failure.code).toBe('body_not_encodable');
    expect(failure.message).toContain(place);
    expect(failure.message).toContain(kind);
  });
});

describe('reading JSON', () => {
  const LONG = { n: '12345678901234567890', m: '-9007199254740993', fits: 9007199254740991, s: '1234567890123456789' };
  const brackets = `"${'['.repeat(200)}\\"${'{'.repeat(200)}\\\\"`;
  it.each<[string, string, unknown]>([
    [
      'keeps the digits of integers beyond 2^53 as text',
      '{"n":12345678901234567890,"m":-9007199254740993,"fits":9007199254740991,"s":"1234567890123456789"}',
      LONG,
    ],
    ['keeps a number too large for any double as text', '[1e999,-1e999,1e300]', ['1e999', '-1e999', 1e300]],
    ['reads long decimal fractions as numbers', '{"lat":52.520006599999999999}', { lat: 52.5200066 }],
    ['reads an empty body as nothing', '', undefined],
    ['reads a blank body as nothing', ' \r\n', undefined],
    ['does not count brackets in strings', `[${brackets}]`, [JSON.parse(brackets)]],
    ['allows 100 levels', '['.repeat(100) + ']'.repeat(100), JSON.parse('['.repeat(100) + ']'.repeat(100))],
  ])('%s', (_, text, body) => {
    expect(bodyOf(jsonCodec, text)).toEqual(body);
  });

  it.each([
    [
      'however it is spelt and however deep',
      '{"a":[{"__proto__":{"polluted":1},"\\u005f_proto__":2,"b":3}]}',
      '{"a":[{"b":3}]}',
    ],
    ['where digits are kept', '{"__proto__":{"x":1},"n":12345678901234567890}', '{"n":"12345678901234567890"}'],
  ])('drops __proto__, %s', (_, text, kept) => {
    expect(JSON.stringify(bodyOf(jsonCodec, text))).toBe(kept);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    [Buffer.from('\uFEFF{"a":"é"}'), undefined],
    [Buffer.from('{"a":"é"}', 'latin1'), 'application/json; charset=ISO-8859-1'],
    [Buffer.from('\uFEFF{"a":"é"}', 'utf16le'), 'application/json'],
  ])('skips a byte order mark and obeys the charset: %j as %s', (bytes, contentType) => {
    expect(bodyOf(jsonCodec, bytes, contentType)).toEqual({ a: 'é' });
  });

  it.each([
    ['[1,[2],{"a":"x,y","b":[]}]', 8],
    ['{"a":{"b":1,"c":[true,null]}}', 6],
  ])('counts the values of %s before it parses them', (text, count) => {
    const read = (maxNodes: number) => jsonCodec.decode(Buffer.from(text), { limits: { maxNodes } });
    expect(read(count)).toEqual({ ok: true, body: JSON.parse(text) });
    const reason = { code: 'body_too_large', message: `has more than ${count - 1} values` };
    expect(read(count - 1)).toMatchObject({ ok: false, reason });
  });

  it.each([101, 5_000_000])('refuses %d nested lists at once', (depth) => {
    const cost = startCost();
    expect(reasonOf(jsonCodec, '['.repeat(depth)).code).toBe('body_too_large');
    expect(cost()).toBeLessThan(1_000);
  });

  it('refuses more bytes than allowed', () => {
    const decoded = jsonCodec.decode(Buffer.from('"12345"'), { limits: { maxBytes: 6 } });
    expect(decoded).toMatchObject({ ok: false, reason: { code: 'body_too_large' } });
  });

  it.each(['{"a":1', 'plain text', '{"token":"s3cret" oops}', '[1,]', "{'a':1}", '{"s3cret":}'])(
    'refuses %s without quoting it',
    (text) => {
      const reason = reasonOf(jsonCodec, text);
      expect(reason.code).toBe('body_not_readable');
      expect(reason.message).toMatch(/^is not JSON: /);
      expect(`${reason.message}${String(reason.cause)}`).not.toContain('s3cret');
    },
  );
});

it('reads back what it wrote', () => {
  const value = fc.jsonValue({ maxDepth: 5 }).filter((json) => !JSON.stringify(json).includes('__proto__'));
  fc.assert(
    fc.property(value, (json) => {
      const exact = JSON.parse(JSON.stringify(json)) as unknown;
      fc.pre(!/\d{16}/.test(JSON.stringify(json)));
      expect(bodyOf(jsonCodec, jsonCodec.encode(json).bytes)).toEqual(exact);
    }),
    { numRuns: 300 },
  );
});
