import { kindOf } from '../value.ts';
import { Failure, type Place } from '../failure.ts';
import type { Engine } from './engine.ts';
import { endOfExpression } from './expression-end.ts';
import { compileExpression } from './expression.ts';
import type { Mapping } from './mapping.ts';
import { sliceOf, type SourceText } from './source-text.ts';
import { textOfScalar } from '../text.ts';

/** A stretch of plain text, or one `${ }`. */
export type Part = string | Placeholder;

export interface Placeholder {
  readonly expression: Mapping;
  /** Of the `$`. */
  readonly place: Place;
}

export const isLiteral = (part: Part): part is string => typeof part === 'string';

/** Splits a text at its `${ }` (§3.6) and compiles them. Throws `mapping_syntax`. */
export const parseTemplate = (source: SourceText, engine?: Engine): readonly Part[] =>
  splitTemplate(source).map((piece) =>
    typeof piece === 'string' ? piece : { expression: compileExpression(piece.expression, engine), place: piece.place },
  );

/** The plain stretches and the expressions of a text, for lint; `$${` is a literal `${`. Throws `mapping_syntax`. */
function splitTemplate(
  source: SourceText,
): readonly (string | { readonly expression: SourceText; readonly place: Place })[] {
  const { text } = source;
  const pieces: (string | { readonly expression: SourceText; readonly place: Place })[] = [];
  let literal = '';
  let at = 0;
  for (let next = text.indexOf('${'); next !== -1; next = text.indexOf('${', at)) {
    if (next > at && text[next - 1] === '$') {
      literal += `${text.slice(at, next - 1)}\${`;
      at = next + 2;
      continue;
    }
    literal += text.slice(at, next);
    if (literal !== '') pieces.push(literal);
    literal = '';
    const end = endOfPlaceholder(source, next);
    pieces.push({ expression: sliceOf(source, next + 2, end), place: source.placeAt(next) });
    at = end + 1;
  }
  literal += text.slice(at);
  if (literal !== '') pieces.push(literal);
  return pieces;
}

function endOfPlaceholder(source: SourceText, start: number): number {
  const end = endOfExpression(source.text, start + 2);
  if (end === undefined) {
    throw new Failure('this ${ has no closing }', {
      code: 'mapping_syntax',
      place: source.placeAt(start),
      help: 'close it, or write $${ for a literal ${',
    });
  }
  if (source.text.slice(start + 2, end).trim() !== '') return end;
  throw new Failure('there is no expression between ${ and }', {
    code: 'mapping_syntax',
    place: source.placeAt(start),
  });
}

/** The text a `${ }` puts in its place. Throws `mapping_failed` when there is no value, or one that is no text. */
export function textOfPlaceholder(part: Placeholder, value: unknown): string {
  if (isMissing(value)) {
    throw new Failure(`this \${ } has no value: ${shortened(part.expression.text)}`, {
      code: 'mapping_failed',
      place: part.place,
      help: "$first(…, '') gives an empty text where none is meant",
    });
  }
  const text = textOfScalar(value);
  if (text !== undefined) return text;
  throw new Failure(`this \${ } must yield a text, a number or a boolean, but yields ${kindOf(value)}`, {
    code: 'mapping_failed',
    place: part.place,
    help: Array.isArray(value) ? '$join(…) makes one text of several' : undefined,
  });
}

const shortened = (expression: string): string => {
  const line = expression.trim().replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};

export const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null;
