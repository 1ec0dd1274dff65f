/** Reads the body of an answer, and unpacks it. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { createFairSemaphore } from '../fair-semaphore.ts';
import type { BudgetShare } from './budget.ts';
import type { AmbiguousCode } from './wire.ts';

/** An answer came, and its body cannot be had. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly code: AmbiguousCode;

  constructor(code: AmbiguousCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const tooLarge = (maxBytes: number): BodyError =>
  new BodyError('too_large', `The answer is larger than ${maxBytes} bytes`);

const BLOCK_BYTES = 65_536;

/** Bytes in blocks of their own: a body sent byte by byte must not cost an object a byte. */
const createStore = () => {
  const blocks: Buffer<ArrayBuffer>[] = [];
  let last = Buffer.alloc(0);
  let sizeBytes = 0;
  return {
    add: (chunk: Buffer): void => {
      for (let from = 0; from < chunk.length;) {
        const used = sizeBytes % BLOCK_BYTES;
        if (used === 0) {
          last = Buffer.allocUnsafeSlow(BLOCK_BYTES);
          blocks.push(last);
        }
        const copied = chunk.copy(last, used, from);
        from += copied;
        sizeBytes += copied;
      }
    },
    toBuffer: (): Buffer => Buffer.concat(blocks, sizeBytes),
    /** Gives the memory back now, not when the collector comes by: of large bodies that may be 100 MB later. */
    free: (): void => {
      for (const block of blocks.splice(0)) block.buffer.transfer(0);
    },
  };
};

/** Reads a body whole, as it comes over the wire. Rejects with a `BodyError` at the first byte above `maxBytes`. */
export const readBody = async (
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  share: BudgetShare,
): Promise<Buffer> => {
  const store = createStore();
  let sizeBytes = 0;
  try {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      store.add(chunk);
      const turn = share.take(chunk.length);
      if (turn !== undefined) await turn;
    }
    return store.toBuffer();
  } finally {
    store.free();
  }
};

type Unpack = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Promise<Buffer>;

const gunzip: Unpack = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate: Unpack = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw: Unpack = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const unzstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Servers send both what the RFC calls deflate and the bare stream; the first byte tells them apart.
  deflate: (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(bytes, options),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  // RFC 9659: no window above 8 MB.
  zstd: (bytes, options) => unzstd(bytes, { ...options, params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
};

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

const LAYERS_MAX = 2;

/** The codings to undo, the last applied first; none if one of them is unknown, for then the bytes stay as they are. */
const layersOf = (contentEncoding: string): readonly string[] => {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const isKnown = names.length <= LAYERS_MAX && names.every((name) => Object.hasOwn(UNPACKERS, name));
  return isKnown ? names.toReversed() : [];
};

const unpackLayers = async (bytes: Buffer, layers: readonly string[], maxBytes: number): Promise<Buffer> => {
  let current = bytes;
  for (const layer of layers) {
    try {
      current = (await UNPACKERS[layer]?.(current, { maxOutputLength: maxBytes, chunkSize: BLOCK_BYTES })) ?? current;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      throw new BodyError('body_undecodable', `The body is not valid ${layer}`, error);
    }
  }
  return current;
};

/** Whose body it is, and how long it may wait for its turn. */
interface UnpackTurn {
  readonly party: string;
  readonly waitMs: number;
}

/**
 * Undoes a `content-encoding`. Rejects with a `BodyError`: `too_large` as soon as more than `maxBytes` come out,
 * `body_undecodable` when the bytes are not what they claim, `timeout` when its turn did not come in time.
 *
 * Brotli and zstd fill windows of up to 16 MB before they give anything out, which fifty bodies at once would turn
 * into most of a gigabyte. So bodies are received whole, and only `atOnce` are unpacked at a time, in turns that go round
 * their parties; nobody waits for a network meanwhile.
 */
export const createUnpacker = (atOnce: number) => {
  const turns = createFairSemaphore({ atOnce });
  return async (bytes: Buffer, contentEncoding: string, maxBytes: number, turn: UnpackTurn): Promise<Buffer> => {
    const layers = layersOf(contentEncoding);
    // An empty body, as of HEAD and 304, is empty in every coding.
    if (layers.length === 0 || bytes.length === 0) return bytes;
    const entered = await turns.enter(turn.party, turn.waitMs);
    if (typeof entered === 'string') {
      throw new BodyError('timeout', 'The answer came, and was not unpacked in time: others were before it');
    }
    try {
      return await unpackLayers(bytes, layers, maxBytes);
    } finally {
      entered.leave();
    }
  };
};
