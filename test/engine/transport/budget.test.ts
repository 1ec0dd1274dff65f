import { afterEach, describe, expect, it, vi } from 'vitest';
import { createByteBudget } from '../../../src/engine/transport/budget.ts';

const isSettled = async (promise: Promise<void> | undefined): Promise<boolean> => {
  let settled = promise === undefined;
  void promise?.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

afterEach(() => void vi.useRealTimers());

/** Of 100 bytes, 50 for a party and 10 free for everyone; without pauses. */
const small = { limitBytes: 100, partyLimitBytes: 50, freeBytes: 10, bytesPerPause: 1_000_000, pauseMs: 10 };
const smallBudget = () => createByteBudget(small);

describe('a budget of 100 bytes, 50 for a party, 10 of them free for everyone', () => {
  it('holds nobody up below the limits', () => {
    const budget = smallBudget();
    for (const party of ['a', 'a', 'b', 'b']) expect(budget.open(party).take(25)).toBeUndefined();
    expect(budget.heldBytes()).toBe(100);
  });

  it.each([
    ['of the party', ['a', 'a', 'a']],
    ['of all', ['a', 'b', 'c']],
  ])('lets the oldest %s go on above it, and the next when that one is done', async (_of, [a = '', b = '', c = '']) => {
    const budget = smallBudget();
    const [oldest, younger, youngest] = [budget.open(a), budget.open(b), budget.open(c)];
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

  it('holds no party up for what another holds beyond its own limit', async () => {
    const budget = smallBudget();
    void budget.open('staller').take(70);
    expect(await isSettled(budget.open('staller').take(20))).toBe(false);
    expect(budget.open('well').take(10)).toBeUndefined();
  });

  it('never holds up a small answer', () => {
    const budget = smallBudget();
    void budget.open('a').take(500);
    expect(budget.open('a').take(10)).toBeUndefined();
  });

  it('lets go of one that waits when it is given up, and counts it no more', async () => {
    const budget = smallBudget();
    void budget.open('a').take(90);
    const given = budget.open('a');
    const waiting = given.take(90);
    expect(await isSettled(waiting)).toBe(false);
    given.release();
    given.release();
    expect(await isSettled(waiting)).toBe(true);
    expect(given.take(50)).toBeUndefined();
    expect(budget.heldBytes()).toBe(90);
  });
});

it('a budget has large answers pause for 10 ms after each 100 bytes, whoever read them, and no small one', async () => {
  vi.useFakeTimers();
  const budget = createByteBudget({ ...small, limitBytes: 10_000, partyLimitBytes: 5_000, bytesPerPause: 100 });
  const [one, other, third] = [budget.open('a'), budget.open('b'), budget.open('c')];
  expect(one.take(60)).toBeUndefined();
  const pauses = [other.take(60), one.take(60)];
  expect(third.take(10)).toBeUndefined();
  const ended: number[] = [];
  for (const pause of pauses) void pause?.then(() => ended.push(Date.now()));
  const since = Date.now();
  await vi.advanceTimersByTimeAsync(9);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual([since + 10, since + 10]);
  expect(one.take(60)).toBeUndefined();
});
