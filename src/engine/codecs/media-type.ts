import type { CodecName } from './codec.ts';

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
