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

const at = (path: string) => path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

describe('a correction leaves the rest of the text as it is', () => {
  const call = "request: { post: 'https://acme.example', json: { a: 1,   b: [ 1, 2 ] } }   # ours\n        ";
  const second = '      - request: same\n        response: reset   # theirs\n';
  const messages = '- one   # said\n        - two';
  test.each([
    ['a scalar', 'flow.0.expect.outcome', 'fail', 'outcome: reject', 'outcome: fail'],
    ['a text that has to be quoted', 'flow.0.exchanges.0.wait', '7', 'wait: 2s', "wait: '7'"],
    ['a value inside braces', 'flow.0.exchanges.0.request.json.b.1', 3, '[ 1, 2 ]', '[ 1, 3 ]'],
    [
      'a map inside braces',
      'flow.0.exchanges.0.request.json',
      { c: 'x, y' },
      '{ a: 1,   b: [ 1, 2 ] }',
      "{ c: 'x, y' }",
    ],
    [
      'a new key inside braces',
      'flow.0.exchanges.0.response.delay',
      '3s',
      '{ status: 200 }',
      '{ status: 200, delay: 3s }',
    ],
    ['a new key of a block', 'flow.0.exchanges.1.wait', '4s', '# theirs\n', '# theirs\n        wait: 4s\n'],
    [
      'a new entry of a list',
      'flow.0.expect.messages.2',
      'three',
      '        - two\n',
      '        - two\n        - three\n',
    ],
    ['a new entry inside brackets', 'flow.0.exchanges.0.request.json.b.2', 3, '[ 1, 2 ]', '[ 1, 2, 3 ]'],
    ['a list of a block', 'flow.0.expect.messages', ['three'], messages, '- three'],
    ['an empty list', 'flow.0.expect.messages', [], messages, '[]'],
    [
      'a key below a missing one',
      'flow.1.expect.outcome',
      'fail',
      '- do: cancel\n',
      '- do: cancel\n    expect: { outcome: fail }\n',
    ],
    ['a removed key', 'flow.0.exchanges.0.wait', undefined, '        wait: 2s\n', ''],
    ['a removed first key', 'flow.0.exchanges.0.request', undefined, call, ''],
    ['a removed key inside braces', 'flow.0.exchanges.0.request.json.a', undefined, 'a: 1,   b', 'b'],
    ['a removed last key inside braces', 'flow.0.exchanges.0.request.json.b', undefined, ',   b: [ 1, 2 ]', ''],
    ['a removed entry', 'flow.0.exchanges.1', undefined, second, ''],
    ['the only key removed', 'flow.1.do', undefined, '- do: cancel', '- {}'],
  ])('%s', (_, path, value, before, after) => {
    expect(correctYaml(TEXT, [{ path: at(path), value }])).toBe(TEXT.replace(before, () => after));
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

  test('text that readers of YAML do not take alike is quoted', () => {
    const value = { a: 'NO', b: '0123', c: '12:30', d: '2026-05-01', e: 'plain words', f: '', g: 'a: b', 7: [1, null] };
    const corrected = correctYaml('x: { y: 1 }\n', [{ path: ['x', 'y'], value }]);
    expect(corrected).toBe(
      "x: { y: { '7': [ 1, null ], a: 'NO', b: '0123', c: '12:30', d: '2026-05-01', e: plain words, f: '', g: 'a: b' } }\n",
    );
    expect(parseSource('x', corrected).findings).toEqual([]);
  });

  test.each([
    ['what is not there at all', 'a: 1\n', 'b.c', undefined, 'a: 1\n'],
    ['nothing below a scalar', 'a: one\n', 'a.c', undefined, 'a: one\n'],
    ['a list where a scalar stands', 'a: { b: one }\n', 'a.b.0', 'two', 'a: { b: [ two ] }\n'],
    ['a map where a scalar stands', 'a: one\nb: 1\n', 'a.c.d', 2, 'a: { c: { d: 2 } }\nb: 1\n'],
    ['a text that would end at a comma', 'a: { b: one,   c: 2 }\n', 'a.b', 'x, y', "a: { b: 'x, y',   c: 2 }\n"],
    ['a text of several lines', 'a:\n  b: |\n    one\n    two\n  c: 1\n', 'a.b', 'three', 'a:\n  b: three\n  c: 1\n'],
  ])('%s', (_, text, path, value, corrected) => {
    expect(correctYaml(text, [{ path: at(path), value }])).toBe(corrected);
  });

  test.each([
    ['a:\n  b: |\n    one\n  c: 1\n', 'a.c', 'one\ntwo\n', { a: { b: 'one\n', c: 'one\ntwo\n' } }],
    ['a:\nb: 1\n', 'a', { x: 1 }, { a: { x: 1 }, b: 1 }],
  ])('%j is a document still, with another value at %s', (text, path, value, read) => {
    expect(parse(correctYaml(text, [{ path: at(path), value }]))).toEqual(read);
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
