import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFairSemaphore, type Turn } from '../../src/engine/fair-semaphore.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turnsOf = (atOnce: number, lineMax = 100) => createFairSemaphore({ atOnce, lineMax });

const settled = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0));

/** Enters, and notes who got a turn; `leave` ends the oldest that was had. */
const recorder = (turns: ReturnType<typeof turnsOf>) => {
  const said: string[] = [];
  const had: Turn[] = [];
  const enter = (party: string, name = party): void =>
    void turns.enter(party, 2_000).then((turn) => {
      said.push(`${name} ${typeof turn === 'string' ? turn : 'in'}`);
      if (typeof turn !== 'string') had.push(turn);
    });
  const leave = async (): Promise<void> => {
    await settled();
    had.shift()?.leave();
    await settled();
  };
  return { said, had, enter, leave };
};

describe('turns', () => {
  it('are had at once while there are any, and then by who came first', async () => {
    const turns = turnsOf(2);
    const { said, enter, leave } = recorder(turns);
    for (const name of ['a', 'b', 'c', 'd']) enter('one', name);
    await settled();
    expect(said).toEqual(['a in', 'b in']);
    expect(turns.waiting()).toBe(2);
    await leave();
    expect(said).toEqual(['a in', 'b in', 'c in']);
    await leave();
    expect(said.at(-1)).toBe('d in');
    expect(turns.waiting()).toBe(0);
  });

  it('go round the parties, however long the line of one is', async () => {
    const { said, enter, leave } = recorder(turnsOf(1));
    enter('greedy', 'first');
    for (let number = 0; number < 50; number += 1) enter('greedy');
    enter('modest');
    enter('quiet');
    for (let left = 0; left < 4; left += 1) await leave();
    expect(said).toEqual(['first in', 'greedy in', 'modest in', 'quiet in', 'greedy in']);
  });

  it('come seldom to a party that had a long one, and no later to the others', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const { said, enter, leave } = recorder(createFairSemaphore({ atOnce: 1, rest: 3, ownRest: 19 }));
    enter('large', 'first');
    await vi.advanceTimersByTimeAsync(100);
    await leave();
    enter('large', 'second');
    enter('other');
    await vi.advanceTimersByTimeAsync(299);
    expect(said).toEqual(['first in']);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['first in', 'other in']);
    await leave();
    await vi.advanceTimersByTimeAsync(1_599);
    expect(said).toEqual(['first in', 'other in']);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['first in', 'other in', 'second in']);
  });

  it('are followed by a rest that ends, however long they waited for something else', async () => {
    const { said, enter, leave } = recorder(createFairSemaphore({ atOnce: 1, rest: 2 }));
    enter('one');
    await vi.advanceTimersByTimeAsync(30_000);
    await leave();
    enter('two');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(said).toEqual(['one in', 'two in']);
  });

  it('are followed by a rest in proportion, also where one is only given up for a while', async () => {
    const turns = createFairSemaphore({ atOnce: 1, rest: 2 });
    const { said, enter, leave } = recorder(turns);
    for (const name of ['a', 'b', 'c']) enter('one', name);
    await vi.advanceTimersByTimeAsync(100);
    await leave();
    await vi.advanceTimersByTimeAsync(199);
    expect(said).toEqual(['a in']);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['a in', 'b in']);
    await leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['a in', 'b in', 'c in']);
  });

  it('are taken at once by what is under way, and who comes anew waits for that too', async () => {
    const turns = turnsOf(1);
    const { said, enter, leave } = recorder(turns);
    for (const name of ['a', 'b']) enter('one', name);
    const taken = turns.take();
    await leave();
    expect(said).toEqual(['a in']);
    taken.leave();
    await settled();
    expect(said).toEqual(['a in', 'b in']);
  });

  it('do not come too late: who has waited long enough is told so, and is in no line any more', async () => {
    const turns = turnsOf(1);
    const { said, enter, leave } = recorder(turns);
    enter('one', 'works');
    enter('one', 'waits');
    await vi.advanceTimersByTimeAsync(1_999);
    enter('two', 'comes later');
    expect(said).toEqual(['works in']);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['works in', 'waits late']);
    expect(turns.waiting()).toBe(1);
    await leave();
    expect(said.at(-1)).toBe('comes later in');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(said).toHaveLength(3);
  });

  it('are not waited for in a line that is full; another party has a line of its own', async () => {
    const turns = turnsOf(0, 2);
    const { said, enter } = recorder(turns);
    for (let number = 0; number < 4; number += 1) enter('greedy');
    enter('modest');
    await settled();
    expect(said).toEqual(['greedy full', 'greedy full']);
    expect(turns.waiting()).toBe(3);
  });

  it('end once, however often it is said', async () => {
    const { said, had, enter } = recorder(turnsOf(1));
    for (const name of ['a', 'b', 'c']) enter('one', name);
    await settled();
    for (let times = 0; times < 3; times += 1) had[0]?.leave();
    await settled();
    expect(said).toEqual(['a in', 'b in']);
  });
});

describe('who waits for something else', () => {
  it('leaves the turn to one other, for however much is waited for at once, and comes back whatever became of it', async () => {
    const { said, had, enter, leave } = recorder(turnsOf(1));
    enter('one');
    await settled();
    const { promise, reject } = Promise.withResolvers<void>();
    const waits = Promise.allSettled(
      Array.from({ length: 5 }, async () => await had[0]?.yieldWhile(async () => await promise)),
    );
    for (const party of ['two', 'three', 'four']) enter(party);
    await settled();
    expect(said).toEqual(['one in', 'two in']);
    reject(new Error('nothing came of it'));
    expect((await waits).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    // Both work now; the next one waits for both.
    await leave();
    expect(said).toHaveLength(2);
    await leave();
    expect(said.at(-1)).toBe('three in');
  });

  it('has no turn to come back to where it was ended meanwhile', async () => {
    const { said, had, enter, leave } = recorder(turnsOf(1));
    enter('one');
    await settled();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waits = had[0]?.yieldWhile(async () => await promise);
    for (const party of ['two', 'three']) enter(party);
    had[0]?.leave();
    resolve();
    await waits;
    await had[0]?.yieldWhile(async () => await promise);
    await settled();
    expect(said).toEqual(['one in', 'two in']);
    await leave();
    await leave();
    expect(said).toEqual(['one in', 'two in', 'three in']);
  });
});
