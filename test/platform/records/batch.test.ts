import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Turn } from '../../../src/engine/fair-semaphore.ts';
import { largeTurns } from '../../../src/engine/large.ts';
import { createBatcher, WaitedTooLong } from '../../../src/platform/records/batch.ts';

/** Batches as they were run; each ends when it is let go. */
const recorded = (
  options: Omit<Parameters<typeof createBatcher<number, string>>[1], 'max'> & { max?: number } = {},
) => {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const add = createBatcher<number, string>(
    async (items) => {
      batches.push(items);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items.map((item) => `did ${item}`);
    },
    { max: 100, ...options },
  );
  /** Ends the batch that is under way, and waits until the next has begun. */
  const letGo = async (): Promise<void> => {
    gates.shift()?.();
    await endOfTurn();
    await endOfTurn();
  };
  onTestFinished(async () => {
    while (gates.length > 0) await letGo();
  });
  return { add, batches, letGo };
};

const refusal = (code: string): DatabaseError => Object.assign(new DatabaseError('no', 2, 'error'), { code });

describe('a batcher', () => {
  it('runs together what one turn of the event loop brings, at its end, and what comes meanwhile', async () => {
    const { add, batches, letGo } = recorded();
    const results = [add(1), add(2)];
    expect(batches).toEqual([]);
    await endOfTurn();
    expect(batches).toEqual([[1, 2]]);
    results.push(add(3));
    await endOfTurn();
    results.push(add(4));
    expect(batches).toEqual([[1, 2]]);
    await letGo();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await letGo();
    await expect(Promise.all(results)).resolves.toEqual(['did 1', 'did 2', 'did 3', 'did 4']);
  });

  it('rests after a batch of several, and never before one that comes alone', async () => {
    const hour = recorded({ apartMs: 3_600_000 });
    for (const lone of [1, 2, 3]) {
      void hour.add(lone);
      await endOfTurn();
      await hour.letGo();
    }
    expect(hour.batches).toEqual([[1], [2], [3]]);

    const begunMs: number[] = [];
    const add = createBatcher<number, number>(
      (items) => {
        begunMs.push(performance.now());
        return Promise.resolve(items);
      },
      { max: 100, apartMs: 50 },
    );
    await Promise.all([1, 2].map(add));
    await add(3);
    const [first = 0, second = 0] = begunMs;
    // A timer counts from when its turn of the loop began.
    expect(second - first).toBeGreaterThan(30);
  });

  it('takes no more than `max` items, nor more than 2 MiB, into a batch', async () => {
    const { add, batches, letGo } = recorded({ max: 12, sizeOf: (item) => (item > 5 ? 250_000 : 1) });
    void Array.from({ length: 26 }, (_, at) => at + 1).map(add);
    for (let step = 0; step < 4; step += 1) await letGo();
    expect(batches).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [13, 14, 15, 16, 17, 18, 19, 20],
      [21, 22, 23, 24, 25, 26],
    ]);
  });

  it('runs what is large beside the others, one at a time', async () => {
    const { add, batches, letGo } = recorded({ sizeOf: (item) => (item > 10 ? 300_000 : 1) });
    void [11, 12, 1, 2].map(add);
    await letGo();
    expect(batches).toEqual([[11], [1, 2]]);
    void add(3);
    await letGo();
    expect(batches).toEqual([[11], [1, 2], [12]]);
    await letGo();
    expect(batches).toEqual([[11], [1, 2], [12], [3]]);
  });

  it('keeps large requests waiting while it runs what is large', async () => {
    const { add, letGo } = recorded({ sizeOf: (item) => (item > 10 ? 300_000 : 1) });
    void [1, 11].map(add);
    await endOfTurn();
    await expect(largeTurns.enter('one', 1)).resolves.toBe('late');
    const entering = largeTurns.enter('one', 60_000);
    await letGo();
    await letGo();
    const turn = await entering;
    expect(turn).toHaveProperty('leave');
    (turn as Turn).leave();
  });

  it('keeps items of one key in their order, also where some are large', async () => {
    const { add, batches, letGo } = recorded({
      sizeOf: (item) => (item > 10 ? 300_000 : 1),
      keyOf: (item) => item % 10,
    });
    void [11, 1, 21].map(add);
    for (const begun of [[[11]], [[11], [1]], [[11], [1], [21]]]) {
      await letGo();
      expect(batches).toEqual(begun);
    }
  });

  it('keeps items of one key apart, in their order', async () => {
    const { add, batches, letGo } = recorded({ keyOf: (item) => item % 10 });
    void [1, 12, 22, 13, 32, 23].map(add);
    for (let step = 0; step < 4; step += 1) await letGo();
    expect(batches).toEqual([[1, 12, 13], [22, 23], [32]]);
  });

  it.each(['22P02', '23505', '54000'])('rejects the faulty member alone when PostgreSQL says %s', async (code) => {
    const add = createBatcher<number, number>(
      async (items) => {
        await new Promise(setImmediate);
        if (items.includes(5)) throw refusal(code);
        return items;
      },
      { max: 100 },
    );
    const settled = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map(add));
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, true, true]);
  });

  it('rejects all of a batch when the connection is lost, and goes on with the next', async () => {
    let isLost = true;
    const add = createBatcher<number, number>(
      async (items) => {
        await new Promise(setImmediate);
        if (isLost) throw refusal('57P01');
        return items;
      },
      { max: 100 },
    );
    const first = await Promise.allSettled([1, 2, 3].map(add));
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    isLost = false;
    await expect(add(4)).resolves.toBe(4);
  });

  it('begins nothing that has waited too long, and says so', async () => {
    const { add, batches, letGo } = recorded({ waitMaxMs: 50 });
    const first = add(1);
    await endOfTurn();
    const late = expect(add(2)).rejects.toThrow(WaitedTooLong);
    await sleep(60);
    const inTime = add(3);
    await letGo();
    await late;
    await letGo();
    expect(await Promise.all([first, inTime])).toEqual(['did 1', 'did 3']);
    expect(batches).toEqual([[1], [3]]);
  });
});
