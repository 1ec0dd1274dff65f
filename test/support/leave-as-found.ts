/** Vitest's setup file for what a test file would leave behind in the process that runs the next one. */
import { afterAll, vi } from 'vitest';
import { largeTurns } from '../../src/engine/large.ts';

/** Longer than anybody rests after a turn. */
const TURN_WAIT_MS = 10_000;

afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  const turn = await largeTurns.enter('the next file', TURN_WAIT_MS);
  if (typeof turn === 'string')
    throw new Error('somebody has kept the turn of what is large: the next file would wait in vain');
  turn.leave();
});
