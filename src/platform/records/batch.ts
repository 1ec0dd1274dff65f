/**
 * Natural batches: what comes in one turn of the event loop, and while the last batch is under way. Whoever comes alone
 * waits for no timer. What is large is run beside, one at a time, and large requests wait for it: nothing small waits for
 * as much as is written of it.
 */
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { asLarge } from '../../engine/large.ts';

interface BatchOptions<Item> {
  /** Items of one batch at most. */
  readonly max: number;
  /** Items that are alike in it are never in one batch: no statement may touch a row twice. */
  readonly keyOf?: (item: Item) => unknown;
  /** Bytes of an item, of which a batch has `BYTES_MAX` or one item. */
  readonly sizeOf?: (item: Item) => number;
  /**
   * So long after a batch of several began the next one does not begin: most of a statement's cost does not depend on how
   * much it writes. Default: 0.
   */
  readonly apartMs?: number;
  /** What has waited longer is not begun any more: it is rejected with `WaitedTooLong`. Default: for ever. */
  readonly waitMaxMs?: number;
}

/** Of batches for which nobody waits who could do something else meanwhile. */
export const APART_MS = 20;

/** Nothing of it was done. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';
}

/** A statement holds all of a batch in memory, here and in PostgreSQL, and none of it is done before all is. */
const BYTES_MAX = 2 * 1024 * 1024;
const LARGE_BYTES = BYTES_MAX / 8;

/** PostgreSQL's classes for values that it cannot hold: data, constraints, limits. The rest of a batch is fit to be written. */
export const isUnrecordable = (error: unknown): boolean =>
  error instanceof DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * `run` resolves with one result an item, in their order. A batch that is rejected because of what it holds is halved
 * until its faulty members are alone, and only they are rejected; any other error rejects all of a batch.
 */
export const createBatcher = <Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, keyOf, sizeOf, apartMs = 0, waitMaxMs = Number.POSITIVE_INFINITY }: BatchOptions<Item>,
): ((item: Item) => Promise<Result>) => {
  let waiting: Waiting<Item, Result>[] = [];
  let nextAtMs = 0;
  const isLarge = ({ item }: Waiting<Item, Result>): boolean => (sizeOf?.(item) ?? 0) > LARGE_BYTES;
  /** The keys of the batch that is run, of the small and of the large; undefined: none is. */
  const running: [small: Set<unknown> | undefined, large: Set<unknown> | undefined] = [undefined, undefined];

  const takeBatch = (lane: 0 | 1): Waiting<Item, Result>[] => {
    const keys = new Set<unknown>(running[1 - lane]);
    let bytes = 0;
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const tooOldMs = performance.now() - waitMaxMs;
    for (const one of waiting) {
      if (one.sinceMs < tooOldMs) {
        one.reject(new WaitedTooLong('there is more to write than can be written now'));
        continue;
      }
      const key = keyOf?.(one.item);
      const size = sizeOf?.(one.item) ?? 0;
      const isOfLane = isLarge(one) === (lane === 1);
      const fits = isOfLane && batch.length < max && (batch.length === 0 || (lane === 0 && bytes + size <= BYTES_MAX));
      if (!fits || (key !== undefined && keys.has(key))) {
        left.push(one);
        // What comes later of the same key does not overtake it.
        keys.add(key);
        continue;
      }
      batch.push(one);
      keys.add(key);
      bytes += size;
    }
    waiting = left;
    running[lane] = new Set(batch.map(({ item }) => keyOf?.(item)));
    return batch;
  };

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error(`${results.length} results for ${batch.length} items`);
      results.forEach((result, at) => batch[at]?.resolve(result));
    } catch (error) {
      if (batch.length > 1 && isUnrecordable(error)) {
        const half = Math.ceil(batch.length / 2);
        await settle(batch.slice(0, half));
        await settle(batch.slice(half));
      } else for (const { reject } of batch) reject(error);
    }
  };

  const work = async (lane: 0 | 1): Promise<void> => {
    running[lane] = new Set();
    while (waiting.length > 0) {
      // What else the sockets bring in this turn of the event loop goes along.
      await endOfTurn();
      const restMs = nextAtMs - performance.now();
      if (lane === 0 && restMs > 0 && waiting.length < max) await sleep(restMs);
      const batch = takeBatch(lane);
      if (lane === 0) nextAtMs = batch.length > 1 ? performance.now() + apartMs : 0;
      if (batch.length === 0) break;
      await (lane === 0 ? settle(batch) : asLarge(async () => await settle(batch)));
      running[lane].clear();
      // The other may have waited for a key of this batch.
      if (keyOf !== undefined && sizeOf !== undefined) begin(lane === 0 ? 1 : 0);
    }
    running[lane] = undefined;
  };
  const begin = (lane: 0 | 1): void => {
    if (running[lane] === undefined && waiting.length > 0) void work(lane);
  };

  return async (item) =>
    await new Promise<Result>((resolve, reject) => {
      const one = { item, sinceMs: performance.now(), resolve, reject };
      waiting.push(one);
      begin(isLarge(one) ? 1 : 0);
    });
};

/** As `createBatcher`, one for each pool. */
export const createPoolBatcher = <Item, Result>(
  run: (pool: Pool, items: readonly Item[]) => Promise<readonly Result[]>,
  options: BatchOptions<Item>,
): ((pool: Pool, item: Item) => Promise<Result>) => {
  const batchers = new WeakMap<Pool, (item: Item) => Promise<Result>>();
  return async (pool, item) => {
    const batched = batchers.get(pool) ?? createBatcher(async (items) => await run(pool, items), options);
    batchers.set(pool, batched);
    return await batched(item);
  };
};
