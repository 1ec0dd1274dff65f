import type { Place } from '../failure.ts';

/** A text of a profile or mapping file that knows where each of its characters stands in that file. */
export interface SourceText {
  readonly text: string;
  /** `offset` counts UTF-16 units from the start of `text`; its length is allowed, for what ends too early. */
  placeAt(offset: number): Place;
}

/** A whole file, or a text that stands in it as written and begins at `start`. */
export function sourceText(
  file: string,
  text: string,
  start: Omit<Place, 'file'> = { line: 1, column: 1 },
): SourceText {
  let lineStarts: readonly number[] | undefined;
  return {
    text,
    placeAt(offset) {
      lineStarts ??= findLineStarts(text);
      const line = lastNotAfter(lineStarts, offset);
      const column = offset - (lineStarts[line] ?? 0) + (line === 0 ? start.column : 1);
      return { file, line: start.line + line, column };
    },
  };
}

/** The part from `start` to before `end`, its places still those of the file. */
export const sliceOf = (source: SourceText, start: number, end: number): SourceText => ({
  text: source.text.slice(start, end),
  placeAt: (offset) => source.placeAt(start + offset),
});

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

function lastNotAfter(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
