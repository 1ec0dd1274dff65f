import { decoderOf, notEncodable, scalarText, type CodecName, type Decoder, type Encoder } from './codec.ts';
import { formCodec } from './form.ts';
import { jsonCodec } from './json.ts';
import { multipartCodec } from './multipart.ts';
import { soapCodec } from './soap.ts';
import { decodeText } from './text.ts';
import { xmlCodec } from './xml.ts';

/** Plain text: a scalar written as UTF-8, read in the charset of its Content-Type. HTML counts as text. */
const textCodec: Encoder & Decoder = {
  encode(value) {
    const text = scalarText(value, []);
    if (text === undefined) throw notEncodable('there is no text to send', []);
    return { bytes: Buffer.from(text), contentType: 'text/plain; charset=utf-8' };
  },
  ...decoderOf((bytes, { contentType }) => ({ body: decodeText(bytes, contentType) })),
};

const ENCODERS = {
  json: jsonCodec,
  xml: xmlCodec,
  soap: soapCodec,
  form: formCodec,
  multipart: multipartCodec,
  text: textCodec,
} as const satisfies Readonly<Partial<Record<CodecName, Encoder>>>;

/** The codecs that `body` of a step may name. */
export type BodyCodecName = keyof typeof ENCODERS;

const DECODERS: Readonly<Record<CodecName, Decoder>> = {
  ...ENCODERS,
  /** Bytes, kept as a Buffer. */
  binary: decoderOf((bytes) => ({ body: bytes })),
  /** A body that does not matter, whatever it is. */
  none: decoderOf(() => ({ body: undefined })),
};

export const encoderNamed = (name: BodyCodecName): Encoder => ENCODERS[name];

export const decoderNamed = (name: CodecName): Decoder => DECODERS[name];
