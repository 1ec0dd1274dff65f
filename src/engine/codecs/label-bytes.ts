import { Failure } from '../failure.ts';
import { decodeBase64 } from './base64.ts';
import { asBuffer, isMap, kindOf } from './codec.ts';
import { formatOf, missingEnd, type LabelFormat } from './label-format.ts';

export type LabelBytes =
  | { readonly ok: true; readonly bytes: Buffer; readonly format: LabelFormat }
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
  switch (format) {
    case 'HTML':
    case 'XML':
    case 'JSON':
      return refuse('label_unknown_format', `the carrier sent ${format} where a label should be`);
    case 'unknown':
      return refuse('label_unknown_format', 'the document is neither PDF, ZPL, PNG, GIF, JPEG nor EPL');
    default: {
      const missing = missingEnd(bytes, format);
      return missing === undefined
        ? { ok: true, bytes, format }
        : refuse('label_truncated', `the label was cut: ${missing}`);
    }
  }
}

function bytesOf(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array) return asBuffer(value);
  if (typeof value !== 'string') return undefined;
  const data = /^\s*data:[^,]{0,200},/i.exec(value)?.[0];
  if (data !== undefined) {
    const content = value.slice(data.length);
    return /;\s*base64\s*,$/i.test(data) ? (decodeBase64(content) ?? Buffer.from(content)) : percentDecoded(content);
  }
  // A binary document in a JSON text has one byte a character.
  return /^\s*(?:%PDF-|\x89PNG|GIF8|\xFF\xD8\xFF)/.test(value) ? Buffer.from(value, 'latin1') : Buffer.from(value);
}

const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

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
