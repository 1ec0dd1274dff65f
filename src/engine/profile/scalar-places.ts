import type { ScalarNode } from './tree.ts';

/**
 * Where the characters of a scalar's value stand in its source. Folding and indentation only touch white space, so
 * every other character of the value is found by walking both texts side by side; quotes and escapes are decoded on
 * the way. White space is placed at, or right after, the character before it.
 *
 * `raw` is the source from the first character of the content on (after a quote or a block's header). Yields one
 * offset into `raw` for each UTF-16 unit of `value`, and one more for its end.
 */
export const alignScalar = (value: string, raw: string, style: ScalarNode['style']): readonly number[] => {
  const offsets: number[] = [];
  let at = 0;
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charAt(index);
    const blank = isBlank(unit);
    if (!blank) at = skipBlank(raw, at, style);
    offsets.push(at);
    const length = lengthAt(raw, at, style);
    if (!blank) {
      // One escape may stand for two UTF-16 units: stay until the second is placed too.
      if (!(isHighSurrogate(unit) && raw.charAt(at) === '\\')) at += length;
    } else if (length > 1 || raw.charAt(at) === unit) at += length;
    else if (unit === '\n' && raw.startsWith('\r\n', at)) at += 2;
  }
  offsets.push(at);
  return offsets;
};

const isBlank = (unit: string): boolean => unit === ' ' || unit === '\n' || unit === '\t' || unit === '\r';
const isHighSurrogate = (unit: string): boolean => unit >= '\uD800' && unit <= '\uDBFF';

const skipBlank = (raw: string, from: number, style: ScalarNode['style']): number => {
  let at = from;
  for (;;) {
    if (isBlank(raw.charAt(at))) at += 1;
    else if (style === 'double' && /^\\\r?\n/.test(raw.slice(at, at + 3))) at += 2;
    else return at;
  }
};

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

/** How many characters of the source stand for the one character at an offset. */
const lengthAt = (raw: string, at: number, style: ScalarNode['style']): number => {
  if (style === 'single') return raw.startsWith("''", at) ? 2 : 1;
  if (style !== 'double' || raw.charAt(at) !== '\\') return 1;
  return ESCAPE_LENGTHS[raw.charAt(at + 1)] ?? 2;
};
