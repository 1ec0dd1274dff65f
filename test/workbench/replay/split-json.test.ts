import { expect, test } from 'vitest';
import { splitJson, splitLines } from '../../../src/workbench/replay/split-json.ts';

/** In pieces of every size, so that each character is once the last of its piece. */
async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const all = async <T>(parts: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const part of parts) list.push(part);
  return list;
};

const LIST = `\uFEFF[ {"a": "],[\\"{"},
  [1, [2]],
  "x\\\\", 5 ,

  {"b": {}} ]`;

test('a list is cut into its elements, each with its line, wherever the text is cut', async () => {
  const wanted = [
    { text: '{"a": "],[\\"{"}', line: 1 },
    { text: '[1, [2]]', line: 2 },
    { text: '"x\\\\"', line: 3 },
    { text: '5', line: 3 },
    { text: '{"b": {}}', line: 5 },
  ];
  for (const size of [1, 2, 3, 7, 1_000]) {
    expect(await all(splitJson(inPieces(LIST, size), { maxChars: 100 }))).toEqual(wanted);
  }
});

test('what is no list is one part', async () => {
  expect(await all(splitJson(inPieces('\n{"a":\n[1, 2]}\n', 2), { maxChars: 100 }))).toEqual([
    { text: '{"a":\n[1, 2]}', line: 2 },
  ]);
  expect(await all(splitJson(inPieces('  \n ', 2), { maxChars: 100 }))).toEqual([]);
});

test('a list under a key is found, also where its name stands elsewhere as a text', async () => {
  const text = '{"log": {"comment": "entries", "x": ["entries"],\n "entries": [\n{"e": 1},{"e": 2}], "pages": [3]}}';
  for (const size of [1, 5, 1_000]) {
    expect(await all(splitJson(inPieces(text, size), { maxChars: 100, under: 'entries' }))).toEqual([
      { text: '{"e": 1}', line: 3 },
      { text: '{"e": 2}', line: 3 },
    ]);
  }
  expect(await all(splitJson(inPieces('{"log": {}}', 4), { maxChars: 100, under: 'entries' }))).toEqual([
    { text: undefined, line: 1, why: 'there is no list "entries"' },
  ]);
});

test('an element that is too large is left out and keeps nothing else back', async () => {
  const text = `[1, "${'x'.repeat(50)}", 3]`;
  expect(await all(splitJson(inPieces(text, 4), { maxChars: 20 }))).toEqual([
    { text: '1', line: 1 },
    { text: undefined, line: 1, why: 'larger than 20 characters' },
    { text: '3', line: 1 },
  ]);
});

test('a list without an end is told', async () => {
  const parts = await all(splitJson(inPieces('[1,\n {"a": ', 3), { maxChars: 20 }));
  expect(parts).toEqual([
    { text: '1', line: 1 },
    { text: undefined, line: 2, why: 'the text ends in the middle' },
  ]);
});

test('lines keep their numbers over blank and too long ones', async () => {
  const text = `{"a":1}\r\n\n${'y'.repeat(30)}\n{"b":2}`;
  for (const size of [1, 4, 1_000]) {
    expect(await all(splitLines(inPieces(text, size), 20))).toEqual([
      { text: '{"a":1}', line: 1 },
      { text: undefined, line: 3, why: 'larger than 20 characters' },
      { text: '{"b":2}', line: 4 },
    ]);
  }
});
