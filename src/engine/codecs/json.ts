import { decodeText } from './text.ts';
import { decoderOf, notEncodable, notReadable, tooLarge, type Decoder, type Encoder } from './codec.ts';
import { isMap, kindOf } from '../value.ts';
import { messageOf } from '../failure.ts';

const MAX_WRITTEN_DEPTH = 100;

/**
 * JSON (RFC 8259). Writing keeps null and drops what is missing, in lists too. Reading gives an integer beyond 2^53,
 * and any number a double cannot hold, as its digits in text: carriers send 20-digit tracking numbers as numbers.
 * An empty body reads as nothing. A key `__proto__` is dropped.
 */
export const jsonCodec: Encoder & Decoder = {
  encode: (value) => ({ bytes: Buffer.from(writeJson(value)), contentType: 'application/json' }),
  ...decoderOf((bytes, { contentType, limits }) => {
    const text = decodeText(bytes, contentType);
    return { body: text.trim() === '' ? undefined : readJson(text, limits.maxDepth, limits.maxNodes) };
  }),
};

/** Parses bounded JSON text as `jsonCodec` does. Throws `body_not_readable` or `body_too_large`. */
export function readJson(text: string, maxDepth: number, maxNodes = Number.POSITIVE_INFINITY): unknown {
  checkBounds(text, maxDepth, maxNodes);
  try {
    const plain: unknown = JSON.parse(text);
    // The reviver costs several times the parsing, so it runs only where a number may need it.
    const exact: unknown = MAY_BE_INEXACT.test(text) ? JSON.parse(text, keepDigits) : plain;
    // The name may be written with escapes.
    return text.includes('__proto__') || text.includes('\\u') ? withoutProto(exact) : exact;
  } catch (thrown) {
    throw notReadable(`is not JSON: ${withoutExcerpt(messageOf(thrown))}`);
  }
}

/** The engine's message quotes the text around the fault, which may be a secret: only what and where is kept. */
const withoutExcerpt = (message: string): string => message.replace(/,? (?:\.\.\.)?"[^]*$/, '').replace(/ in JSON/, '');

const MAY_BE_INEXACT = /\d{16}|[eE][+-]?\d{3}/;

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const exact = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source));
  return exact ? value : context.source;
}

/**
 * Counts brackets and commas outside strings before anything is built: parsing millions of them takes seconds. What is
 * empty counts as one that holds a value. Throws `body_too_large`.
 */
export function checkBounds(text: string, maxDepth: number, maxNodes: number): void {
  let [depth, nodes] = [0, 1];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x2c) {
      nodes += 1;
    } else if (code === 0x5b || code === 0x7b) {
      nodes += 1;
      depth += 1;
      if (depth > maxDepth) throw tooLarge(`is nested deeper than ${maxDepth} levels`);
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    }
    if (nodes > maxNodes) throw tooLarge(`has more than ${maxNodes} values`);
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const element of value) withoutProto(element);
  } else if (isMap(value)) {
    if (Object.hasOwn(value, '__proto__')) delete value['__proto__'];
    for (const key in value) withoutProto(value[key]);
  }
  return value;
}

/** The JSON text of a mapping's value; throws a `Failure` naming the place of what JSON cannot hold. */
function writeJson(value: unknown): string {
  if (value === undefined) throw notEncodable('there is no value to send as JSON', []);
  const holes = checkWritable(value, []);
  return holes ? JSON.stringify(value, withoutHoles) : JSON.stringify(value);
}

const withoutHoles = (_key: string, value: unknown): unknown =>
  Array.isArray(value) ? value.filter((element) => element !== undefined) : value;

/** Throws on what JSON has no form for; true if a list holds what is missing, where JSON would write null. */
function checkWritable(value: unknown, path: (string | number)[]): boolean {
  switch (typeof value) {
    case 'undefined':
      return typeof path.at(-1) === 'number';
    case 'string':
    case 'boolean':
      return false;
    case 'number':
      if (Number.isFinite(value)) return false;
      break;
    case 'object':
      if (value === null) return false;
      if (path.length >= MAX_WRITTEN_DEPTH) throw notEncodable(`is nested deeper than ${MAX_WRITTEN_DEPTH} levels`, []);
      if (Array.isArray(value)) return checkMembers(value.entries(), path);
      if (isMap(value)) return checkMembers(Object.entries(value), path);
      break;
    default:
  }
  throw notEncodable(`JSON has no form for it: it is ${kindOf(value)}`, path);
}

function checkMembers(members: Iterable<[string | number, unknown]>, path: (string | number)[]): boolean {
  let holes = false;
  for (const [part, member] of members) {
    path.push(part);
    holes = checkWritable(member, path) || holes;
    path.pop();
  }
  return holes;
}
