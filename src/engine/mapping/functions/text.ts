import anyAscii from 'any-ascii';
import { define, misuse, NO_TEXT, predicate, text, texts, wholeNumber } from './function.ts';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
// eslint-disable-next-line no-control-regex -- the range is ASCII
const ASCII_ONLY = /^[\u0000-\u007F]*$/;

const MAX_CHARACTERS = 100_000;

/** Characters as `$length` counts them: code points. */
const lengthOf = (word: string): number => (ASCII_ONLY.test(word) ? word.length : Array.from(word).length);

const cut = define({
  name: 'cut',
  doc: 'The first `max` characters. A grapheme of several characters is never split.',
  refuses: NO_TEXT,
  parameters: [text('text'), wholeNumber('max', 0, MAX_CHARACTERS)],
  gives: 'text',
  examples: [
    { expression: "$cut('Example Street 5', 7)", result: 'Example' },
    { expression: "$cut('Łódź', 2)", result: 'Łó' },
  ],
  call(whole, max) {
    if (whole.length <= max) return whole;
    // No more can be needed, and a text from outside may be long.
    const start = whole.slice(0, max * 2 + 1_000);
    // In ASCII only a line break may be a glyph of two.
    if (ASCII_ONLY.test(start) && start[max] !== '\n') return start.slice(0, max);
    let kept = '';
    let count = 0;
    for (const { segment } of GRAPHEMES.segment(start)) {
      count += lengthOf(segment);
      if (count > max) break;
      kept += segment;
    }
    return kept;
  },
});

const wrap = define({
  name: 'wrap',
  doc: 'Wraps the words of one or more texts, joined, into a list of at most `count` lines of at most `width` characters: a text need not begin a line.',
  refuses: 'text that does not fit, and a word longer than a line',
  parameters: [texts('texts'), wholeNumber('width', 1, MAX_CHARACTERS), wholeNumber('count', 1, 1_000)],
  examples: [
    {
      expression: '$wrap([a1, a2], 20, 3)',
      given: { a1: 'Example Industrial Park', a2: 'Gate 7' },
      result: ['Example Industrial', 'Park Gate 7'],
    },
  ],
  call(given, width, count) {
    const lines: string[] = [];
    let room = 0;
    for (const word of given.flatMap((each) => each.split(/\s+/u)).filter((each) => each !== '')) {
      const length = lengthOf(word);
      if (length > width) throw misuse(`$wrap: a word has ${length} characters, but a line holds ${width}`);
      if (room > length) {
        lines.push(`${lines.pop() ?? ''} ${word}`);
        room -= length + 1;
      } else {
        if (lines.length === count)
          throw misuse(`$wrap: the text does not fit into ${count} lines of ${width} characters`);
        lines.push(word);
        room = width - length;
      }
    }
    return lines;
  },
});

const ascii = define({
  name: 'ascii',
  doc: 'The text in ASCII: diacritics are removed, other scripts are transliterated.',
  refuses: NO_TEXT,
  parameters: [text('text')],
  gives: 'text',
  examples: [
    { expression: "$ascii('Łódź')", result: 'Lodz' },
    { expression: "$ascii('Straße')", result: 'Strasse' },
  ],
  call: (whole) => anyAscii(whole),
});

const digits = define({
  name: 'digits',
  doc: 'The digits of the text; those of other scripts become 0 to 9.',
  refuses: NO_TEXT,
  parameters: [text('text')],
  gives: 'text',
  examples: [{ expression: "$digits('04 91-5')", result: '04915' }],
  call: (whole) => (ASCII_ONLY.test(whole) ? whole.replaceAll(/\D+/g, '') : anyAscii(whole.replaceAll(/\P{Nd}/gu, ''))),
});

const fits = predicate(
  {
    name: 'fits',
    doc: 'Whether `$wrap` takes the texts.',
    parameters: [texts('texts'), wholeNumber('width', 1, MAX_CHARACTERS), wholeNumber('count', 1, 1_000)],
    examples: [
      { expression: "$fits('Example Street 5', 10, 2)", result: true },
      { expression: "$fits('Example Street 5', 10, 1)", result: false },
    ],
  },
  wrap,
);

export const TEXTS = [cut, wrap, fits, ascii, digits];
