import { Failure, type Place } from '../failure.ts';
import { textOfScalar } from '../text.ts';
import { kindOf } from '../value.ts';
import type { Engine } from './engine.ts';
import { compileExpression } from './expression.ts';
import type { Mapping } from './mapping.ts';
import { sliceOf, type SourceText } from './source-text.ts';

/**
 * Where a text with `${ }` stands, which decides what becomes of the values:
 * - `value`: in a tree. One whole `${ }` keeps the value's type.
 * - `text`: always a text; a missing value is an error.
 * - `header`: only what a header can carry; one whole `${ }` without a value yields nothing.
 * - `query`: as `header`, but any characters: the caller encodes the whole value. One whole `${ }` with a list repeats
 *   the parameter.
 * - `url`: each value percent-encoded, but for a `${ }` at the very start; no value inside a host.
 * - `base`: the `url` of an environment, whose host may hold values that are parts of a host name.
 */
export type TextPosition = 'value' | 'text' | 'header' | 'query' | 'url' | 'base';

/** A stretch of plain text, or one `${ }`. */
type Part = string | Placeholder;

interface Placeholder {
  readonly expression: Mapping;
  /** Of the `$`. */
  readonly place: Place;
}

const isLiteral = (part: Part | undefined): part is string => typeof part === 'string';
const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null;
const failed = (message: string, { place }: Placeholder, help?: string): Failure =>
  new Failure(message, { code: 'mapping_failed', place, help });

/**
 * Compiles a text that may hold `${ }`. One without yields the text, and is `constant`. The last newline of a block
 * scalar is the caller's to drop. Throws `mapping_syntax`.
 */
export function compileTemplate(source: SourceText, position: TextPosition, engine?: Engine): Mapping {
  const parts = partsOf(source, engine);
  const common = { place: source.placeAt(0), text: source.text };
  if (position === 'url') refuseHostValue(parts);
  if (position === 'header') {
    for (const part of parts) if (isLiteral(part)) checkHeader(part, 'mapping_syntax', common.place);
  }
  if (parts.every(isLiteral)) {
    const text = parts.join('');
    return { ...common, constant: true, evaluate: () => text };
  }
  return {
    ...common,
    constant: false,
    evaluate: (roots, context) =>
      inOrder(
        parts,
        (part) => (isLiteral(part) ? part : part.expression.evaluate(roots, context)),
        (values) => join(parts, values, position),
      ),
  };
}

/**
 * Evaluates one after another, so that the first failure in the text is the one reported. The compiled engine answers
 * at once, the stock one by a promise: this makes no promise where none was given.
 */
export function inOrder<T>(
  items: readonly T[],
  evaluate: (item: T) => unknown,
  finish: (values: readonly unknown[]) => unknown,
): unknown {
  const values: unknown[] = [];
  const goOn = (): unknown => {
    for (const item of items.slice(values.length)) {
      const value = evaluate(item);
      if (value instanceof Promise) {
        return value.then((settled: unknown) => {
          values.push(settled);
          return goOn();
        });
      }
      values.push(value);
    }
    return finish(values);
  };
  return goOn();
}

/** The plain stretches and the expressions of a text; `$${` is a literal `${`. */
function partsOf(source: SourceText, engine: Engine | undefined): readonly Part[] {
  const { text } = source;
  const parts: Part[] = [];
  let literal = '';
  let at = 0;
  for (let next = text.indexOf('${'); next !== -1; next = text.indexOf('${', at)) {
    if (next > at && text[next - 1] === '$') {
      literal += `${text.slice(at, next - 1)}\${`;
      at = next + 2;
      continue;
    }
    literal += text.slice(at, next);
    if (literal !== '') parts.push(literal);
    literal = '';
    const end = endOfPlaceholder(source, next);
    const expression = compileExpression(sliceOf(source, next + 2, end), engine);
    parts.push({ expression, place: source.placeAt(next) });
    at = end + 1;
  }
  literal += text.slice(at);
  return literal === '' ? parts : [...parts, literal];
}

function endOfPlaceholder(source: SourceText, start: number): number {
  const end = endOfExpression(source.text, start + 2);
  if (end !== undefined && source.text.slice(start + 2, end).trim() !== '') return end;
  throw new Failure(end === undefined ? 'this ${ has no closing }' : 'there is no expression between ${ and }', {
    code: 'mapping_syntax',
    place: source.placeAt(start),
    help: end === undefined ? 'close it, or write $${ for a literal ${' : undefined,
  });
}

function join(parts: readonly Part[], values: readonly unknown[], position: TextPosition): unknown {
  const [whole] = parts;
  if (parts.length === 1 && whole !== undefined && !isLiteral(whole)) {
    const [value] = values;
    if (position === 'value') return value;
    if (isMissing(value) && (position === 'header' || position === 'query')) return undefined;
    if (position === 'query' && Array.isArray(value)) return value.map((each: unknown) => textOf(whole, each));
  }
  if (position === 'url' || position === 'base') return joinUrl(parts, values, position);
  const texts = parts.map((part, at) => {
    if (isLiteral(part)) return part;
    const text = textOf(part, values[at]);
    if (position === 'header') checkHeader(text, 'mapping_failed', part.place);
    return text;
  });
  return texts.join('');
}

/** The text a `${ }` puts in its place. Throws `mapping_failed` when there is no value, or one that is no text. */
function textOf(part: Placeholder, value: unknown): string {
  if (isMissing(value)) {
    const line = part.expression.text.trim().replaceAll(/\s+/g, ' ');
    const shown = line.length > 60 ? `${line.slice(0, 59)}…` : line;
    throw failed(`this \${ } has no value: ${shown}`, part, "$first(…, '') gives an empty text where none is meant");
  }
  const text = textOfScalar(value);
  if (text !== undefined) return text;
  const help = Array.isArray(value) ? '$join(…) makes one text of several' : undefined;
  throw failed(`this \${ } must yield a text, a number or a boolean, but yields ${kindOf(value)}`, part, help);
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

// URLs ---------------------------------------------------------------------------------------------------------------

/** `https://host` or `//host`, not yet ended by a path, query or fragment. */
const INSIDE_HOST = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#\\]*$/i;
/** One label: a dot would let the value name another domain. */
const HOST_LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i;

/** Refuses a `${ }` inside the host that the author wrote, which only a `base` may hold. */
function refuseHostValue([first, second]: readonly Part[]): void {
  if (!isLiteral(first) || second === undefined || isLiteral(second) || !INSIDE_HOST.test(first)) return;
  throw new Failure('a host holds no ${ }', {
    code: 'mapping_syntax',
    place: second.place,
    help: 'declare the host in environments, where url may hold values of the account',
  });
}

/** The URL: literals as written, a `${ }` at the very start as it is, every other value percent-encoded. */
function joinUrl(parts: readonly Part[], values: readonly unknown[], position: 'url' | 'base'): string {
  let url = '';
  for (const [at, part] of parts.entries()) {
    if (isLiteral(part)) {
      url += part;
      continue;
    }
    const text = textOf(part, values[at]);
    if (text === '') throw failed('a value in a URL must not be empty', part);
    if (INSIDE_HOST.test(url)) {
      if (position === 'url') throw failed('a host holds no ${ }', part);
      if (!HOST_LABEL.test(text)) throw failed('this value cannot be part of a host name', part);
      url += text;
    } else url += at === 0 ? text : percentEncoded(text, part);
  }
  // Encoding does not protect `..`: a URL parser takes `%2e%2e` for it as well.
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const placeholder = parts.find((part): part is Placeholder => !isLiteral(part));
  if (placeholder !== undefined && /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path)) {
    throw failed('a segment of this path comes out as dots', placeholder);
  }
  return url;
}

/** RFC 3986: everything but unreserved characters, so a value can end neither its path segment nor its query value. */
function percentEncoded(text: string, part: Placeholder): string {
  if (!text.isWellFormed()) throw failed('this value holds half of a surrogate pair', part);
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** One token of JSONata, as far as finding an end needs to tell them apart. A `/` may begin a regular expression. */
const TOKEN =
  /\s+|\/\*[^]*?\*\/|"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|`[^`]*`|\*\*|\/(?!\*)|[.[\]{}(),@#;:?+\-*%|=<>^!&~]|[^\s.[\]{}(),@#;:?+\-*/%|=<>^!&~"'`][^\s.[\]{}(),@#;:?+\-*/%|=<>^!&~]*/y;
const BLANK_OR_COMMENT = /^(?:\s|\/\*)/;

/** Undefined at the end of the text, and where a text, name or comment is not closed. */
function tokenAt(text: string, at: number): string | undefined {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0];
}

/**
 * Where the expression that begins at `start` meets the `}` that nothing in it opened: the offset of that `}`, or
 * undefined when there is none. Texts, names in backquotes, comments and regular expressions are skipped whole.
 */
export function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0;
  // A `/` begins a regular expression only where a value may stand.
  let valueMayStand = true;
  let at = start;
  for (let token = tokenAt(text, at); token !== undefined; token = tokenAt(text, at)) {
    if (token === '}' && depth === 0) return at;
    at = token === '/' && valueMayStand ? endOfRegex(text, at + 1) : at + token.length;
    if (BLANK_OR_COMMENT.test(token)) continue;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    valueMayStand = isBeforeValue(token, valueMayStand);
  }
  return undefined;
}

function isBeforeValue(token: string, valueMayStand: boolean): boolean {
  // Where a value may stand, wildcards, the parent and the placeholder of a partial application are values themselves.
  if (valueMayStand) return /^[.[{(,@#;:+\-|=<>^!&~]$/.test(token);
  return /^(?:[.[{(,@#;:?+\-*/%|=<>^!&~]|and|or|in)$/.test(token);
}

/** As JSONata reads them: a `/` inside brackets, or escaped, does not end the expression. */
function endOfRegex(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '/' && depth === 0) return at + 1;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
  }
  return text.length;
}

/**
 * Where the value that begins at `start` ends: before the comma, colon, semicolon or bracket that is none of its own,
 * without the blanks and comments in front of that. Undefined where that cannot be told without parsing.
 */
export function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let end = start;
  let at = start;
  for (let token = tokenAt(text, at); token !== undefined; token = tokenAt(text, at)) {
    at += token.length;
    if (BLANK_OR_COMMENT.test(token)) continue;
    // A regular expression, or a division: only the parser knows.
    if (token === '/' || token === '?') return undefined;
    if (depth === 0 && ',;:)]}'.includes(token)) return end;
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
    end = at;
  }
  return depth === 0 && at === text.length ? end : undefined;
}
