import { describe, expect, test } from 'vitest';
import { decideLabel } from '../../../src/engine/labels/fetch.ts';

const MINUTE = 60_000;
const retry = { waitMs: MINUTE / 2, maxMs: 30 * MINUTE, untilMs: 2 * 24 * 60 * MINUTE };
const message = 'the label URL answered 404';
const afterPlaceholder = (tries: number, untilAtMs: number | undefined, nowMs: number) =>
  decideLabel({ kind: 'not_yet', message }, { tries, untilAtMs }, retry, { nowMs, random: 0 });

describe('after a try', () => {
  test('bytes are stored', () => {
    const label = { bytes: Buffer.from('^XA^XZ'), format: 'ZPL' } as const;
    const claim = { tries: 9, untilAtMs: 1 };
    expect(decideLabel({ kind: 'stored', ...label }, claim, retry, { nowMs: 2, random: 0 })).toEqual({
      state: 'stored',
      ...label,
    });
  });

  test('a placeholder is asked again, waits doubling up to the longest', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tries) => {
      const next = afterPlaceholder(tries, 1e12, 1_000);
      return next.state === 'pending' ? (next.dueAtMs - 1_000) / MINUTE : next;
    });
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test('the time to give up is fixed by the first, and kept', () => {
    expect(afterPlaceholder(1, undefined, 5_000)).toMatchObject({ state: 'pending', untilAtMs: 5_000 + retry.untilMs });
    expect(afterPlaceholder(2, 70_000, 60_000)).toMatchObject({ untilAtMs: 70_000, dueAtMs: 70_000 });
  });

  test('at that time it has failed, and says why', () => {
    expect(afterPlaceholder(99, 70_000, 70_000)).toEqual({
      state: 'failed',
      message: `still no label when we gave up: ${message}`,
    });
  });

  test('what asking again cannot mend has failed at once', () => {
    const failed = { kind: 'failed', message: 'too large' } as const;
    const claim = { tries: 1, untilAtMs: undefined };
    expect(decideLabel(failed, claim, retry, { nowMs: 0, random: 0 })).toEqual({
      state: 'failed',
      message: 'too large',
    });
  });
});
