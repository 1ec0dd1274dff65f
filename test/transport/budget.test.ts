import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../src/transport/budget.ts';

const isSettled = async (promise: Promise<void> | undefined): Promise<boolean> => {
  if (promise === undefined) return true;
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

describe('a budget of 100 bytes, 10 of them free for everyone', () => {
  it('holds nobody up below the limit', () => {
    const budget = createByteBudget(100, 10);
    expect(budget.open().take(60)).toBeUndefined();
    expect(budget.open().take(40)).toBeUndefined();
    expect(budget.heldBytes()).toBe(100);
  });

  it('lets the oldest go on above it, and the next when that one is done', async () => {
    const budget = createByteBudget(100, 10);
    const [oldest, younger, youngest] = [budget.open(), budget.open(), budget.open()];
    void oldest.take(60);
    const second = younger.take(60);
    const third = youngest.take(60);
    expect(await isSettled(oldest.take(500))).toBe(true);
    expect(await isSettled(second)).toBe(false);
    oldest.release();
    expect(await isSettled(second)).toBe(true);
    expect(await isSettled(third)).toBe(false);
    younger.release();
    expect(await isSettled(third)).toBe(true);
    youngest.release();
    expect(budget.heldBytes()).toBe(0);
  });

  it('never holds up a small answer', () => {
    const budget = createByteBudget(100, 10);
    void budget.open().take(500);
    expect(budget.open().take(10)).toBeUndefined();
  });

  it('lets go of one that waits when it is given up, and counts it no more', async () => {
    const budget = createByteBudget(100, 10);
    void budget.open().take(90);
    const given = budget.open();
    const waiting = given.take(90);
    expect(await isSettled(waiting)).toBe(false);
    given.release();
    given.release();
    expect(await isSettled(waiting)).toBe(true);
    expect(given.take(50)).toBeUndefined();
    expect(budget.heldBytes()).toBe(90);
  });
});
