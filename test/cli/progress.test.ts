import { expect, test } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import { showProgress, startProgressBar } from '../../src/cli/progress.ts';

test('a bar shows how far it is, how fast, and how long it takes', () => {
  expect(showProgress({ done: 25, total: 100, items: 5_000, tookMs: 2_000 })).toBe(
    '[######------------------]  25%  5,000 payloads  2,500/s  ETA 0:06',
  );
  expect(showProgress({ done: 0, total: undefined, items: 1_200, tookMs: 1_000 })).toBe('1,200 payloads  1,200/s');
});

test('it is drawn ten times a second at most', () => {
  const written: string[] = [];
  const terminal = { isWatched: true, overwrite: (text: string) => written.push(text) } as unknown as Terminal;
  let nowMs = 1_000;
  const bar = startProgressBar(terminal, () => nowMs);
  bar.show(1, 2, 3);
  nowMs += 50;
  bar.show(1, 2, 4);
  nowMs += 60;
  bar.show(2, 2, 5);
  expect(written).toHaveLength(2);
  expect(written[0]).toContain('[############------------]  50%  3 payloads');
});
