/** What a carrier answered, without people: its shape stays whole, whatever its format; labels become as small as can be. */
import { codecOf, parseMediaType } from '../../engine/codecs/codec.ts';
import { type DocumentFormat, formatOf, labelBytes } from '../../engine/codecs/label-document.ts';
import { isMap, mapTexts } from '../../engine/value.ts';
import { type createCleaner, isRaw } from './anonymise.ts';

interface Cleaning {
  readonly contentType: string | undefined;
  readonly cleaner: ReturnType<typeof createCleaner>;
  readonly keepPeople: boolean;
}

/** JSON keeps its numbers as they are written; other text keeps its shape, multipart its parts and their headers. */
export const cleanBody = (bytes: Buffer, cleaning: Cleaning): Buffer => {
  const { contentType, cleaner, keepPeople } = cleaning;
  const codec = codecOf(contentType);
  if (codec === 'multipart') return cleanParts(bytes, cleaning);
  if (!keepPeople && codec !== 'json') {
    const label = labelBytes(bytes);
    if (label.ok) return SMALL[label.format];
  }
  const isUtf8 = Buffer.from(bytes.toString('utf8')).equals(bytes);
  const isText = isUtf8 || codec === 'xml' || codec === 'soap' || codec === 'json' || contentType?.startsWith('text/');
  // What is no text has nothing that could be replaced: it is kept whole, or no more of it than tells what it is.
  if (isText !== true) return keepPeople ? bytes : beginningOf(bytes);
  const encoding = isUtf8 ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const value = codec === 'json' ? parsed(text) : undefined;
  if (value === undefined) return Buffer.from(cleaner.text(keepPeople ? text : withSmallBlobs(text)), encoding);
  const cleaned = cleaner.value(keepPeople ? value : withSmallLabels(value));
  return Buffer.from(`${JSON.stringify(cleaned, undefined, 2)}\n`, encoding);
};

// Multipart ----------------------------------------------------------------------------------------------------------

const HEAD = /^(?:\r?\n)?((?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*)\r?\n/;

const cleanParts = (bytes: Buffer, cleaning: Cleaning): Buffer => {
  const boundary = parseMediaType(cleaning.contentType).parameters.get('boundary') ?? '';
  if (boundary === '') return cleaning.keepPeople ? bytes : beginningOf(bytes);
  const pieces = bytes.toString('latin1').split(`--${boundary}`);
  const cleaned = pieces.map((piece, at) => (at === 0 || piece.startsWith('--') ? piece : cleanPart(piece, cleaning)));
  return Buffer.from(cleaned.join(`--${boundary}`), 'latin1');
};

const cleanPart = (piece: string, cleaning: Cleaning): string => {
  const [head, lines = ''] = HEAD.exec(piece) ?? [];
  if (head === undefined) return piece;
  const end = /\r?\n$/.exec(piece)?.[0] ?? '';
  const content = piece.slice(head.length, piece.length - end.length);
  const header = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(.*?)\\r?$`, 'im').exec(lines)?.[1]?.trim();
  const isBase64 = header('content-transfer-encoding')?.toLowerCase() === 'base64';
  const contentType = header('content-type') ?? 'text/plain';
  const cleaned = cleanBody(Buffer.from(content, isBase64 ? 'base64' : 'latin1'), { ...cleaning, contentType });
  const kept = head.replaceAll(/^content-length:[^\n]*\n/gim, '');
  return `${kept}${cleaned.toString(isBase64 ? 'base64' : 'latin1')}${end}`;
};

// JSON ---------------------------------------------------------------------------------------------------------------

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

const withSmallLabels = (value: unknown): unknown =>
  mapTexts(
    value,
    (text) => smallDocument(text) ?? text,
    (_, held) => isMap(held) && isRaw(held),
  );

// Labels -------------------------------------------------------------------------------------------------------------

const BLOB = /[A-Za-z0-9+/\s]{200,}={0,2}|\^XA[^<>"]*?\^XZ/g;
const BLOB_MIN = 40;

const withSmallBlobs = (text: string): string => text.replaceAll(BLOB, (blob) => smallDocument(blob) ?? blob);

/** A label shows who gets it: in its place one of the same kind without anybody. undefined: the text is no document. */
const smallDocument = (text: string): string | undefined => {
  if (text.length < BLOB_MIN) return undefined;
  const head = /^\s*data:[\w/;+-]+,/.exec(text)?.[0] ?? '';
  const isPlain = head === '' && /^\s*(?:\^XA|N\r?\n|%PDF-|CT~~CD)/.test(text);
  const read = labelBytes(text);
  if (read.ok)
    return isPlain ? SMALL[read.format].toString('latin1') : `${head}${SMALL[read.format].toString('base64')}`;
  // Whatever else comes in base64: a picture of another kind, an archive, a label that was cut.
  const content = text.slice(head.length).replaceAll(/\s/g, '');
  if (content.length < 200 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(content)) return undefined;
  const bytes = Buffer.from(content, 'base64');
  const isText = formatOf(bytes) === 'unknown' && Buffer.from(bytes.toString('utf8')).equals(bytes);
  return isText ? undefined : `${head}${beginningOf(bytes).toString('base64')}`;
};

/** What tells the kind of a document, and nobody. */
const beginningOf = (bytes: Buffer): Buffer =>
  bytes.length <= 8 ? bytes : Buffer.concat([bytes.subarray(0, 8), Buffer.from('\0example')]);

/** As small as can be, of nobody. */
export const SMALL: Readonly<Record<DocumentFormat, Buffer>> = {
  PDF: Buffer.from('%PDF-1.4\n%%EOF\n'),
  ZPL: Buffer.from('^XA^FDexample^FS^XZ'),
  EPL: Buffer.from('N\nA50,50,0,1,1,1,N,"example"\nP1\n'),
  PNG: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  GIF: Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
  JPEG: Buffer.from('/9j/2Q==', 'base64'),
};
