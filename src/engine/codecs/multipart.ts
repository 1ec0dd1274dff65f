import { isMap, kindOf, type ValuePath } from '../value.ts';
import * as codec from './codec.ts';
import { jsonCodec } from './json.ts';
import { codecOf, parseMediaType } from './codec.ts';
import { decodeBase64, decodeText, unescapeHex } from './text.ts';
import { xmlCodec } from './xml.ts';

/**
 * Written as multipart/form-data (RFC 7578) from a map of parts: a scalar, or `{ content, filename?, contentType?,
 * contentEncoding? }`, whose content is text, bytes, base64 text with `contentEncoding: base64`, or a map or list with a
 * JSON or XML `contentType`; a list repeats its part; null and what is missing are left out.
 * Read (mixed, related, form-data) to a map by part name, else Content-ID, else the index: JSON and XML parts decoded,
 * text parts as text, all others as base64 text, so that a body is always plain data and goes straight into a label.
 */
export const multipartCodec: codec.Encoder & codec.Decoder = {
  encode(value, { boundary = '' } = {}) {
    if (!/^[\w'()+,./:=?-]{1,70}$/.test(boundary))
      throw codec.notEncodable('multipart needs a boundary of 1 to 70 plain characters', []);
    if (!isMap(value))
      throw codec.notEncodable(`multipart is written from a map of parts, but this is ${kindOf(value)}`, []);
    const parts = Object.entries(value).flatMap(([name, part]) =>
      Array.isArray(part)
        ? part.map((one: unknown, at) => writePart(name, one, [name, at]))
        : [writePart(name, part, [name])],
    );
    const chunks = parts.flatMap((part) => (part === undefined ? [] : [Buffer.from(`--${boundary}\r\n`), part, CRLF]));
    if (parts.some((part) => part?.includes(`--${boundary}`)))
      throw codec.notEncodable('a part holds the boundary itself', []);
    return {
      bytes: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
      contentType: `multipart/form-data; boundary=${/[^\w'+.-]/.test(boundary) ? `"${boundary}"` : boundary}`,
    };
  },
  ...codec.decoderOf((bytes, { contentType, limits }) => {
    if (bytes.length === 0) return { body: undefined };
    const parts = splitMultipart(bytes, contentType, limits);
    return { body: codec.collectRepeats(parts.map((part, at) => [keyOf(part, at), decodePart(part, limits)])) };
  }),
};

const CRLF = Buffer.from('\r\n');
const PART_KEYS: ReadonlySet<string> = new Set(['content', 'filename', 'contentType', 'contentEncoding']);

/** What a part is called in the map: its name, else its Content-ID, else its place. */
export const keyOf = (part: BodyPart, at: number): string => part.name ?? part.id ?? String(at);

function writePart(name: string, value: unknown, path: ValuePath): Buffer | undefined {
  if (value === null || value === undefined) return undefined;
  const part = isMap(value) ? value : { content: value };
  const unknown = Object.keys(part).find((key) => !PART_KEYS.has(key));
  if (unknown !== undefined) {
    throw codec.notEncodable('is not a key of a part', [...path, unknown], `a part has ${[...PART_KEYS].join(', ')}`);
  }
  const contentType = headerText(part['contentType'], [...path, 'contentType']);
  const filename = codec.scalarText(part['filename'], [...path, 'filename']);
  const content = contentOf(part, contentType, path);
  const head =
    `Content-Disposition: form-data; name="${escapeName(name)}"` +
    `${filename === undefined ? '' : `; filename="${escapeName(filename)}"`}\r\n` +
    `${contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`}\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

function contentOf(part: Record<string, unknown>, contentType: string | undefined, path: ValuePath): Buffer {
  const content = part['content'];
  const at = [...path, 'content'];
  const encoding = part['contentEncoding'] ?? 'text';
  if (encoding !== 'text' && encoding !== 'base64')
    throw codec.notEncodable("must be 'text' or 'base64'", [...path, 'contentEncoding']);
  if (content instanceof Uint8Array) return Buffer.from(content);
  if (isMap(content) || Array.isArray(content)) {
    const format = codecOf(contentType);
    if (format === 'json') return jsonCodec.encode(content).bytes;
    if (format === 'xml') return xmlCodec.encode(content).bytes;
    throw codec.notEncodable(`is ${kindOf(content)}: that needs a contentType of JSON or XML`, at);
  }
  const text = codec.scalarText(content, at);
  if (text === undefined) throw codec.notEncodable('a part needs content', at);
  if (encoding === 'text') return Buffer.from(text);
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw codec.notEncodable('is not base64', at);
  return bytes;
}

function headerText(value: unknown, path: ValuePath): string | undefined {
  const text = codec.scalarText(value, path);
  if (text !== undefined && /[^\x20-\x7e]/.test(text))
    throw codec.notEncodable('holds characters that no header may', path);
  return text;
}

const escapeName = (name: string): string =>
  name.toWellFormed().replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));

// Reading -------------------------------------------------------------------------------------------------------------

function decodePart({ bytes, contentType = '' }: BodyPart, limits: codec.DecodeLimits): unknown {
  const format = contentType === '' ? 'text' : codecOf(contentType);
  if (format === 'json' || format === 'xml' || format === 'soap') {
    const decoded = (format === 'json' ? jsonCodec : xmlCodec).decode(bytes, { contentType, limits });
    if (!decoded.ok) throw decoded.reason;
    return decoded.body;
  }
  return format === 'text' ? decodeText(bytes, contentType) : bytes.toString('base64');
}

/** One part of a multipart body, its transfer encoding undone. */
export interface BodyPart {
  readonly name?: string;
  readonly filename?: string;
  /** Content-ID, without its angle brackets. */
  readonly id?: string;
  readonly contentType?: string;
  readonly bytes: Buffer;
}

const MAX_HEAD_BYTES = 16_384;
const MAX_PARTS = 1_000;

/**
 * Cuts a multipart body (RFC 2046, section 5.1) into its parts; bare LF passes for CRLF.
 * Throws `body_not_readable` when the boundary is unknown or the last one never comes: the body was cut.
 */
export function splitMultipart(bytes: Buffer, contentType: string | undefined, limits: codec.DecodeLimits): BodyPart[] {
  const boundary = parseMediaType(contentType).parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > 200)
    throw codec.notReadable('is multipart, but its Content-Type names no boundary');
  const maxParts = Math.min(MAX_PARTS, limits.maxNodes);
  const parts: BodyPart[] = [];
  let delimiter = nextDelimiter(bytes, boundary, 0);
  while (delimiter !== undefined && !delimiter.last) {
    const next = nextDelimiter(bytes, boundary, delimiter.end);
    if (next === undefined) break;
    if (parts.length >= maxParts) throw codec.tooLarge(`has more than ${maxParts} parts`);
    parts.push(readPart(bytes.subarray(delimiter.end, Math.max(delimiter.end, next.start))));
    delimiter = next;
  }
  if (delimiter === undefined) throw codec.notReadable('is multipart, but its boundary never occurs');
  if (!delimiter.last) throw codec.notReadable('was cut: the closing boundary is missing');
  return parts;
}

interface Delimiter {
  /** Where the line break before it begins, which belongs to it. */
  readonly start: number;
  /** Just after its own line break. */
  readonly end: number;
  readonly last: boolean;
}

function nextDelimiter(bytes: Buffer, boundary: string, from: number): Delimiter | undefined {
  const mark = Buffer.from(`--${boundary}`, 'latin1');
  for (let at = bytes.indexOf(mark, from); at !== -1; at = bytes.indexOf(mark, at + 1)) {
    const startsLine = at === 0 || at === from || bytes[at - 1] === 0x0a;
    // A longer boundary may begin with this one.
    const tail = /^(--)?[ \t]*(\r?\n|$)/.exec(bytes.toString('latin1', at + mark.length, at + mark.length + 80));
    const last = bytes.toString('latin1', at + mark.length, at + mark.length + 2) === '--';
    if (!startsLine || (tail === null && !last)) continue;
    if (!last && tail?.[2] === '') return undefined;
    const lineBreak = at === from ? 0 : bytes[at - 2] === 0x0d ? 2 : at === 0 ? 0 : 1;
    return { start: at - lineBreak, end: at + mark.length + (tail?.[0].length ?? 2), last };
  }
  return undefined;
}

function readPart(bytes: Buffer): BodyPart {
  const { headers, content } = splitHead(bytes);
  const disposition = parseMediaType(headers.get('content-disposition')).parameters;
  const name = disposition.get('name');
  const filename = disposition.get('filename');
  const id = headers.get('content-id')?.replace(/^<(.*)>$/, '$1');
  const contentType = headers.get('content-type');
  return {
    ...(name === undefined ? {} : { name: unescapeName(name) }),
    ...(filename === undefined ? {} : { filename: unescapeName(filename) }),
    ...(id === undefined ? {} : { id }),
    ...(contentType === undefined ? {} : { contentType }),
    bytes: withoutTransferEncoding(content, headers.get('content-transfer-encoding')),
  };
}

// The three escapes of the HTML standard's multipart/form-data; a per cent sign itself is not escaped there.
const unescapeName = (name: string): string => name.replaceAll(/%(?:22|0D|0A)/gi, (code) => decodeURIComponent(code));

function splitHead(bytes: Buffer): { headers: Map<string, string>; content: Buffer } {
  const headers = new Map<string, string>();
  const opening = /^\r?\n/.exec(bytes.toString('latin1', 0, 2));
  if (opening !== null) return { headers, content: bytes.subarray(opening[0].length) };
  const head = bytes.toString('latin1', 0, MAX_HEAD_BYTES);
  // The line break before the next boundary is not the part's: headers may end with the part itself.
  const end = (bytes.length < MAX_HEAD_BYTES ? /\r?\n(?:\r?\n|$)/ : /\r?\n\r?\n/).exec(head);
  if (end === null) throw codec.notReadable('has a part whose headers never end');
  const lines = Buffer.from(head.slice(0, end.index), 'latin1')
    .toString()
    .replaceAll(/\r?\n[ \t]+/g, ' ');
  for (const line of lines.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { headers, content: bytes.subarray(end.index + end[0].length) };
}

function withoutTransferEncoding(bytes: Buffer, encoding: string | undefined): Buffer {
  switch (encoding?.toLowerCase()) {
    case 'base64':
      return Buffer.from(bytes.toString('latin1'), 'base64');
    case 'quoted-printable': {
      const text = bytes.toString('latin1').replaceAll(/=[ \t]*\r?\n/g, '');
      return Buffer.from(unescapeHex(text, /=([0-9A-F]{2})/gi), 'latin1');
    }
    default:
      return bytes;
  }
}
