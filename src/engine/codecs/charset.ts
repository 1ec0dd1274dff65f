import { Failure } from '../failure.ts';
import { parseMediaType } from './media-type.ts';

/**
 * The text of a body. A byte order mark decides, then the charset of the Content-Type, then `declared`, then UTF-8.
 * Bytes that are wrong in that charset become U+FFFD: one bad letter in a name must not make a whole answer unknown.
 * Throws `charset_unknown` for a charset nobody knows.
 */
export function textOf(bytes: Uint8Array, contentType?: string, declared?: string): string {
  const charset = byteOrderMark(bytes) ?? (named(contentType) || declared || 'utf-8');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (cause) {
    throw new Failure(`the charset '${charset.slice(0, 40)}' is unknown`, { code: 'charset_unknown', cause });
  }
}

/** As `textOf`, and the encoding that the XML declaration names counts where the Content-Type names none (RFC 7303). */
export const xmlTextOf = (bytes: Uint8Array, contentType?: string): string =>
  textOf(bytes, contentType, declaredEncoding(bytes));

const named = (contentType: string | undefined): string | undefined =>
  parseMediaType(contentType).parameters.get('charset')?.replaceAll("'", '');

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  // `<` in UTF-16 without a mark; the declaration itself could not be read otherwise.
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 256)).toString('latin1');
  const encoding = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1];
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says.
  return encoding !== undefined && /^utf-?16/i.test(encoding) ? 'utf-8' : encoding;
}
