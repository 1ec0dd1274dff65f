import { decoderOf, type Decoder } from './codec.ts';

/** Bytes, kept as a Buffer. */
export const binaryCodec: Decoder = decoderOf((bytes) => ({ body: bytes }));
