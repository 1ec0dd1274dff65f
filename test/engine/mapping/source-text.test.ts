import { describe, expect, it } from 'vitest';
import { sliceOf, sourceText } from '../../../src/engine/mapping/source-text.ts';

describe('a text of a file', () => {
  it('places offsets by line and column, counted from 1', () => {
    const source = sourceText('a.yaml', 'ab\ncd\r\n\ne');
    const places = [0, 1, 3, 4, 7, 8, 9].map((offset) => source.placeAt(offset));
    const found = places.map(({ line, column }) => `${line}:${column}`).join(' ');
    expect(found).toBe('1:1 1:2 2:1 2:2 3:1 4:1 4:2');
  });

  it('may begin anywhere, also as a slice', () => {
    const source = sourceText('a.yaml', 'ab\ncd', { line: 5, column: 3 });
    expect(source.placeAt(1)).toEqual({ file: 'a.yaml', line: 5, column: 4 });
    expect(source.placeAt(3)).toEqual({ file: 'a.yaml', line: 6, column: 1 });
    expect(sliceOf(source, 3, 5)).toMatchObject({ text: 'cd' });
    expect(sliceOf(source, 3, 5).placeAt(1)).toEqual({ file: 'a.yaml', line: 6, column: 2 });
  });
});
