import { Failure, messageOf } from '../failure.ts';
import { formatPath, kindOf, type ValuePath } from '../value.ts';

export type CodecName = 'json' | 'xml' | 'soap' | 'form' | 'multipart' | 'text' | 'binary' | 'none';

/** A body ready to be sent. `headers` are those the format itself demands beside Content-Type (SOAPAction). */
export interface Encoded {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a format needs to know beyond the value; each codec reads its own keys only. */
export interface EncodeOptions {
  /** soap: default `1.1`. */
  readonly version?: '1.1' | '1.2' | undefined;
  /** soap: the operation's action URI. */
  readonly action?: string | undefined;
  /** soap, xml: prefix → URI, declared on the root; the prefix `''` is the default namespace. */
  readonly namespaces?: Readonly<Record<string, string>> | undefined;
  /** multipart: given by the caller, so that a repeat sends the same bytes. */
  readonly boundary?: string | undefined;
}

export interface DecodeLimits {
  readonly maxBytes: number;
  /** Nesting of JSON containers or XML elements. */
  readonly maxDepth: number;
  /** XML elements and attributes together, form fields, parts of a multipart body. */
  readonly maxNodes: number;
}

export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxBytes: 20_000_000, maxDepth: 100, maxNodes: 200_000 };

interface DecodeOptions {
  /** The Content-Type as it came, with its parameters. */
  readonly contentType?: string | undefined;
  readonly limits?: Partial<DecodeLimits> | undefined;
}

/** A SOAP fault of either version. The prefix of `code` is dropped; a 1.2 subcode is kept beside it. */
export interface SoapFault {
  readonly code: string;
  readonly subcode?: string;
  readonly message: string;
  readonly detail?: unknown;
}

type Decoded =
  | { readonly ok: true; readonly body: unknown; readonly fault?: SoapFault }
  | { readonly ok: false; readonly reason: Failure };

export interface Encoder {
  /** Throws a `Failure` with code `body_not_encodable` that names the place in the value. */
  encode(value: unknown, options?: EncodeOptions): Encoded;
}

export interface Decoder {
  decode(bytes: Uint8Array, options?: DecodeOptions): Decoded;
}

interface DecodeContext {
  readonly contentType: string | undefined;
  readonly limits: DecodeLimits;
}

type Read = (bytes: Buffer, context: DecodeContext) => { readonly body: unknown; readonly fault?: SoapFault };

/** Makes a decoder of a reading that throws: bounds the size first, and turns what is thrown into a reason. */
export function decoderOf(read: Read): Decoder {
  return {
    decode(bytes, options = {}) {
      const limits = { ...DEFAULT_DECODE_LIMITS, ...options.limits };
      try {
        if (bytes.byteLength > limits.maxBytes) throw tooLarge(`more than ${limits.maxBytes} bytes`);
        return { ok: true, ...read(asBuffer(bytes), { contentType: options.contentType, limits }) };
      } catch (thrown) {
        return { ok: false, reason: thrown instanceof Failure ? thrown : notReadable(messageOf(thrown), thrown) };
      }
    },
  };
}

export const notReadable = (message: string, cause?: unknown): Failure =>
  new Failure(message, { code: 'body_not_readable', cause });

export const tooLarge = (message: string): Failure => new Failure(message, { code: 'body_too_large' });

export const notEncodable = (message: string, path: ValuePath, help?: string): Failure =>
  new Failure(path.length === 0 ? message : `${formatPath(path)}: ${message}`, { code: 'body_not_encodable', help });

/**
 * The text of a scalar for a format that knows only text; `undefined` for null and what is missing.
 * Throws on everything else, and on half a surrogate pair, which no charset can carry.
 */
export function scalarText(value: unknown, path: ValuePath): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'string':
      if (!value.isWellFormed()) throw notEncodable('holds half of a surrogate pair', path);
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      if (Number.isFinite(value)) return String(value);
      break;
    default:
      if (value === null) return undefined;
  }
  throw notEncodable(`must be text, a number or a boolean, but is ${kindOf(value)}`, path);
}

/**
 * A map of what was read from outside, in the order of first occurrence; what repeats becomes a list.
 * `__proto__` is dropped: harmless here, it would not stay so in the next copy of the map.
 */
export function collectRepeats(entries: Iterable<readonly [key: string, value: unknown]>): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  for (const [key, held] of Map.groupBy(entries, ([name]) => name))
    if (key !== '__proto__') map[key] = held.length === 1 ? held[0]?.[1] : held.map(([, value]) => value);
  return map;
}

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

/** Reads a Content-Type (RFC 9110, section 8.3) or a Content-Disposition, which has the same form; forgives what carriers get wrong. */
export function parseMediaType(text: string | undefined) {
  const header = (text ?? '').slice(0, 2_000);
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key))
      parameters.set(key, quoted === undefined ? bare.trim() : quoted.replaceAll(/\\(["\\])/g, '$1'));
  }
  return { type: (header.split(';', 1)[0] ?? '').trim().toLowerCase(), parameters };
}

const BY_TYPE: ReadonlyMap<string, CodecName> = new Map([
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['text/x-json', 'json'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/soap+xml', 'soap'],
  ['application/x-www-form-urlencoded', 'form'],
  ['application/octet-stream', 'binary'],
  ['application/pdf', 'binary'],
  ['application/zip', 'binary'],
  ['application/zpl', 'text'],
  ['application/x-zpl', 'text'],
]);

/**
 * The codec for an answer of this Content-Type; `undefined` when it names none we know.
 * SOAP 1.1 and SOAP with attachments do not say that they are SOAP, so `sent`, the codec of the request, decides for them.
 */
export function codecOf(contentType: string | undefined, sent?: CodecName): CodecName | undefined {
  const { type } = parseMediaType(contentType);
  const codec = BY_TYPE.get(type) ?? byPattern(type);
  return sent === 'soap' && (codec === 'xml' || type === 'multipart/related') ? 'soap' : codec;
}

function byPattern(type: string): CodecName | undefined {
  if (type.endsWith('+json')) return 'json';
  if (type.startsWith('image/')) return 'binary';
  if (type.endsWith('+xml')) return 'xml';
  if (type.startsWith('multipart/')) return 'multipart';
  if (type.startsWith('text/')) return 'text';
  return undefined;
}
