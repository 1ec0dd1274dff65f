import { binaryCodec } from './binary.ts';
import type { CodecName, Decoder, Encoder } from './codec.ts';
import { formCodec } from './form.ts';
import { jsonCodec } from './json.ts';
import { multipartCodec } from './multipart.ts';
import { noneCodec } from './none.ts';
import { soapCodec } from './soap.ts';
import { textCodec } from './text.ts';
import { xmlCodec } from './xml.ts';

/** The codecs that `body` of a step may name. */
export type BodyCodecName = 'json' | 'xml' | 'soap' | 'form' | 'multipart' | 'text';

const ENCODERS: Readonly<Record<BodyCodecName, Encoder>> = {
  json: jsonCodec,
  xml: xmlCodec,
  soap: soapCodec,
  form: formCodec,
  multipart: multipartCodec,
  text: textCodec,
};

const DECODERS: Readonly<Record<CodecName, Decoder>> = {
  json: jsonCodec,
  xml: xmlCodec,
  soap: soapCodec,
  form: formCodec,
  multipart: multipartCodec,
  text: textCodec,
  binary: binaryCodec,
  none: noneCodec,
};

export const encoderNamed = (name: BodyCodecName): Encoder => ENCODERS[name];

export const decoderNamed = (name: CodecName): Decoder => DECODERS[name];
