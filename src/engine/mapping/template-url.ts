import { Failure } from '../failure.ts';
import { isLiteral, textOfPlaceholder, type Part, type Placeholder } from './template-parts.ts';

/** `https://host` or `//host`, not yet ended by a path, query or fragment. */
const INSIDE_HOST = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#\\]*$/i;
/** One label: a dot would let the value name another domain. */
const HOST_LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i;

/** Refuses a `${ }` inside the host that the author wrote, which only a `base` may hold. Throws `mapping_syntax`. */
export function checkUrlParts(parts: readonly Part[], position: 'url' | 'base'): void {
  if (position === 'base') return;
  const first = parts[0];
  const second = parts[1];
  if (first === undefined || second === undefined || !isLiteral(first) || isLiteral(second)) return;
  if (!INSIDE_HOST.test(first)) return;
  throw new Failure('a host holds no ${ }', {
    code: 'mapping_syntax',
    place: second.place,
    help: 'declare the host in environments, where url may hold values of the account',
  });
}

/** The URL: literals as written, a `${ }` at the very start as it is, every other value percent-encoded. */
export function joinUrl(parts: readonly Part[], values: readonly unknown[], position: 'url' | 'base'): string {
  let url = '';
  for (const [at, part] of parts.entries()) {
    url += isLiteral(part) ? part : valueInUrl(part, textOfPlaceholder(part, values[at]), { url, at, position });
  }
  const placeholder = parts.find((part): part is Placeholder => !isLiteral(part));
  if (placeholder !== undefined) refuseDotSegments(url, placeholder);
  return url;
}

interface Before {
  readonly url: string;
  readonly at: number;
  readonly position: 'url' | 'base';
}

function valueInUrl(part: Placeholder, text: string, { url, at, position }: Before): string {
  if (text === '') throw failed('a value in a URL must not be empty', part);
  if (at === 0) return text;
  if (INSIDE_HOST.test(url)) {
    if (position === 'url') throw failed('a host holds no ${ }', part);
    if (!HOST_LABEL.test(text)) throw failed('this value cannot be part of a host name', part);
    return text;
  }
  return percentEncoded(text, part);
}

/** RFC 3986: everything but unreserved characters, so a value can end neither its path segment nor its query value. */
function percentEncoded(text: string, part: Placeholder): string {
  if (!text.isWellFormed()) throw failed('this value holds half of a surrogate pair', part);
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encoding does not protect `..`: a URL parser takes `%2e%2e` for it as well. */
function refuseDotSegments(url: string, part: Placeholder): void {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path))
    throw failed('a segment of this path comes out as dots', part);
}

const failed = (message: string, part: Placeholder): Failure =>
  new Failure(message, { code: 'mapping_failed', place: part.place });
