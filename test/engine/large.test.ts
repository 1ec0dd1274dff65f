import { beforeAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ANSWER_WAIT_MS,
  LARGE_ANSWER_BYTES,
  largeTurns,
  mapInPieces,
  piece,
  takeTurns,
  readInTurn,
} from '../../src/engine/large.ts';
import { MARGIN_MS } from '../../src/platform/records/attempt-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DONE = () => Promise.resolve('read');

it('a large answer that waits in vain is read while its dispatch is still held', async () => {
  const turn = largeTurns.take();
  const read = vi.fn(DONE);
  const reading = readInTurn('acme', LARGE_ANSWER_BYTES + 1, read);
  expect(await readInTurn('acme', LARGE_ANSWER_BYTES, DONE)).toBe('read');
  await vi.advanceTimersByTimeAsync(ANSWER_WAIT_MS - 1);
  expect(read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await reading).toBe('read');
  expect(ANSWER_WAIT_MS).toBeLessThan(MARGIN_MS / 2);
  turn.leave();
});

const take = (ms: number) => () => void vi.advanceTimersByTime(ms);

describe('a piece of work', () => {
  beforeAll(takeTurns);

  let turns = 0;
  let counting: NodeJS.Immediate;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    turns = 0;
    counting = setImmediate(count);
  });
  afterEach(() => clearImmediate(counting));

  it('that is short keeps the turn', async () => {
    expect(await piece(() => 'short')).toBe('short');
    expect(turns).toBe(0);
  });

  it('that is long leaves all else a turn before the next, whosever that is', async () => {
    const ends: number[] = [];
    await Promise.all([1, 2, 3].map(async () => void (await piece(take(3)), ends.push(turns))));
    expect(new Set(ends).size).toBe(3);
    const failing = piece(() => (take(3)(), Promise.reject(new Error('no'))));
    await expect(failing).rejects.toThrow('no');
  });

  it('that is long leaves all else twice the time that it took', async () => {
    const beganMs = process.hrtime.bigint();
    await piece(take(20));
    expect(Number(process.hrtime.bigint() - beganMs) / 1e6).toBeGreaterThanOrEqual(39);
  });

  it('on a list ends whenever it has been long', async () => {
    const seen = new Set<number>();
    const doubled = await mapInPieces([1, 2, 3, 4, 5, 6], (one) => {
      take(1)();
      seen.add(turns);
      return 2 * one;
    });
    expect(doubled).toEqual([2, 4, 6, 8, 10, 12]);
    expect(seen.size).toBe(2);
  });
});
