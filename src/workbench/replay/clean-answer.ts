/** A recorded answer without people and secrets, as a case may show it. */
import { labelBytes } from '../../engine/codecs/label-document.ts';
import { codecOf } from '../../engine/codecs/media-type.ts';
import type { Cleaner } from './anonymise.ts';

/** JSON keeps its numbers as they are written; other text keeps its shape. Labels become as small as can be. */
export const cleanBody = (
  bytes: Buffer,
  { contentType, cleaner, keepPeople }: { contentType: string | undefined; cleaner: Cleaner; keepPeople: boolean },
): Buffer => {
  const isJson = codecOf(contentType) === 'json';
  if (!keepPeople && !isJson) {
    const label = labelBytes(bytes);
    if (label.ok) return Buffer.from(smallLabel(label.format));
  }
  const text = bytes.toString('utf8');
  // What is no text has nothing that could be replaced.
  if (!Buffer.from(text).equals(bytes)) return keepPeople ? bytes : Buffer.alloc(0);
  const value = isJson ? parsed(text) : undefined;
  if (value === undefined) {
    const small = keepPeople ? text : text.replaceAll(BLOB, (blob) => smallDocument(blob) ?? blob);
    return Buffer.from(cleaner.text(small));
  }
  const cleaned = cleaner.value(keepPeople ? value : withSmallLabels(value));
  return Buffer.from(`${JSON.stringify(cleaned, undefined, 2)}\n`);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text, exactly);
  } catch {
    return undefined;
  }
};

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
const exactly = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
    ? rawJSON(context.source)
    : value;

const withSmallLabels = (value: unknown): unknown => {
  if (typeof value === 'string') return smallDocument(value) ?? value;
  if (Array.isArray(value)) return value.map(withSmallLabels);
  if (typeof value !== 'object' || value === null || 'rawJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withSmallLabels(inner)]));
};

const BLOB = /[A-Za-z0-9+/\s]{200,}={0,2}/g;
const BLOB_MIN = 40;

/** A label shows who gets it: in its place one of the same kind without anybody. undefined: the text is no document. */
const smallDocument = (text: string): string | undefined => {
  if (text.length < BLOB_MIN) return undefined;
  const read = labelBytes(text);
  if (!read.ok) return undefined;
  const small = smallLabel(read.format);
  const head = /^\s*data:[\w/;+-]+,/.exec(text)?.[0];
  const isPlain = head === undefined && /^\s*(?:\^XA|N\r?\n)/.test(text);
  return isPlain ? small.toString() : `${head ?? ''}${small.toString('base64')}`;
};

const SMALL = {
  PDF: Buffer.from('%PDF-1.4\n%%EOF\n'),
  ZPL: Buffer.from('^XA^FDexample^FS^XZ'),
  EPL: Buffer.from('N\nA50,50,0,1,1,1,N,"example"\nP1\n'),
  PNG: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  GIF: Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
  JPEG: Buffer.from('/9j/2Q==', 'base64'),
} as const;
const smallLabel = (format: keyof typeof SMALL): Buffer => SMALL[format];
