import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { createFairSemaphore } from '../fair-semaphore.ts';
import { BodyLate, BodyTooLarge, BodyUndecodable } from './body.ts';

type Undo = (bytes: Buffer, maxBytes: number) => Promise<Buffer>;

const chunkSize = 65_536;
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const unbrotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

const undoGzip: Undo = (bytes, maxOutputLength) => gunzip(bytes, { chunkSize, maxOutputLength });

const undoByName: Readonly<Record<string, Undo>> = {
  gzip: undoGzip,
  'x-gzip': undoGzip,
  // Servers send both what the RFC calls deflate and the bare stream; the first byte tells them apart.
  deflate: (bytes, maxOutputLength) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? inflate(bytes, { chunkSize, maxOutputLength })
      : inflateRaw(bytes, { chunkSize, maxOutputLength }),
  br: (bytes, maxOutputLength) => unbrotli(bytes, { chunkSize, maxOutputLength }),
  ...(typeof zlib.zstdDecompress === 'function' && {
    zstd: (bytes: Buffer, maxOutputLength: number) =>
      promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress)(bytes, {
        chunkSize,
        maxOutputLength,
        // RFC 9659: no window above 8 MB.
        params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 },
      }),
  }),
};

/** For `accept-encoding`. */
export const acceptedEncodings = ['gzip', 'deflate', 'br', 'zstd'].filter((name) => name in undoByName).join(', ');

const maxLayers = 2;

/** The codings to undo, the last applied first; none if one of them is unknown, for then the bytes stay as they are. */
const layersOf = (contentEncoding: string): readonly string[] => {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const known = names.length <= maxLayers && names.every((name) => Object.hasOwn(undoByName, name));
  return known ? names.toReversed() : [];
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

const undoLayers = async (bytes: Buffer, layers: readonly string[], maxBytes: number): Promise<Buffer> => {
  let current = bytes;
  for (const layer of layers) {
    try {
      current = (await undoByName[layer]?.(current, maxBytes)) ?? current;
    } catch (error) {
      if (isTooLarge(error)) throw new BodyTooLarge(maxBytes);
      throw new BodyUndecodable(layer, error);
    }
  }
  return current;
};

/** Whose body it is, and how long it may wait for its turn. */
interface DecodeTurn {
  readonly party: string;
  readonly waitMs: number;
}

/** Unpacks body after body, a few at a time. */
export interface Decoder {
  /**
   * Undoes a `content-encoding`. Rejects with `BodyTooLarge` as soon as more than `maxBytes` come out, with
   * `BodyUndecodable` when the bytes are not what they claim, with `BodyLate` when its turn did not come in time.
   */
  readonly decode: (bytes: Buffer, contentEncoding: string, maxBytes: number, turn: DecodeTurn) => Promise<Buffer>;
}

/**
 * Brotli and zstd fill windows of up to 16 MB before they give anything out, which fifty bodies at once would turn
 * into most of a gigabyte. So bodies are received whole, and only `atOnce` are unpacked at a time, in turns that go round
 * their parties; nobody waits for a network meanwhile.
 */
export const createDecoder = (atOnce: number): Decoder => {
  const turns = createFairSemaphore({ atOnce });
  return {
    decode: async (bytes, contentEncoding, maxBytes, { party, waitMs }) => {
      const layers = layersOf(contentEncoding);
      // An empty body, as of HEAD and 304, is empty in every coding.
      if (layers.length === 0 || bytes.length === 0) return bytes;
      const turn = await turns.enter(party, waitMs);
      if (typeof turn === 'string') throw new BodyLate();
      try {
        return await undoLayers(bytes, layers, maxBytes);
      } finally {
        turn.leave();
      }
    },
  };
};
