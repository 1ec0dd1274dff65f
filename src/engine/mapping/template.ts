import { Failure, type Place } from '../failure.ts';
import type { Engine } from './engine.ts';
import type { Mapping } from './mapping.ts';
import { inOrder } from './pending.ts';
import type { SourceText } from './source-text.ts';
import { isLiteral, isMissing, parseTemplate, textOfPlaceholder, type Part } from './template-parts.ts';
import { checkUrlParts, joinUrl } from './template-url.ts';

/**
 * Where a text with `${ }` stands, which decides what becomes of the values (§3.6):
 * - `value`: in a tree. One whole `${ }` keeps the value's type.
 * - `text`: always a text; a missing value is an error.
 * - `header`: only what a header can carry; one whole `${ }` without a value yields nothing.
 * - `query`: as `header`, but any characters: the caller encodes the whole value. One whole `${ }` with a list repeats
 *   the parameter.
 * - `url`: each value percent-encoded, but for a `${ }` at the very start; no value inside a host.
 * - `base`: the `url` of an environment, whose host may hold values that are parts of a host name.
 */
export type TextPosition = 'value' | 'text' | 'header' | 'query' | 'url' | 'base';

/**
 * Compiles a text that may hold `${ }`. One without yields the text, and is `constant`. The last newline of a block
 * scalar is the caller's to drop. Throws `mapping_syntax`.
 */
export function compileTemplate(source: SourceText, position: TextPosition, engine?: Engine): Mapping {
  const parts = parseTemplate(source, engine);
  const place = source.placeAt(0);
  if (position === 'url' || position === 'base') checkUrlParts(parts, position);
  if (position === 'header') for (const part of parts) if (isLiteral(part)) checkHeader(part, 'mapping_syntax', place);
  if (parts.every(isLiteral)) {
    const text = parts.join('');
    return { place, text: source.text, constant: true, evaluate: () => text };
  }
  return {
    place,
    text: source.text,
    constant: false,
    evaluate: (roots, context) =>
      inOrder(
        parts,
        (part) => (isLiteral(part) ? part : part.expression.evaluate(roots, context)),
        (values) => join(parts, values, position),
      ),
  };
}

function join(parts: readonly Part[], values: readonly unknown[], position: TextPosition): unknown {
  const [whole, ...more] = parts;
  if (whole !== undefined && !isLiteral(whole) && more.length === 0) {
    if (position === 'value') return values[0];
    if (isMissing(values[0]) && (position === 'header' || position === 'query')) return undefined;
    if (position === 'query' && Array.isArray(values[0])) {
      return values[0].map((value: unknown) => textOfPlaceholder(whole, value));
    }
  }
  if (position === 'url' || position === 'base') return joinUrl(parts, values, position);
  return parts
    .map((part, at) => {
      if (isLiteral(part)) return part;
      const text = textOfPlaceholder(part, values[at]);
      if (position === 'header') checkHeader(text, 'mapping_failed', part.place);
      return text;
    })
    .join('');
}

/** What HTTP/1.1 lets a header value carry: Latin-1 without control characters, a tab excepted. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const NOT_IN_HEADER = /[^\t\u0020-\u007E\u0080-\u00FF]/u;

function checkHeader(text: string, code: 'mapping_syntax' | 'mapping_failed', place: Place): void {
  const found = NOT_IN_HEADER.exec(text)?.[0];
  if (found === undefined) return;
  const point = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new Failure(`a header cannot carry the character U+${point}`, {
    code,
    place,
    help: found > '\u00FF' ? '$ascii(…) transliterates' : 'headers hold one line without control characters',
  });
}
