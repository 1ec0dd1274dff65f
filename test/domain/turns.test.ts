import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns } from '../../src/domain/turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turnsOf = (atOnce: number, lineMax = 100) => createTurns({ atOnce, lineMax });

/** Enters, and notes who got a turn. */
const recorder = (turns: ReturnType<typeof turnsOf>) => {
  const said: string[] = [];
  const enter = (party: string, name = party): void =>
    void turns.enter(party, 2_000).then((entered) => said.push(`${name} ${entered}`));
  return { said, enter, settled: async () => await vi.advanceTimersByTimeAsync(0) };
};

describe('turns', () => {
  it('are had at once while there are any, and then by who came first', async () => {
    const turns = turnsOf(2);
    const { said, enter, settled } = recorder(turns);
    for (const name of ['a', 'b', 'c', 'd']) enter('one', name);
    await settled();
    expect(said).toEqual(['a in', 'b in']);
    expect(turns.waiting()).toBe(2);
    turns.leave();
    await settled();
    expect(said).toEqual(['a in', 'b in', 'c in']);
    turns.leave();
    turns.leave();
    await settled();
    expect(said.at(-1)).toBe('d in');
    expect(turns.waiting()).toBe(0);
  });

  it('go round the parties, however long the line of one is', async () => {
    const turns = turnsOf(1);
    const { said, enter, settled } = recorder(turns);
    enter('greedy', 'first');
    for (let number = 0; number < 50; number += 1) enter('greedy');
    enter('modest');
    enter('quiet');
    for (let left = 0; left < 4; left += 1) turns.leave();
    await settled();
    expect(said).toEqual(['first in', 'greedy in', 'modest in', 'quiet in', 'greedy in']);
  });

  it('do not come too late: who has waited long enough is told so, and is in no line any more', async () => {
    const turns = turnsOf(1);
    const { said, enter, settled } = recorder(turns);
    enter('one', 'works');
    enter('one', 'waits');
    await vi.advanceTimersByTimeAsync(1_999);
    enter('two', 'comes later');
    expect(said).toEqual(['works in']);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['works in', 'waits late']);
    expect(turns.waiting()).toBe(1);
    turns.leave();
    await settled();
    expect(said.at(-1)).toBe('comes later in');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(said).toHaveLength(3);
  });

  it('are not waited for in a line that is full; another party has a line of its own', async () => {
    const turns = turnsOf(0, 2);
    const { said, enter, settled } = recorder(turns);
    for (let number = 0; number < 4; number += 1) enter('greedy');
    enter('modest');
    await settled();
    expect(said).toEqual(['greedy full', 'greedy full']);
    expect(turns.waiting()).toBe(3);
  });

  it('are free for others while one waits for something else, and come back whatever became of it', async () => {
    const turns = turnsOf(1);
    const { said, enter, settled } = recorder(turns);
    enter('one');
    const { promise, reject } = Promise.withResolvers<void>();
    const waits = turns.aside(async () => await promise);
    enter('two');
    enter('three');
    await settled();
    expect(said).toEqual(['one in', 'two in']);
    reject(new Error('nothing came of it'));
    await expect(waits).rejects.toThrow('nothing came of it');
    // Both work now; the next one waits for both.
    turns.leave();
    await settled();
    expect(said).toHaveLength(2);
    turns.leave();
    await settled();
    expect(said.at(-1)).toBe('three in');
  });
});
