import { notReadable, tooLarge, type DecodeLimits } from './codec.ts';
import { parseMediaType } from './media-type.ts';

/** One part of a multipart body, its transfer encoding undone. */
export interface Part {
  /** From Content-Disposition. */
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
 * Cuts a multipart body (RFC 2046 §5.1) into its parts; bare LF passes for CRLF.
 * Throws `body_not_readable` when the boundary is unknown or the last one never comes: the body was cut.
 */
export function splitMultipart(bytes: Buffer, contentType: string | undefined, limits: DecodeLimits): Part[] {
  const boundary = parseMediaType(contentType).parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > 200)
    throw notReadable('is multipart, but its Content-Type names no boundary');
  const maxParts = Math.min(MAX_PARTS, limits.maxNodes);
  const parts: Part[] = [];
  let delimiter = nextDelimiter(bytes, boundary, 0);
  while (delimiter !== undefined && !delimiter.last) {
    const next = nextDelimiter(bytes, boundary, delimiter.end);
    if (next === undefined) break;
    if (parts.length >= maxParts) throw tooLarge(`has more than ${maxParts} parts`);
    parts.push(readPart(bytes.subarray(delimiter.end, Math.max(delimiter.end, next.start))));
    delimiter = next;
  }
  if (delimiter === undefined) throw notReadable('is multipart, but its boundary never occurs');
  if (!delimiter.last) throw notReadable('was cut: the closing boundary is missing');
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

function readPart(bytes: Buffer): Part {
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
  if (end === null) throw notReadable('has a part whose headers never end');
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
      return Buffer.from(
        text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      );
    }
    default:
      return bytes;
  }
}
