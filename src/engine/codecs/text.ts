import { textOf } from './charset.ts';
import { decoderOf, notEncodable, scalarText, type Decoder, type Encoder } from './codec.ts';

/** Plain text: a scalar written as UTF-8, read in the charset of its Content-Type. HTML counts as text. */
export const textCodec: Encoder & Decoder = {
  encode(value) {
    const text = scalarText(value, []);
    if (text === undefined) throw notEncodable('there is no text to send', []);
    return { bytes: Buffer.from(text), contentType: 'text/plain; charset=utf-8' };
  },
  ...decoderOf((bytes, { contentType }) => ({ body: textOf(bytes, contentType) })),
};
