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
