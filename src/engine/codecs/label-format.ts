/** Label formats we recognise; carriers are asked for the first three. */
export type LabelFormat = 'PDF' | 'ZPL' | 'PNG' | 'GIF' | 'JPEG' | 'EPL';

/** A document that is no label, but that carriers send where one should be. */
export type OtherFormat = 'HTML' | 'XML' | 'JSON' | 'unknown';

const HEAD_BYTES = 2_048;

/** What a document is, from its first bytes (blanks and a byte order mark before them pass). */
export function formatOf(bytes: Uint8Array): LabelFormat | OtherFormat {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

/** Why a document of this format is not whole, as a clause; `undefined` if its end is there. */
export function missingEnd(bytes: Uint8Array, format: LabelFormat): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (format) {
    case 'PDF':
      return buffer.subarray(-TAIL_BYTES).includes('%%EOF') ? undefined : 'the PDF has no %%EOF';
    case 'PNG':
      return hasLastChunk(buffer) ? undefined : 'the PNG has no IEND';
    case 'ZPL': {
      const text = buffer.toString('latin1').toUpperCase();
      return text.lastIndexOf('^XZ') > text.lastIndexOf('^XA') ? undefined : 'the ZPL has no ^XZ';
    }
    case 'GIF':
      return /;[^!-~]*$/.test(buffer.toString('latin1', buffer.length - 16)) ? undefined : 'the GIF has no trailer';
    case 'JPEG':
      return buffer.subarray(-TAIL_BYTES).includes('\xFF\xD9', 0, 'latin1') ? undefined : 'the JPEG has no end marker';
    case 'EPL':
      break;
  }
  return undefined;
}

// Readers look for %%EOF in the last 1,024 bytes; some carriers pad a document beyond that.
const TAIL_BYTES = 4_096;

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
