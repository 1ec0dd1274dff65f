import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../evaluating.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const graphemesOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);
const lengthOf = (text: string): number => Array.from(text).length;

const family = '👨‍👩‍👧';
const texts = fc.string({
  unit: fc.constantFrom('a', 'Ł', ' ', 'e\u0301', family, '🇩🇪', '\r\n', 'ไทย'),
  maxLength: 30,
});

describe('$cut', () => {
  it('keeps a glyph of several characters whole, or leaves it out whole', async () => {
    expect(await evaluate('$cut(x, 5)', { x: `${family}b` })).toBe(family);
    expect(await evaluate('$cut(x, 4)', { x: `${family}b` })).toBe('');
    expect(await evaluate('$cut(x, 2)', { x: 'ae\u0301' })).toBe('a');
  });

  it('takes a number as text', async () => {
    expect(await evaluate('$cut(12345, 2)')).toBe('12');
  });

  it('never exceeds its limit and never breaks a grapheme, and stops only where the next would not fit', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(40), async (x, max) => {
        const cut = (await evaluate('$cut($x, max)', { x, max })) as string;
        const graphemes = graphemesOf(x);
        const kept = graphemesOf(cut).length;
        expect(lengthOf(cut)).toBeLessThanOrEqual(max);
        expect(graphemes.slice(0, kept).join('')).toBe(cut);
        if (cut !== x) expect(lengthOf(cut + graphemes[kept]!)).toBeGreaterThan(max);
      }),
    );
  });
});

describe('$wrap', () => {
  it('leaves out what is missing, null or empty', async () => {
    expect(await evaluate("$wrap([a, null, '', 'Gate 7'], 10, 2)")).toEqual(['Gate 7']);
  });

  it('fills a line to its last character', async () => {
    expect(await evaluate("$wrap('abc def ghi', 7, 2)")).toEqual(['abc def', 'ghi']);
  });

  it('never exceeds width or count, and loses no word', async () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'Ł', '😀'), minLength: 1, maxLength: 8 }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 8, max: 30 }), async (given, width) => {
        const lines = (await evaluate('$wrap($texts, width, 20)', { texts: [given.join(' ')], width })) as string[];
        expect(lines.flatMap((line) => line.split(' ')).filter((word) => word !== '')).toEqual(given);
        for (const line of lines) expect(lengthOf(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('$ascii', () => {
  it.each([
    ['Łódź', 'Lodz'],
    ['Ærøskøbing', 'Aeroskobing'],
    ['Αθήνα', 'Athina'],
    ['Москва', 'Moskva'],
    ['plain ASCII ~', 'plain ASCII ~'],
  ])('%s is %s', async (text, ascii) => {
    expect(await evaluate('$ascii(text)', { text })).toBe(ascii);
  });
});

describe('$digits', () => {
  it('reads the digits of other scripts', async () => {
    expect(await evaluate('$digits(x)', { x: '٠٤-９１ a²' })).toBe('0491');
  });
});
