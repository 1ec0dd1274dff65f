import { decodeText, unescapeHex } from './text.ts';
import {
  collectRepeats,
  decoderOf,
  notEncodable,
  scalarText,
  tooLarge,
  type Decoder,
  type Encoder,
  parseMediaType,
} from './codec.ts';
import { isMap, kindOf } from '../value.ts';

/**
 * application/x-www-form-urlencoded, by the URL standard. Fields are scalars; a list repeats its field; null and what
 * is missing are left out; a map is an error, for no two receivers agree how to nest one. Read to a map of texts,
 * a repeated field to a list.
 */
export const formCodec: Encoder & Decoder = {
  encode(value) {
    if (!isMap(value)) throw notEncodable(`a form is written from a map of fields, but this is ${kindOf(value)}`, []);
    const fields = new URLSearchParams();
    for (const [name, text] of fieldsOf(value)) fields.append(name, text);
    return { bytes: Buffer.from(fields.toString()), contentType: 'application/x-www-form-urlencoded' };
  },
  ...decoderOf((bytes, { contentType, limits }) => {
    if (bytes.length === 0) return { body: undefined };
    return { body: collectRepeats(readForm(bytes, contentType, limits.maxNodes)) };
  }),
};

function fieldsOf(map: Record<string, unknown>): [string, string][] {
  return Object.entries(map).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one: unknown, at): [string, string][] => {
      const text = scalarText(one, Array.isArray(value) ? [name, at] : [name]);
      if (!name.isWellFormed()) throw notEncodable('a field name holds half of a surrogate pair', []);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** The fields in the order in which they came; names and values in the charset of the Content-Type. */
export function readForm(bytes: Buffer, contentType: string | undefined, maxFields: number): [string, string][] {
  const charset = parseMediaType(contentType).parameters.has('charset') ? contentType : undefined;
  const fields = bytes
    .toString('latin1')
    .trim()
    .split('&', maxFields + 1);
  if (fields.length > maxFields) throw tooLarge(`has more than ${maxFields} fields`);
  return fields
    .filter((field) => field !== '')
    .map((field) => {
      const equals = field.indexOf('=');
      const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
      return [unescape(name, charset), unescape(value, charset)];
    });
}

/** Escapes stand for bytes, which are text only in their charset. */
function unescape(text: string, charset: string | undefined): string {
  const bytes = unescapeHex(text.replaceAll('+', ' '));
  return /^[\x20-\x7e]*$/.test(bytes) ? bytes : decodeText(Buffer.from(bytes, 'latin1'), charset);
}
