/** What is printed, with its place: text in lines that fit. Lengths are millimetres, sizes of text points. */
import type { Barcode } from './barcode.ts';
import type { Fonts } from './fonts.ts';

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Align = 'left' | 'center' | 'right';

export type Printed = Area &
  (
    | {
        readonly kind: 'text';
        readonly lines: readonly string[];
        readonly size: number;
        readonly bold: boolean;
        readonly align: Align;
      }
    | { readonly kind: 'box'; readonly border: number }
    | { readonly kind: 'barcode'; readonly barcode: Barcode; readonly module: number; readonly content: string }
  );

export interface Page {
  readonly width: number;
  readonly height: number;
}

export const MM_PER_POINT = 25.4 / 72;
/** From one line to the next, by the size of the text. */
export const LINE_HEIGHT = 1.2;
/** Smaller than that nobody reads. */
const SIZE_MIN = 5;
/** More is no text of a label: what comes behind it is not even measured. */
const LENGTH_MAX = 1_000;

interface Style {
  readonly size: number;
  readonly bold: boolean;
  readonly align: Align;
}

/** Wraps lines into the area: in a smaller size where they do not fit, and cut where they would be too small. */
export const layOut = (
  texts: readonly string[],
  area: Area,
  { size: wished, ...style }: Style,
  fonts: Fonts,
): Printed => {
  const paragraphs = texts
    .join('\n')
    .slice(0, LENGTH_MAX)
    .split('\n')
    .map(clean)
    .filter((text) => text !== '');
  // A width grows with the size, and is costly to find.
  const widths = new Map<string, number>();
  const widthAt1 = (text: string): number => {
    const width = widths.get(text) ?? fonts.widthOf(text, 1, style.bold);
    widths.set(text, width);
    return width;
  };
  for (let size = wished; ; size -= 0.5) {
    const wide = (text: string): boolean => widthAt1(text) * size * MM_PER_POINT <= area.width;
    const lines = paragraphs.flatMap((text) => wrap(text, wide));
    const room = Math.max(1, Math.floor(area.height / (size * LINE_HEIGHT * MM_PER_POINT) + 0.01));
    if (lines.length <= room) return { kind: 'text', ...area, ...style, size, lines };
    if (size - 0.5 < SIZE_MIN) return { kind: 'text', ...area, ...style, size, lines: cut(lines, room, wide) };
  }
};

/** One line of characters that are seen. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();

const GRAPHEMES = new Intl.Segmenter();

const wrap = (text: string, fits: (line: string) => boolean): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    if (fits(word)) {
      line = word;
      continue;
    }
    // Also what is written without blanks between words.
    let rest = Array.from(GRAPHEMES.segment(word), ({ segment }) => segment);
    for (let count = fitting(rest, fits); count < rest.length; count = fitting(rest, fits)) {
      lines.push(rest.slice(0, count).join(''));
      rest = rest.slice(count);
    }
    line = rest.join('');
  }
  return [...lines, line];
};

/** How many of the characters fit on a line, but one at least. */
const fitting = (characters: readonly string[], fits: (line: string) => boolean): number => {
  let [most, tooMany] = [1, characters.length + 1];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(characters.slice(0, middle).join(''))) most = middle;
    else tooMany = middle;
  }
  return most;
};

const cut = (lines: readonly string[], room: number, fits: (line: string) => boolean): readonly string[] => {
  const [last = '', ...before] = lines.slice(0, room).toReversed();
  const characters = Array.from(GRAPHEMES.segment(last), ({ segment }) => segment);
  while (characters.length > 0 && !fits(`${characters.join('')}…`)) characters.pop();
  return [...before.toReversed(), `${characters.join('')}…`];
};
