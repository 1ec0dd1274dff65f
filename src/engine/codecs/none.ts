import { decoderOf, type Decoder } from './codec.ts';

/** An answer whose body does not matter, whatever it is. */
export const noneCodec: Decoder = decoderOf(() => ({ body: undefined }));
