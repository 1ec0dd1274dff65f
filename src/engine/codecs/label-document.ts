import { Failure } from '../failure.ts';
import { isMap, kindOf } from '../value.ts';
import { asBuffer } from './codec.ts';
import { decodeBase64, unescapeHex } from './text.ts';

/** Formats that a label may come in; carriers are asked for the first three. */
export type DocumentFormat = 'PDF' | 'ZPL' | 'PNG' | 'GIF' | 'JPEG' | 'EPL';

/** A document that is no label, but that carriers send where one should be. */
export type OtherFormat = 'HTML' | 'XML' | 'JSON' | 'unknown';

export type LabelBytes =
  | { readonly ok: true; readonly bytes: Buffer; readonly format: DocumentFormat }
  | { readonly ok: false; readonly reason: Failure };

const MAX_LABEL_BYTES = 20_000_000;
/** Base64 inside base64 is seen; deeper is nonsense. */
const MAX_UNWRAPPINGS = 2;

/**
 * The bytes of a label, however the carrier wrapped them: a Buffer, base64 text (also as the bytes of an answer, also
 * twice over), a data URI, ZPL as plain text, or the map of a multipart body that holds one label. The format is read
 * from the bytes. Reasons: `label_missing`, `label_too_large`, `label_unknown_format`, `label_truncated`,
 * `label_ambiguous`.
 */
export function labelBytes(value: unknown, maxBytes: number = MAX_LABEL_BYTES): LabelBytes {
  if (isMap(value)) return onlyLabelIn(value, maxBytes);
  const wrapped = bytesOf(value);
  if (wrapped === undefined) return refuse('label_missing', `a label is text or bytes, but this is ${kindOf(value)}`);
  if (wrapped.length === 0) return refuse('label_missing', 'the label is empty');
  // Base64 is a third longer than what it holds, and may be wrapped twice.
  if (wrapped.length > 2 * maxBytes) return tooLarge(maxBytes);
  const bytes = unwrap(wrapped);
  if (bytes.length > maxBytes) return tooLarge(maxBytes);
  const format = formatOf(bytes);
  if (format === 'unknown')
    return refuse('label_unknown_format', 'the document is neither PDF, ZPL, PNG, GIF, JPEG nor EPL');
  if (format === 'HTML' || format === 'XML' || format === 'JSON')
    return refuse('label_unknown_format', `the carrier sent ${format} where a label should be`);
  const end = ENDS[format];
  return end === undefined || end.isIn(bytes)
    ? { ok: true, bytes, format }
    : refuse('label_truncated', `the label was cut: the ${format} has no ${end.name}`);
}

function bytesOf(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array) return asBuffer(value);
  if (typeof value !== 'string') return undefined;
  const data = /^\s*data:[^,]{0,200},/i.exec(value)?.[0];
  if (data !== undefined) {
    const content = value.slice(data.length);
    return /;\s*base64\s*,$/i.test(data)
      ? (decodeBase64(content) ?? Buffer.from(content))
      : Buffer.from(unescapeHex(Buffer.from(content).toString('latin1')), 'latin1');
  }
  // A binary document in a JSON text has one byte a character.
  return /^\s*(?:%PDF-|\x89PNG|GIF8|\xFF\xD8\xFF)/.test(value) ? Buffer.from(value, 'latin1') : Buffer.from(value);
}

function unwrap(bytes: Buffer): Buffer {
  let current = bytes;
  for (let times = 0; times < MAX_UNWRAPPINGS && formatOf(current) === 'unknown'; times += 1) {
    const inner = decodeBase64(current.toString('latin1'));
    if (inner === undefined || inner.length === 0) break;
    current = inner;
  }
  return current;
}

function onlyLabelIn(parts: Record<string, unknown>, maxBytes: number): LabelBytes {
  const labels = Object.values(parts)
    .flatMap((part): unknown[] => (Array.isArray(part) ? part : [part]))
    .filter((part) => typeof part === 'string' || part instanceof Uint8Array)
    .map((part) => labelBytes(part, maxBytes));
  const good = labels.filter((label) => label.ok);
  if (good.length > 1)
    return refuse('label_ambiguous', `the answer holds ${good.length} documents that could be the label`);
  const cut = labels.find((label) => !label.ok && label.reason.code !== 'label_unknown_format');
  return good[0] ?? cut ?? refuse('label_missing', 'no part of the answer is a label');
}

const tooLarge = (maxBytes: number): LabelBytes =>
  refuse('label_too_large', `the label has more than ${maxBytes} bytes`);

const refuse = (code: string, message: string): LabelBytes => ({ ok: false, reason: new Failure(message, { code }) });

const HEAD_BYTES = 2_048;

/** What a document is, from its first bytes (blanks and a byte order mark before them pass). */
export function formatOf(bytes: Uint8Array): DocumentFormat | OtherFormat {
  const buffer = asBuffer(bytes);
  const head = buffer.toString('latin1', 0, HEAD_BYTES).replace(/^(?:\xEF\xBB\xBF)?\s*/, '');
  if (head.startsWith('%PDF-')) return 'PDF';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'PNG';
  if (/^GIF8[79]a/.test(head)) return 'GIF';
  if (head.startsWith('\xFF\xD8\xFF')) return 'JPEG';
  if (isZpl(head, buffer)) return 'ZPL';
  if (/^N\r?\n/.test(head) && /\nP\d/.test(buffer.toString('latin1'))) return 'EPL';
  if (/^<(?:!doctype html|html|head|body)\b/i.test(head)) return 'HTML';
  if (/^<[?!a-z]/i.test(head)) return /<html\b/i.test(head) ? 'HTML' : 'XML';
  if (/^[[{]/.test(head)) return 'JSON';
  return 'unknown';
}

/** Printer set-up, comments and downloaded graphics may come before the label itself. */
function isZpl(head: string, buffer: Buffer): boolean {
  if (/^\^XA/i.test(head)) return true;
  const start = head.startsWith('\u0010') ? head.slice(1) : head;
  return /^(?:CT~~CD,|[~^][A-Z][A-Z0-9])/i.test(start) && buffer.toString('latin1').toUpperCase().includes('^XA');
}

// Readers look for %%EOF in the last 1,024 bytes; some carriers pad a document beyond that.
const TAIL_BYTES = 4_096;

/** What a whole document ends with. */
const ENDS: Readonly<
  Partial<Record<DocumentFormat, { readonly name: string; readonly isIn: (bytes: Buffer) => boolean }>>
> = {
  PDF: { name: '%%EOF', isIn: (bytes) => bytes.subarray(-TAIL_BYTES).includes('%%EOF') },
  PNG: { name: 'IEND', isIn: (bytes) => hasLastChunk(bytes) },
  ZPL: {
    name: '^XZ',
    isIn: (bytes) => {
      const text = bytes.toString('latin1').toUpperCase();
      return text.lastIndexOf('^XZ') > text.lastIndexOf('^XA');
    },
  },
  GIF: { name: 'trailer', isIn: (bytes) => /;[^!-~]*$/.test(bytes.toString('latin1', bytes.length - 16)) },
  JPEG: { name: 'end marker', isIn: (bytes) => bytes.subarray(-TAIL_BYTES).includes('\xFF\xD9', 0, 'latin1') },
};

function hasLastChunk(buffer: Buffer): boolean {
  let at = buffer.indexOf('\x89PNG', 0, 'latin1') + 8;
  while (at + 12 <= buffer.length) {
    const length = buffer.readUInt32BE(at);
    const type = buffer.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') return true;
    at += 12 + length;
  }
  return false;
}
