import { describe, expect, test } from 'vitest';
import { decideLabel } from '../../../src/engine/labels/decide.ts';

const MINUTE = 60_000;
const retry = { waitMs: MINUTE / 2, maxMs: 30 * MINUTE, untilMs: 2 * 24 * 60 * MINUTE };
const notYet = { kind: 'not_yet', message: 'the label URL answered 404' } as const;

describe('after a try', () => {
  test('bytes are stored', () => {
    const bytes = Buffer.from('^XA^XZ');
    const situation = { tries: 9, untilAtMs: 1, nowMs: 2, random: 0 };
    expect(decideLabel({ kind: 'stored', bytes, format: 'ZPL' }, situation, retry)).toEqual({
      state: 'stored',
      bytes,
      format: 'ZPL',
    });
  });

  test('a placeholder is asked again, waits doubling up to the longest', () => {
    const waits: number[] = [];
    for (let tries = 1; tries <= 9; tries += 1) {
      const next = decideLabel(notYet, { tries, untilAtMs: 1e12, nowMs: 1_000, random: 0 }, retry);
      if (next.state === 'pending') waits.push((next.dueAtMs - 1_000) / MINUTE);
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test('the time to give up is fixed by the first, and kept', () => {
    const first = decideLabel(notYet, { tries: 1, untilAtMs: undefined, nowMs: 5_000, random: 0 }, retry);
    expect(first).toMatchObject({ state: 'pending', untilAtMs: 5_000 + retry.untilMs });
    const later = decideLabel(notYet, { tries: 2, untilAtMs: 70_000, nowMs: 60_000, random: 0 }, retry);
    expect(later).toMatchObject({ state: 'pending', untilAtMs: 70_000, dueAtMs: 70_000 });
  });

  test('at that time it has failed, and says why', () => {
    expect(decideLabel(notYet, { tries: 99, untilAtMs: 70_000, nowMs: 70_000, random: 0 }, retry)).toEqual({
      state: 'failed',
      message: 'still no label when we gave up: the label URL answered 404',
    });
  });

  test('what asking again cannot mend has failed at once', () => {
    const situation = { tries: 1, untilAtMs: undefined, nowMs: 0, random: 0 };
    expect(decideLabel({ kind: 'failed', message: 'too large' }, situation, retry)).toEqual({
      state: 'failed',
      message: 'too large',
    });
  });
});
