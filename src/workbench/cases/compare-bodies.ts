import { decodeXmlText } from '../../engine/codecs/text.ts';
import {
  collectRepeats,
  DEFAULT_DECODE_LIMITS,
  asBuffer,
  type CodecName,
  type EncodeOptions,
} from '../../engine/codecs/codec.ts';
import { formatPath, type ValuePath } from '../../engine/value.ts';
import { decoderNamed, encoderNamed } from '../../engine/codecs/codecs.ts';
import { readForm } from '../../engine/codecs/form.ts';
import { codecOf, parseMediaType } from '../../engine/codecs/media-type.ts';
import { keyOf, splitMultipart } from '../../engine/codecs/multipart.ts';
import { compareValues, type ValueDifference } from './compare-values.ts';
import { compareXml } from './compare-xml.ts';
import { readXml } from '../../engine/codecs/xml.ts';
import { messageOf } from '../../engine/failure.ts';

/** A body: bytes as on the wire with their Content-Type, or the value a codec would write. */
export type ComparedBody =
  | { readonly bytes: Uint8Array; readonly contentType?: string | undefined }
  | { readonly value: unknown; readonly options?: EncodeOptions };

type Wire = { readonly bytes: Buffer; readonly contentType: string | undefined };

const MAX_DIFFERENCES = 100;
const LIMITS = DEFAULT_DECODE_LIMITS;

/**
 * Compares two bodies by what they mean in a codec: JSON by structure; XML and SOAP without regard to layout, prefixes
 * and the order of attributes, but to that of elements; forms field by field, repeats in order; multipart part by part,
 * each in its own codec; text but for a last line break; the rest by bytes.
 * At most 100 differences, none if they are equal. A body that cannot be read differs as a whole, saying why.
 */
export function compareBodies(codec: CodecName, expected: ComparedBody, actual: ComparedBody): ValueDifference[] {
  try {
    return differencesOf(codec, wireOf(codec, expected), wireOf(codec, actual)).slice(0, MAX_DIFFERENCES);
  } catch {
    return [{ path: '', expected: readability(codec, expected), actual: readability(codec, actual) }];
  }
}

function readability(codec: CodecName, body: ComparedBody): string {
  try {
    const wire = wireOf(codec, body);
    differencesOf(codec, wire, wire);
    return `a body that reads as ${codec}`;
  } catch (thrown) {
    return `does not read as ${codec}: ${messageOf(thrown)}`;
  }
}

function wireOf(codec: CodecName, body: ComparedBody): Wire {
  if ('bytes' in body) return { bytes: asBuffer(body.bytes), contentType: body.contentType };
  if (codec === 'none') return { bytes: Buffer.alloc(0), contentType: undefined };
  if (codec !== 'binary') return encoderNamed(codec).encode(body.value, { boundary: 'compared', ...body.options });
  return {
    bytes: body.value instanceof Uint8Array ? asBuffer(body.value) : Buffer.from(String(body.value), 'base64'),
    contentType: undefined,
  };
}

function differencesOf(codec: CodecName, expected: Wire, actual: Wire): ValueDifference[] {
  switch (codec) {
    case 'json':
      return compareValues(read('json', expected), read('json', actual), []);
    case 'xml':
    case 'soap':
      return compareDocuments(expected, actual);
    case 'form':
      return compareValues(fieldsOf(expected), fieldsOf(actual), []);
    case 'multipart':
      return compareParts(expected, actual);
    case 'text':
      return compareValues(textOf(expected), textOf(actual), []);
    case 'binary':
      return compareBytes(expected.bytes, actual.bytes, []);
    case 'none':
      break;
  }
  return [];
}

function read(codec: CodecName, { bytes, contentType }: Wire): unknown {
  const decoded = decoderNamed(codec).decode(bytes, { contentType });
  if (!decoded.ok) throw decoded.reason;
  return decoded.body;
}

const textOf = (wire: Wire): string =>
  String(read('text', wire))
    .replace(/\r?\n$/, '')
    .replaceAll('\r\n', '\n');

function compareDocuments(expected: Wire, actual: Wire): ValueDifference[] {
  const [expectedText, actualText] = [expected, actual].map(({ bytes, contentType }) =>
    decodeXmlText(bytes, contentType),
  );
  if (expectedText?.trim() === '' || actualText?.trim() === '') {
    return compareValues(expectedText?.trim() || undefined, actualText?.trim() || undefined, []);
  }
  return compareXml(readXml(expectedText ?? '', LIMITS), readXml(actualText ?? '', LIMITS));
}

const fieldsOf = ({ bytes, contentType }: Wire): Record<string, unknown> =>
  collectRepeats(readForm(bytes, contentType, LIMITS.maxNodes));

function compareBytes(expected: Buffer, actual: Buffer, path: ValuePath): ValueDifference[] {
  if (expected.equals(actual)) return [];
  const shorter = Math.min(expected.length, actual.length);
  let at = 0;
  while (at < shorter && expected[at] === actual[at]) at += 1;
  const excerpt = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${at}: ${bytes.toString('hex', at, at + 8) || 'the end'}`;
  return [{ path: formatPath(path), expected: excerpt(expected), actual: excerpt(actual) }];
}

function compareParts(expected: Wire, actual: Wire): ValueDifference[] {
  const [wanted, got] = [expected, actual].map(partsOf);
  const differences: ValueDifference[] = [];
  for (const key of new Set([...(wanted?.keys() ?? []), ...(got?.keys() ?? [])])) {
    const [left, right] = [wanted?.get(key), got?.get(key)];
    if (left === undefined || right === undefined) {
      differences.push({ path: key, expected: left && 'a part', actual: right && 'a part' });
      continue;
    }
    differences.push(...comparePart(key, left, right));
  }
  return differences;
}

type ComparedPart = Wire & { readonly filename: string | undefined };

function comparePart(key: string, expected: ComparedPart, actual: ComparedPart): ValueDifference[] {
  const heads = [expected, actual].map(({ filename, contentType }) => ({
    filename,
    contentType: parseMediaType(contentType).type || undefined,
  }));
  const known = codecOf(expected.contentType ?? 'text/plain') ?? 'binary';
  const codec = known === 'multipart' ? 'binary' : known;
  return [
    ...compareValues(heads[0], heads[1], [key]),
    ...compareBodies(codec, expected, actual).map((one) => ({
      ...one,
      path: one.path === '' ? key : `${key}.${one.path}`,
    })),
  ];
}

function partsOf({ bytes, contentType }: Wire): Map<string, ComparedPart> {
  const parts = new Map<string, ComparedPart>();
  for (const [at, part] of splitMultipart(bytes, contentType, LIMITS).entries()) {
    const name = keyOf(part, at);
    let key = name;
    for (let again = 1; parts.has(key); again += 1) key = `${name}[${again}]`;
    parts.set(key, { bytes: part.bytes, contentType: part.contentType, filename: part.filename });
  }
  return parts;
}
