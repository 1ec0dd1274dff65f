import { Failure } from '../failure.ts';
import { asBuffer, parseMediaType } from './codec.ts';

/**
 * The text of a body. A byte order mark decides, then the charset of the Content-Type, then `declared`, then UTF-8.
 * Bytes that are wrong in that charset become U+FFFD: one bad letter in a name must not make a whole answer unknown.
 * Throws `charset_unknown` for a charset nobody knows.
 */
export function decodeText(bytes: Uint8Array, contentType?: string, declared?: string): string {
  const named = parseMediaType(contentType).parameters.get('charset')?.replaceAll("'", '');
  const charset = byteOrderMark(bytes) ?? (named || declared || 'utf-8');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (cause) {
    throw new Failure(`the charset '${charset.slice(0, 40)}' is unknown`, { code: 'charset_unknown', cause });
  }
}

/** As `decodeText`; the encoding of the XML declaration counts where the Content-Type names none (RFC 7303). */
export const decodeXmlText = (bytes: Uint8Array, contentType?: string): string =>
  decodeText(bytes, contentType, declaredEncoding(bytes));

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
  const head = asBuffer(bytes).toString('latin1', 0, 256);
  const encoding = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1];
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says.
  return encoding !== undefined && /^utf-?16/i.test(encoding) ? 'utf-8' : encoding;
}

/**
 * Strict base64 (RFC 4648): line breaks and blanks between, the URL alphabet and missing padding pass, all else does
 * not. `undefined` if it is not base64, where `Buffer.from` would skip over the nonsense.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = /\s/.test(text) ? text.replaceAll(/\s+/g, '') : text;
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0;
  const digits = compact.slice(0, compact.length - padding);
  if (/[^A-Za-z0-9+/]/.test(digits) && /[^A-Za-z0-9_-]/.test(digits)) return undefined;
  if (digits.length % 4 === 1 || (padding > 0 && compact.length % 4 !== 0)) return undefined;
  return Buffer.from(digits, 'base64');
}

/** Undoes hex escapes such as `%41` in text of one character a byte; a sign that begins no escape is itself. */
export const unescapeHex = (latin1: string, escapes: RegExp = /%([0-9A-F]{2})/gi): string =>
  latin1.replaceAll(escapes, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
