import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { coerce, FORMATS, validator } from '../../src/engine/validate.ts';

const Parcel = Type.Object(
  {
    details: Type.Object({
      packages: Type.Array(
        Type.Object(
          { weight: Type.Number(), unit: Type.Optional(Type.Enum(['KG', 'LB'])) },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 3 },
      ),
      when: Type.Optional(Type.Union([Type.String(), Type.Number()])),
      country: Type.Optional(Type.String({ format: 'country', maxLength: 2 })),
    }),
    name: Type.Optional(Type.String({ pattern: '\\S', 'x-must': 'not be blank' })),
  },
  { additionalProperties: false },
);
const check = validator(Parcel, 'the parcel');
const messages = (value: unknown): string[] => {
  const checked = check(value);
  return checked.ok ? [] : checked.issues.map(({ message }) => message);
};

describe('a validator', () => {
  test('gives the value back as it is when it fits', () => {
    const value = { details: { packages: [{ weight: 1 }] } };
    const checked = check(value);
    expect(checked).toEqual({ ok: true, value });
    expect(checked.ok && checked.value).toBe(value);
  });

  test.each([
    [3, ['the parcel must be an object']],
    [null, ['the parcel must be an object']],
    [{}, ['details is required']],
    [{ details: { packages: [] } }, ['details.packages must have at least one entry']],
    [{ details: { packages: [{ weight: '2' }] } }, ['details.packages[0].weight must be a number']],
    [{ details: { packages: [{ weight: 1, unit: 'ST' }] } }, ['details.packages[0].unit must be one of KG, LB']],
    [{ details: { packages: [{ weight: 1, wieght: 1 }] } }, ['details.packages[0].wieght is not a known field']],
    [
      { details: { packages: [{ weight: 1 }], country: 'UK' } },
      ['details.country must be a country code of ISO 3166-1 alpha-2, such as DE'],
    ],
    [{ details: { packages: [{ weight: 1 }] }, name: ' ' }, ['name must not be blank']],
    [
      { details: { packages: [{ weight: Number.POSITIVE_INFINITY }] } },
      ['details.packages[0].weight must be a number'],
    ],
  ])('says in a sentence what is wrong with %j', (value, expected) => {
    expect(messages(value)).toEqual(expected);
  });

  test('names everything at once, with path and code', () => {
    const checked = check({ details: { packages: [{ weight: 'x' }, {}], country: 'ZZZ' }, extra: 1 });
    expect(checked.ok ? [] : checked.issues.map(({ path, code }) => [path, code])).toEqual([
      ['extra', 'unknown_field'],
      ['details.packages[0].weight', 'wrong_type'],
      ['details.packages[1].weight', 'required'],
      ['details.country', 'too_long'],
      ['details.country', 'malformed'],
    ]);
  });

  test('lists a hundred findings and counts the rest', () => {
    const Many = validator(Type.Array(Type.Number()));
    const checked = Many(Array.from({ length: 250 }, () => 'x'));
    const issues = checked.ok ? [] : checked.issues;
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)?.message).toBe('and 150 more findings');
  });

  test('tells a huge value its first fault only', () => {
    const Many = validator(Type.Array(Type.Number()));
    const checked = Many(Array.from({ length: 100_000 }, () => 'x'));
    expect(checked.ok ? [] : checked.issues).toEqual([
      { path: '[0]', message: '[0] must be a number', code: 'wrong_type' },
    ]);
  });

  test('does not repeat a long unknown name', () => {
    const [message = ''] = messages({ details: { packages: [{ weight: 1 }] }, ['n'.repeat(5_000)]: 1 });
    expect(message.length).toBeLessThan(200);
  });
});

describe('coercing to a schema', () => {
  const Result = Type.Object({
    entries: Type.Array(
      Type.Object({ number: Type.Optional(Type.String()), tags: Type.Optional(Type.Array(Type.String())) }),
    ),
    memo: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  });

  test.each([
    [{ entries: { number: '1' } }, { entries: [{ number: '1' }] }],
    [{ entries: [{ tags: 'a' }] }, { entries: [{ tags: ['a'] }] }],
    [{}, { entries: [] }],
    [{ entries: null, memo: null }, { entries: [] }],
    [{ entries: [{ number: null }, { number: undefined }] }, { entries: [{}, {}] }],
    [
      { entries: [], memo: { a: null } },
      { entries: [], memo: { a: null } },
    ],
    ['text', 'text'],
    [undefined, undefined],
  ])('makes %j into %j', (value, expected) => {
    expect(coerce(Result, value)).toEqual(expected);
  });

  test('makes nothing into no entries where the whole is a list', () => {
    expect(coerce(Type.Array(Type.String()), undefined)).toEqual([]);
    expect(coerce(Type.Array(Type.String()), 'a')).toEqual(['a']);
  });

  test('keeps what it does not know for the validator to name, and does not change the value', () => {
    const value = Object.freeze({ entries: Object.freeze({ number: '1' }), bogus: 1 });
    expect(coerce(Result, value)).toEqual({ entries: [{ number: '1' }], bogus: 1 });
  });

  test('lets a key __proto__ be a key', () => {
    const coerced = coerce(Result, JSON.parse('{"__proto__": {"entries": 1}}')) as object;
    expect(Object.getPrototypeOf(coerced)).toBe(Object.prototype);
    expect(Object.hasOwn(coerced, '__proto__')).toBe(true);
  });
});

describe('a format', () => {
  test.each([
    ['country', ['IN', 'DE', 'US', 'GB', 'TW', 'SX'], ['UK', 'EU', 'ZZ', 'XK', 'de', 'DEU', '', 'D']],
    [
      'date',
      ['2026-02-28', '2024-02-29', '2000-02-29', '2026-12-31'],
      ['2026-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-4-1', '01-04-2026', ''],
    ],
    [
      'local-date-time',
      ['2026-05-01 23:59:59'],
      [
        '2026-05-01T09:00:00',
        '2026-05-01 24:00:00',
        '2026-05-01 09:60:00',
        '2026-05-01 09:00:00Z',
        '2026-05-32 09:00:00',
      ],
    ],
    [
      'http-url',
      ['https://example.com/a?b'],
      ['ftp://example.com', 'javascript:alert(1)', 'example.com', 'https://', ''],
    ],
    ['time-zone', ['Asia/Kolkata'], ['+05:30']],
  ])('%s takes %j and refuses %j', (name, taken, refused) => {
    const { test } = FORMATS[name]!;
    expect(taken.filter((text) => !test(text))).toEqual([]);
    expect(refused.filter(test)).toEqual([]);
  });
});
