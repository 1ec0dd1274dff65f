import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonCodec } from '../../../src/engine/codecs/json.ts';
import { bodyOf, failureOf, reasonOf } from './reading.ts';

const written = (value: unknown): string => jsonCodec.encode(value).bytes.toString();
const read = (text: string): unknown => bodyOf(jsonCodec, text);

describe('writing JSON', () => {
  it('keeps null and drops what is missing, in maps and in lists', () => {
    expect(written({ a: null, b: undefined, c: [1, undefined, 2] })).toBe('{"a":null,"c":[1,2]}');
  });

  it('says application/json', () => {
    expect(jsonCodec.encode({}).contentType).toBe('application/json');
  });

  it.each([
    ['NaN', { order: { weights: [1, Number.NaN] } }, 'order.weights[1]', 'not a finite number'],
    ['an infinity', { weight: Number.POSITIVE_INFINITY }, 'weight', 'not a finite number'],
    ['a function', { total: () => 1 }, 'total', 'a function'],
    ['bytes', { label: Buffer.from('x') }, 'label', 'bytes'],
    ['a date object', { at: new Date(0) }, 'at', 'an object'],
    ['a bigint', { n: 1n }, 'n', 'a bigint'],
  ])('refuses %s and names its place', (_, value, place, kind) => {
    const failure = failureOf(() => jsonCodec.encode(value));
    expect(failure.code).toBe('body_not_encodable');
    expect(failure.message).toContain(`${place}: `);
    expect(failure.message).toContain(kind);
  });

  it('refuses to send nothing', () => {
    expect(failureOf(() => jsonCodec.encode(undefined)).message).toContain('no value');
  });

  it('refuses a map that holds itself', () => {
    const map: Record<string, unknown> = {};
    map['self'] = map;
    expect(failureOf(() => jsonCodec.encode(map)).message).toContain('nested deeper');
  });

  it('writes a key __proto__ as data', () => {
    expect(written(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });
});

describe('reading JSON', () => {
  it('keeps the digits of integers beyond 2^53 as text', () => {
    expect(
      read('{"n":12345678901234567890,"m":-9007199254740993,"fits":9007199254740991,"s":"1234567890123456789"}'),
    ).toEqual({
      n: '12345678901234567890',
      m: '-9007199254740993',
      fits: 9007199254740991,
      s: '1234567890123456789',
    });
  });

  it('keeps a number too large for any double as text', () => {
    expect(read('[1e999,-1e999,1e300]')).toEqual(['1e999', '-1e999', 1e300]);
  });

  it('reads long decimal fractions as numbers', () => {
    expect(read('{"lat":52.520006599999999999}')).toEqual({ lat: 52.5200066 });
  });

  it('reads an empty body as nothing', () => {
    expect(read('')).toBeUndefined();
    expect(read(' \r\n')).toBeUndefined();
  });

  it('drops __proto__, however it is spelt and however deep', () => {
    const body = read('{"a":[{"__proto__":{"polluted":1},"\\u005f_proto__":2,"b":3}]}');
    expect(JSON.stringify(body)).toBe('{"a":[{"b":3}]}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('drops __proto__ where the digits of a number are kept', () => {
    expect(JSON.stringify(read('{"__proto__":{"x":1},"n":12345678901234567890}'))).toBe('{"n":"12345678901234567890"}');
  });

  it('skips a byte order mark and obeys the charset', () => {
    expect(bodyOf(jsonCodec, Buffer.from('\uFEFF{"a":"é"}'))).toEqual({ a: 'é' });
    expect(bodyOf(jsonCodec, Buffer.from('{"a":"é"}', 'latin1'), 'application/json; charset=ISO-8859-1')).toEqual({
      a: 'é',
    });
    expect(bodyOf(jsonCodec, Buffer.from('\uFEFF{"a":"é"}', 'utf16le'), 'application/json')).toEqual({ a: 'é' });
  });

  it('allows 100 levels and refuses 101, whatever is in strings', () => {
    expect(read(`${'['.repeat(100)}${']'.repeat(100)}`)).toBeDefined();
    expect(reasonOf(jsonCodec, `${'['.repeat(101)}${']'.repeat(101)}`).code).toBe('body_too_large');
    const brackets = `"${'['.repeat(200)}\\"${'{'.repeat(200)}\\\\"`;
    expect(read(`[${brackets}]`)).toEqual([JSON.parse(brackets)]);
  });

  it('refuses a million nested lists at once', () => {
    const started = performance.now();
    expect(reasonOf(jsonCodec, '['.repeat(5_000_000)).code).toBe('body_too_large');
    expect(performance.now() - started).toBeLessThan(1_000);
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
