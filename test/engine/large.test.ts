import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ANSWER_WAIT_MS, LARGE_ANSWER_BYTES, largeTurns, readInTurn } from '../../src/engine/large.ts';
import { MARGIN_MS } from '../../src/platform/records/attempt-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DONE = () => Promise.resolve('read');

it('a large answer that waits in vain is read while its dispatch is still held', async () => {
  const turn = await largeTurns.enter('a request', 0);
  const read = vi.fn(DONE);
  const reading = readInTurn('acme', LARGE_ANSWER_BYTES + 1, read);
  expect(await readInTurn('acme', LARGE_ANSWER_BYTES, DONE)).toBe('read');
  await vi.advanceTimersByTimeAsync(ANSWER_WAIT_MS - 1);
  expect(read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await reading).toBe('read');
  expect(ANSWER_WAIT_MS).toBeLessThan(MARGIN_MS / 2);
  if (typeof turn !== 'string') turn.leave();
});
