import { textOf } from './charset.ts';
import {
  addRepeatable,
  decoderOf,
  isMap,
  kindOf,
  notEncodable,
  scalarText,
  type DecodeLimits,
  type Decoder,
  type Encoder,
} from './codec.ts';
import { decodeBase64 } from './base64.ts';
import { jsonCodec } from './json.ts';
import { codecOf } from './media-type.ts';
import { splitMultipart, type Part } from './multipart-parts.ts';
import { xmlCodec } from './xml.ts';

type Path = readonly (string | number)[];

/**
 * Written as multipart/form-data (RFC 7578) from a map of parts: a scalar, or `{ content, filename?, contentType?,
 * contentEncoding? }`, whose content is text, bytes, base64 text with `contentEncoding: base64`, or a map or list with a
 * JSON or XML `contentType`; a list repeats its part; null and what is missing are left out.
 * Read (mixed, related, form-data) to a map by part name, else Content-ID, else the index: JSON and XML parts decoded,
 * text parts as text, all others as base64 text, so that a body is always plain data and goes straight into a label.
 */
export const multipartCodec: Encoder & Decoder = {
  encode(value, { boundary = '' } = {}) {
    if (!/^[\w'()+,./:=?-]{1,70}$/.test(boundary))
      throw notEncodable('multipart needs a boundary of 1 to 70 plain characters', []);
    if (!isMap(value)) throw notEncodable(`multipart is written from a map of parts, but this is ${kindOf(value)}`, []);
    const parts = Object.entries(value).flatMap(([name, part]) =>
      Array.isArray(part)
        ? part.map((one: unknown, at) => writePart(name, one, [name, at]))
        : [writePart(name, part, [name])],
    );
    const chunks = parts.flatMap((part) => (part === undefined ? [] : [Buffer.from(`--${boundary}\r\n`), part, CRLF]));
    if (parts.some((part) => part?.includes(`--${boundary}`)))
      throw notEncodable('a part holds the boundary itself', []);
    return {
      bytes: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
      contentType: `multipart/form-data; boundary=${/[^\w'+.-]/.test(boundary) ? `"${boundary}"` : boundary}`,
    };
  },
  ...decoderOf((bytes, { contentType, limits }) => {
    if (bytes.length === 0) return { body: undefined };
    const body: Record<string, unknown> = {};
    const repeated = new Set<string>();
    for (const [at, part] of splitMultipart(bytes, contentType, limits).entries()) {
      addRepeatable(body, repeated, keyOf(part, at), readPart(part, limits));
    }
    return { body };
  }),
};

const CRLF = Buffer.from('\r\n');
const PART_KEYS: ReadonlySet<string> = new Set(['content', 'filename', 'contentType', 'contentEncoding']);

/** What a part is called in the map: its name, else its Content-ID, else its place. */
export const keyOf = (part: Part, at: number): string => part.name ?? part.id ?? String(at);

function writePart(name: string, value: unknown, path: Path): Buffer | undefined {
  if (value === null || value === undefined) return undefined;
  const part = isMap(value) ? value : { content: value };
  const unknown = Object.keys(part).find((key) => !PART_KEYS.has(key));
  if (unknown !== undefined) {
    throw notEncodable('is not a key of a part', [...path, unknown], `a part has ${[...PART_KEYS].join(', ')}`);
  }
  const contentType = headerText(part['contentType'], [...path, 'contentType']);
  const filename = scalarText(part['filename'], [...path, 'filename']);
  const content = contentOf(part, contentType, path);
  const head =
    `Content-Disposition: form-data; name="${escapeName(name)}"` +
    `${filename === undefined ? '' : `; filename="${escapeName(filename)}"`}\r\n` +
    `${contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`}\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

function contentOf(part: Record<string, unknown>, contentType: string | undefined, path: Path): Buffer {
  const content = part['content'];
  const at = [...path, 'content'];
  const encoding = part['contentEncoding'] ?? 'text';
  if (encoding !== 'text' && encoding !== 'base64')
    throw notEncodable("must be 'text' or 'base64'", [...path, 'contentEncoding']);
  if (content instanceof Uint8Array) return Buffer.from(content);
  if (isMap(content) || Array.isArray(content)) {
    const codec = codecOf(contentType);
    if (codec === 'json') return jsonCodec.encode(content).bytes;
    if (codec === 'xml') return xmlCodec.encode(content).bytes;
    throw notEncodable(`is ${kindOf(content)}: that needs a contentType of JSON or XML`, at);
  }
  const text = scalarText(content, at);
  if (text === undefined) throw notEncodable('a part needs content', at);
  if (encoding === 'text') return Buffer.from(text);
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw notEncodable('is not base64', at);
  return bytes;
}

function headerText(value: unknown, path: Path): string | undefined {
  const text = scalarText(value, path);
  if (text !== undefined && /[^\x20-\x7e]/.test(text)) throw notEncodable('holds characters that no header may', path);
  return text;
}

const escapeName = (name: string): string =>
  name.toWellFormed().replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));

function readPart({ bytes, contentType = '' }: Part, limits: DecodeLimits): unknown {
  const codec = contentType === '' ? 'text' : codecOf(contentType);
  if (codec === 'json' || codec === 'xml' || codec === 'soap') {
    const decoded = (codec === 'json' ? jsonCodec : xmlCodec).decode(bytes, { contentType, limits });
    if (!decoded.ok) throw decoded.reason;
    return decoded.body;
  }
  return codec === 'text' ? textOf(bytes, contentType) : bytes.toString('base64');
}
