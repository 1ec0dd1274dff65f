import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSource } from '../../../src/engine/profile/source.ts';
import { correctYaml } from '../../../src/workbench/cases/correct-yaml.ts';

const TEXT = `# what it is
case: a story   # told once
flow:
  # the first step
  - do: create
    exchanges:
      - request: { post: 'https://acme.example', json: { a: 1,   b: [ 1, 2 ] } }   # ours
        response: { status: 200 }
        wait: 2s
      - request: same
        response: reset   # theirs
    expect:
      # in their words
      outcome: reject
      messages:
        - one   # said
        - two
  - do: cancel
`;

describe('a correction leaves the rest of the text as it is', () => {
  test.each([
    ['a scalar', ['flow', 0, 'expect', 'outcome'], 'fail', 'outcome: reject', 'outcome: fail'],
    ['a text that has to be quoted', ['flow', 0, 'exchanges', 0, 'wait'], '7', 'wait: 2s', "wait: '7'"],
    ['a value inside braces', ['flow', 0, 'exchanges', 0, 'request', 'json', 'b', 1], 3, '[ 1, 2 ]', '[ 1, 3 ]'],
    [
      'a map inside braces',
      ['flow', 0, 'exchanges', 0, 'request', 'json'],
      { c: 'x, y' },
      '{ a: 1,   b: [ 1, 2 ] }',
      "{ c: 'x, y' }",
    ],
    [
      'a new key inside braces',
      ['flow', 0, 'exchanges', 0, 'response', 'delay'],
      '3s',
      '{ status: 200 }',
      '{ status: 200, delay: 3s }',
    ],
    [
      'a new key of a block',
      ['flow', 0, 'exchanges', 1, 'wait'],
      '4s',
      '- request: same\n',
      '- wait: 4s\n        request: same\n',
    ],
    ['a list of a block', ['flow', 0, 'expect', 'messages'], ['three'], '- one   # said\n        - two', '- three'],
    ['an empty list', ['flow', 0, 'expect', 'messages'], [], '- one   # said\n        - two', '[]'],
    [
      'a key below one that is missing',
      ['flow', 1, 'expect', 'outcome'],
      'fail',
      '- do: cancel',
      '- expect: { outcome: fail }\n    do: cancel',
    ],
    ['a removed key', ['flow', 0, 'exchanges', 0, 'wait'], undefined, '        wait: 2s\n', ''],
    [
      'a removed first key',
      ['flow', 0, 'exchanges', 0, 'request'],
      undefined,
      "request: { post: 'https://acme.example', json: { a: 1,   b: [ 1, 2 ] } }   # ours\n        ",
      '',
    ],
    ['a removed key inside braces', ['flow', 0, 'exchanges', 0, 'request', 'json', 'a'], undefined, 'a: 1,   b', 'b'],
    [
      'a removed last key inside braces',
      ['flow', 0, 'exchanges', 0, 'request', 'json', 'b'],
      undefined,
      ',   b: [ 1, 2 ]',
      '',
    ],
    [
      'a removed entry',
      ['flow', 0, 'exchanges', 1],
      undefined,
      '      - request: same\n        response: reset   # theirs\n',
      '',
    ],
    ['the only key removed', ['flow', 1, 'do'], undefined, '- do: cancel', '- {}'],
  ] as const)('%s', (_, path, value, before, after) => {
    expect(correctYaml(TEXT, [{ path, value }])).toBe(TEXT.replace(before, () => after));
  });

  test('several, removals last', () => {
    const corrected = correctYaml(TEXT, [
      { path: ['flow', 0, 'exchanges', 0], value: undefined },
      { path: ['flow', 0, 'exchanges', 1], value: undefined },
      { path: ['flow', 0, 'expect', 'outcome'], value: 'succeed' },
    ]);
    expect(parse(corrected)).toMatchObject({ flow: [{ exchanges: [], expect: { outcome: 'succeed' } }, {}] });
    expect(corrected).toContain('# in their words');
  });

  test('a text of several lines', () => {
    const text = 'a:\n  b: |\n    one\n    two\n  c: 1\n';
    expect(correctYaml(text, [{ path: ['a', 'b'], value: 'three' }])).toBe('a:\n  b: three\n  c: 1\n');
    expect(parse(correctYaml(text, [{ path: ['a', 'c'], value: 'one\ntwo\n' }]))).toEqual({
      a: { b: 'one\ntwo\n', c: 'one\ntwo\n' },
    });
  });

  test('text that readers of YAML do not take alike is quoted', () => {
    const value = { a: 'NO', b: '0123', c: '12:30', d: '2026-05-01', e: 'plain words', f: '', g: 'a: b', 7: [1, null] };
    const corrected = correctYaml('x: { y: 1 }\n', [{ path: ['x', 'y'], value }]);
    expect(corrected).toBe(
      "x: { y: { '7': [ 1, null ], a: 'NO', b: '0123', c: '12:30', d: '2026-05-01', e: plain words, f: '', g: 'a: b' } }\n",
    );
    expect(parseSource('x', corrected).findings).toEqual([]);
  });

  test('a key without a value, and what is not there at all', () => {
    expect(parse(correctYaml('a:\nb: 1\n', [{ path: ['a'], value: { x: 1 } }]))).toEqual({ a: { x: 1 }, b: 1 });
    expect(correctYaml('a: 1\n', [{ path: ['b', 'c'], value: undefined }])).toBe('a: 1\n');
  });

  test('a list where a scalar stands, and a map where one stands', () => {
    expect(correctYaml('a: { b: one }\n', [{ path: ['a', 'b', 0], value: 'two' }])).toBe('a: { b: [ two ] }\n');
    expect(correctYaml('a: one\nb: 1\n', [{ path: ['a', 'c', 'd'], value: 2 }])).toBe('a: { c: { d: 2 } }\nb: 1\n');
    expect(correctYaml('a: one\n', [{ path: ['a', 'c'], value: undefined }])).toBe('a: one\n');
  });

  test('text that would end at a comma is quoted in place, and the rest stays', () => {
    expect(correctYaml('a: { b: one,   c: 2 }\n', [{ path: ['a', 'b'], value: 'x, y' }])).toBe(
      "a: { b: 'x, y',   c: 2 }\n",
    );
  });

  test.each(['2026-05-01T09:00:00Z', 'NO', '0123'])('%s is quoted, too, where the document is written anew', (text) => {
    const corrected = correctYaml('a:\nb: { c: [ 1 ] }\n', [
      { path: ['a'], value: { at: text } },
      { path: ['b', 'c', 1], value: text },
    ]);
    expect(parse(corrected)).toEqual({ a: { at: text }, b: { c: [1, text] } });
    expect(corrected.split(`'${text}'`)).toHaveLength(3);
  });
});
