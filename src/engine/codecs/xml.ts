import { xmlTextOf } from './charset.ts';
import { decoderOf, DEFAULT_DECODE_LIMITS, type Decoder, type Encoder } from './codec.ts';
import { readXml, valueOf } from './xml-reader.ts';
import { writeXml } from './xml-writer.ts';

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/**
 * XML (§3.7 of the profile language). `{ order: { '@id': '7', line: ['a', 'b'] } }` is
 * `<order id="7"><line>a</line><line>b</line></order>`; values stay text on reading, an empty body reads as nothing.
 */
export const xmlCodec: Encoder & Decoder = {
  encode: (value, options) => ({
    bytes: Buffer.from(XML_DECLARATION + writeXml(value, options?.namespaces)),
    contentType: 'application/xml; charset=utf-8',
  }),
  ...decoderOf((bytes, { contentType, limits }) => {
    const text = xmlTextOf(bytes, contentType);
    if (text.trim() === '') return { body: undefined };
    const root = readXml(text, limits);
    return { body: root.local === '__proto__' ? {} : { [root.local]: valueOf(root) } };
  }),
};

/** `$xml(text)`: XML that stands as text inside an answer, as the codec reads it. Throws a `Failure`. */
export function parseXmlText(text: string): unknown {
  const root = readXml(text, DEFAULT_DECODE_LIMITS);
  return root.local === '__proto__' ? {} : { [root.local]: valueOf(root) };
}

/** `$toXml(value, namespaces?)`: for a form field or a query, so without an XML declaration. Throws a `Failure`. */
export const toXmlText = (value: unknown, namespaces?: Readonly<Record<string, string>>): string =>
  writeXml(value, namespaces);
