import { LineCounter } from 'yaml';
import type { Place } from '../failure.ts';

/** A text of a profile or mapping file that knows the place of each of its characters in that file. */
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
  let lines: LineCounter | undefined;
  return {
    text,
    placeAt(offset) {
      lines ??= linesOf(text);
      const { line, col } = lines.linePos(offset);
      return { file, line: start.line + line - 1, column: line === 1 ? start.column + col - 1 : col };
    },
  };
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const match of text.matchAll(/\r\n?|\n/g)) lines.addNewLine(match.index + match[0].length);
  return lines;
}

/** The part from `start` to before `end`, its places still those of the file. */
export const sliceOf = (source: SourceText, start: number, end: number): SourceText => ({
  text: source.text.slice(start, end),
  placeAt: (offset) => source.placeAt(start + offset),
});
