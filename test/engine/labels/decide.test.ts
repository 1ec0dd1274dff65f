import { describe, expect, test } from 'vitest';
import { decideLabel } from '../../../src/engine/labels/fetch.ts';
import { ZPL } from './labels.ts';

const MINUTE = 60_000;
const retry = { waitMs: MINUTE / 2, maxMs: 30 * MINUTE, untilMs: 2 * 24 * 60 * MINUTE };
const message = 'the label URL answered 404';
const code = 'label_not_ready';
const placeholder = { kind: 'not_yet', code, message } as const;
const refusal = { ...placeholder, code: 'label_refused', isRefusal: true } as const;
const zpl = { bytes: ZPL, format: 'ZPL' } as const;
const givenUp = `still no label when we gave up: ${message}`;

describe('after a try', () => {
  test.each([
    ['bytes are stored', { kind: 'stored', ...zpl }, 9, 1, 2, { state: 'stored', ...zpl }],
    ['the first fixes when to give up', placeholder, 1, undefined, 5_000, { untilAtMs: 5_000 + retry.untilMs }],
    ['the others keep that, and try then at last', placeholder, 2, 70, 60, { untilAtMs: 70, dueAtMs: 70 }],
    ['at that time it has failed', placeholder, 99, 70_000, 70_000, { state: 'failed', message: givenUp }],
    [
      'a refusal is taken for one once it was repeated',
      refusal,
      8,
      1e9,
      70,
      { state: 'failed', code: 'label_refused' },
    ],
    ['and before that is asked again', refusal, 7, 1e9, 70, { state: 'pending', code: 'label_refused', message }],
    ['what is hopeless has failed', { kind: 'failed', code, message }, 1, undefined, 0, { state: 'failed', message }],
  ] as const)('%s', (_, outcome, tries, untilAtMs, nowMs, next) => {
    expect(decideLabel(outcome, { tries, untilAtMs }, retry, { nowMs, random: 0 })).toMatchObject(next);
  });

  test('a placeholder is asked again, waits doubling up to the longest', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tries) => {
      const next = decideLabel(placeholder, { tries, untilAtMs: 1e12 }, retry, { nowMs: 1_000, random: 0 });
      return next.state === 'pending' ? (next.dueAtMs - 1_000) / MINUTE : next;
    });
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
  });
});
