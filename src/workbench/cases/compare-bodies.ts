import {
  asBuffer,
  collectRepeats,
  DEFAULT_DECODE_LIMITS,
  type CodecName,
  codecOf,
  parseMediaType,
} from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { readForm } from '../../engine/codecs/form.ts';
import { keyOf, splitMultipart } from '../../engine/codecs/multipart.ts';
import { decodeXmlText } from '../../engine/codecs/text.ts';
import { readXml } from '../../engine/codecs/xml.ts';
import { messageOf } from '../../engine/failure.ts';
import { type CaseDifference, compareValues, compareXml } from './compare-values.ts';

/** Bytes as on the wire, with their Content-Type. */
export interface ComparedBody {
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
}

const MAX_DIFFERENCES = 100;
const LIMITS = DEFAULT_DECODE_LIMITS;

/**
 * Compares two bodies by what they mean in a codec: JSON by structure; XML and SOAP without regard to layout, prefixes
 * and the order of attributes, but to that of elements; forms field by field, repeats in order; multipart part by part,
 * each in its own codec; text but for a last line break; the rest by bytes.
 * At most 100 differences, none if they are equal. A body that cannot be read differs as a whole, saying why.
 */
export function compareBodies(codec: CodecName, expected: ComparedBody, seen: ComparedBody): CaseDifference[] {
  try {
    return differencesOf(codec, expected, seen).slice(0, MAX_DIFFERENCES);
  } catch {
    return [{ path: '', expected: readability(codec, expected), seen: readability(codec, seen) }];
  }
}

function readability(codec: CodecName, body: ComparedBody): string {
  try {
    differencesOf(codec, body, body);
    return `a body that reads as ${codec}`;
  } catch (thrown) {
    return `does not read as ${codec}: ${messageOf(thrown)}`;
  }
}

function differencesOf(codec: CodecName, expected: ComparedBody, seen: ComparedBody): CaseDifference[] {
  switch (codec) {
    case 'json':
      return compareValues(decoded('json', expected), decoded('json', seen));
    case 'xml':
    case 'soap':
      return compareDocuments(expected, seen);
    case 'form':
      return compareValues(fieldsOf(expected), fieldsOf(seen));
    case 'multipart':
      return compareParts(expected, seen);
    case 'text':
      return compareValues(textOf(expected), textOf(seen));
    case 'binary':
      return compareBytes(asBuffer(expected.bytes), asBuffer(seen.bytes));
    case 'none':
      return [];
  }
}

function decoded(codec: CodecName, { bytes, contentType }: ComparedBody): unknown {
  const read = decoderNamed(codec).decode(bytes, { contentType });
  if (!read.ok) throw read.reason;
  return read.body;
}

const textOf = (body: ComparedBody): string =>
  String(decoded('text', body))
    .replace(/\r?\n$/, '')
    .replaceAll('\r\n', '\n');

function compareDocuments(expected: ComparedBody, seen: ComparedBody): CaseDifference[] {
  const read = ({ bytes, contentType }: ComparedBody): string => decodeXmlText(asBuffer(bytes), contentType);
  const [wanted, got] = [read(expected), read(seen)];
  if (wanted.trim() === '' || got.trim() === '')
    return compareValues(wanted.trim() || undefined, got.trim() || undefined);
  return compareXml(readXml(wanted, LIMITS), readXml(got, LIMITS));
}

const fieldsOf = ({ bytes, contentType }: ComparedBody): Record<string, unknown> =>
  collectRepeats(readForm(asBuffer(bytes), contentType, LIMITS.maxNodes));

function compareBytes(expected: Buffer, seen: Buffer): CaseDifference[] {
  if (expected.equals(seen)) return [];
  let at = 0;
  while (at < expected.length && expected[at] === seen[at]) at += 1;
  const excerpt = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${at}: ${bytes.toString('hex', at, at + 8) || 'the end'}`;
  return [{ path: '', expected: excerpt(expected), seen: excerpt(seen) }];
}

interface ComparedPart extends ComparedBody {
  readonly filename?: string | undefined;
}

function compareParts(expected: ComparedBody, seen: ComparedBody): CaseDifference[] {
  const [wanted, got] = [partsOf(expected), partsOf(seen)];
  return [...new Set([...wanted.keys(), ...got.keys()])].flatMap((key) => {
    const [left, right] = [wanted.get(key), got.get(key)];
    if (left !== undefined && right !== undefined) return comparePart(key, left, right);
    return [{ path: key, expected: left && 'a part', seen: right && 'a part' }];
  });
}

function comparePart(key: string, expected: ComparedPart, seen: ComparedPart): CaseDifference[] {
  const headOf = ({ filename, contentType }: ComparedPart): unknown => ({
    filename,
    contentType: parseMediaType(contentType).type || undefined,
  });
  const known = codecOf(expected.contentType ?? 'text/plain') ?? 'binary';
  return [
    ...compareValues(headOf(expected), headOf(seen), [key]),
    ...compareBodies(known === 'multipart' ? 'binary' : known, expected, seen).map((one) => ({
      ...one,
      path: one.path === '' ? key : `${key}.${one.path}`,
    })),
  ];
}

function partsOf({ bytes, contentType }: ComparedBody): Map<string, ComparedPart> {
  const parts = new Map<string, ComparedPart>();
  for (const [at, part] of splitMultipart(asBuffer(bytes), contentType, LIMITS).entries()) {
    const name = keyOf(part, at);
    let key = name;
    for (let again = 1; parts.has(key); again += 1) key = `${name}[${again}]`;
    parts.set(key, part);
  }
  return parts;
}
