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

const blockBytes = 65_536;

/** Small chunks are copied together: a body sent byte by byte must not cost an object a byte. */
const createStore = (): { add: (chunk: Buffer) => void; toBuffer: () => Buffer } => {
  const full: Buffer[] = [];
  let block: Buffer | undefined;
  let used = 0;

  const closeBlock = (): void => {
    if (block !== undefined && used > 0) full.push(block.subarray(0, used));
    block = undefined;
    used = 0;
  };

  return {
    add: (chunk) => {
      if (used + chunk.length > blockBytes) closeBlock();
      if (chunk.length >= blockBytes / 4) {
        closeBlock();
        full.push(chunk);
        return;
      }
      block ??= Buffer.allocUnsafe(blockBytes);
      used += chunk.copy(block, used);
    },
    toBuffer: () => {
      closeBlock();
      return Buffer.concat(full);
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
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(maxBytes);
    store.add(chunk);
    const turn = share.take(chunk.length);
    if (turn !== undefined) await turn;
  }
  return store.toBuffer();
};
