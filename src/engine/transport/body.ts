import type { BudgetShare } from './budget.ts';

/** The answer's body grew beyond the cap. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(maxBytes: number) {
    super(`The answer is larger than ${maxBytes} bytes`);
  }
}

/** The bytes do not decompress by the coding they claim. */
export class BodyUndecodable extends Error {
  override readonly name = 'BodyUndecodable';

  constructor(encoding: string, cause: unknown) {
    super(`The body is not valid ${encoding}`, { cause });
  }
}

/** Its time was up before it could be unpacked. */
export class BodyLate extends Error {
  override readonly name = 'BodyLate';

  constructor() {
    super('The answer came, and was not unpacked in time: others were before it');
  }
}

const blockBytes = 65_536;

interface BodyStore {
  readonly add: (chunk: Buffer) => void;
  /** A copy of all that was added. */
  readonly toBuffer: () => Buffer;
  /** Gives the memory back now, not when the collector comes by: of large bodies that may be 100 MB later. */
  readonly free: () => void;
}

/** Bytes in blocks of their own: a body sent byte by byte must not cost an object a byte. */
const createStore = (): BodyStore => {
  const blocks: Buffer<ArrayBuffer>[] = [];
  let last = Buffer.alloc(0);
  let sizeBytes = 0;

  return {
    add: (chunk) => {
      for (let from = 0; from < chunk.length;) {
        const used = sizeBytes % blockBytes;
        if (used === 0) {
          last = Buffer.allocUnsafeSlow(blockBytes);
          blocks.push(last);
        }
        const copied = chunk.copy(last, used, from);
        from += copied;
        sizeBytes += copied;
      }
    },
    toBuffer: () => Buffer.concat(blocks, sizeBytes),
    free: () => {
      for (const block of blocks.splice(0)) block.buffer.transfer(0);
    },
  };
};

/** Reads a body whole, as it comes over the wire. Rejects with `BodyTooLarge` at the first byte above `maxBytes`. */
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
      if (sizeBytes > maxBytes) throw new BodyTooLarge(maxBytes);
      store.add(chunk);
      const turn = share.take(chunk.length);
      if (turn !== undefined) await turn;
    }
    return store.toBuffer();
  } finally {
    store.free();
  }
};
