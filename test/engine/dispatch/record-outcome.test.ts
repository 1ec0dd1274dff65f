import { describe, expect, it } from 'vitest';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import type { Exchange } from '../../../src/engine/dispatch/ports.ts';
import { recordOutcome } from '../../../src/engine/dispatch/record-outcome.ts';
import type { Call, CallOutcome, RunContext } from '../../../src/engine/dispatch/run-context.ts';

const problem = { code: 'x', messages: ['why'] };
const exchange = {} as Exchange;
const retry = { attempts: 2, waitMs: 100, maxMs: 100, untilMs: 10_000 };
const lookup = { steps: [{ retry: { attempts: 1, waitMs: 7, maxMs: 7, untilMs: 0 } }] };
const NOW = 1_000_000;

interface Given {
  /** Of two attempts; 1 unless said. */
  readonly number?: number;
  readonly isDoubtful?: boolean;
  /** Of the two, how many found the carrier away, and since when it is. */
  readonly away?: number;
  readonly awaySinceMs?: number;
  /** How long it keeps another carrier from being asked. */
  readonly patienceMs?: number;
  /** By its method. */
  readonly succeeded?: string;
  readonly call?: Partial<Call>;
  readonly hasLookup?: boolean;
}

/** How the call ended, and as what it is in the log. */
const recorded = async (outcome: CallOutcome, given: Given) => {
  const { number = 1, isDoubtful = false, call = {}, away = 0, awaySinceMs, patienceMs, succeeded, hasLookup } = given;
  const attemptLog = createMemoryLog(() => Promise.resolve());
  const context = {
    run: { awaySinceMs, inputs: { patienceMs } },
    successes: succeeded === undefined ? [] : [{ call: { step: { method: succeeded } } }],
    ports: { attemptLog, nowMs: () => NOW, random: () => 0 },
  } as unknown as RunContext;
  const whole = {
    step: { retry, ...(hasLookup && { lookup }) },
    scope: { step: 'create', element: 0 },
    isRead: false,
    idempotency: { by: 'none', forMs: undefined },
    ...call,
  } as unknown as Call;
  const end = await recordOutcome(context, whole, { number, firstSentAtMs: NOW - 50, isDoubtful, away }, outcome);
  const how = end.kind === 'waiting' ? `in ${end.dueAtMs - NOW} ms` : end.kind === 'held' ? end.why : '';
  return `${end.kind} ${how}`.trim() + ` → ${attemptLog.calls[0]?.state ?? 'nothing written'}`;
};

const idempotent: Given = { call: { idempotency: { by: 'key', forMs: 60_000 } } };
const promiseOver: Given = { call: { idempotency: { by: 'key', forMs: 50 } } };
const last: Given = { number: 2 };
const doubtful: Given = { isDoubtful: true };
const hasty: Given = { patienceMs: 1_000, awaySinceMs: NOW - 950 };
const spent: Given = { patienceMs: 1_000, awaySinceMs: NOW - 1_000 };
const tired: Given = { ...last, awaySinceMs: NOW - 10_001 };

describe('what one try came to', () => {
  it.each<[Exclude<CallOutcome['word'], 'succeed' | 'held_back'>, string, Given, string]>([
    ['retry', 'at first', {}, 'waiting in 100 ms → retry'],
    ['retry', 'the last time', last, 'held fail → failed'],
    ['retry', 'in doubt', doubtful, 'waiting in 100 ms → unknown'],
    ['retry', 'in doubt the last time', { ...doubtful, ...last }, 'held unknown_outcome → unknown'],
    ['unknown_outcome', 'without a promise', {}, 'held unknown_outcome → unknown'],
    ['unknown_outcome', 'of a read', { call: { isRead: true } }, 'waiting in 100 ms → retry'],
    ['unknown_outcome', 'of a read the last time', { ...last, call: { isRead: true } }, 'held fail → failed'],
    ['unknown_outcome', 'with a promise', idempotent, 'waiting in 100 ms → unknown'],
    ['unknown_outcome', 'with a promise, the last time', { ...idempotent, ...last }, 'held unknown_outcome → unknown'],
    ['unknown_outcome', 'with a promise that is over', promiseOver, 'held unknown_outcome → unknown'],
    ['unknown_outcome', 'with a lookup', { ...last, hasLookup: true }, 'waiting in 7 ms → unknown'],
    ['reject', 'at first', {}, 'rejected → failed'],
    ['reject', 'in doubt', doubtful, 'rejected → failed'],
    ['fail', 'at first', {}, 'held fail → failed'],
    ['config_error', 'at first', {}, 'held config_error → failed'],
    ['config_error', 'in doubt', doubtful, 'held unknown_outcome → unknown'],
    ['refresh_auth', 'a second time', {}, 'held config_error → failed'],
    ['refresh_auth', 'a second time, in doubt', doubtful, 'held unknown_outcome → unknown'],
  ])('%s %s', async (word, _, given, ended) => {
    expect(await recorded({ word, problem, exchange }, given)).toBe(ended);
  });

  const away = { problem, exchange, isAway: true } as const;
  const behindBreaker = { word: 'held_back', problem, waitMs: 30, isAway: true } as const;
  it.each<[string, CallOutcome, Given, string]>([
    ['that finds the carrier away counts no attempt', { ...away, word: 'retry' }, last, 'waiting in 100 ms → retry'],
    [
      'of a carrier that was away before',
      { word: 'retry', problem },
      { ...last, away: 1 },
      'waiting in 100 ms → retry',
    ],
    ['of a carrier that is away for too long', { ...away, word: 'retry' }, tired, 'held fail → failed'],
    ['the same in doubt', { ...away, word: 'retry' }, { ...doubtful, ...tired }, 'held unknown_outcome → unknown'],
    ['that may be unknown', { ...away, word: 'unknown_outcome' }, {}, 'held unknown_outcome → unknown'],
    [
      'that may be repeated',
      { ...away, word: 'unknown_outcome' },
      { ...idempotent, ...last },
      'waiting in 100 ms → unknown',
    ],
    ['behind a breaker', behindBreaker, { awaySinceMs: NOW - 10 }, 'waiting in 30 ms → nothing written'],
    ['behind it for a while', behindBreaker, { awaySinceMs: NOW - 900 }, 'waiting in 900 ms → nothing written'],
    ['behind it for too long', behindBreaker, tired, 'held fail → failed'],
    ['behind it, with another to ask soon', behindBreaker, hasty, 'waiting in 50 ms → nothing written'],
    ['behind it, with another to ask now', behindBreaker, spent, 'held fail → failed'],
    ['of one away, with another to ask soon', { ...away, word: 'retry' }, hasty, 'waiting in 50 ms → retry'],
    ['of one away, with another to ask now', { ...away, word: 'retry' }, spent, 'held fail → failed'],
    ['of one away that is not waited for', { ...away, word: 'retry' }, { patienceMs: 0 }, 'held fail → failed'],
    ['the same after a read', { ...away, word: 'retry' }, { ...spent, succeeded: 'GET' }, 'held fail → failed'],
    [
      'the same after a success',
      { ...away, word: 'retry' },
      { ...spent, succeeded: 'POST' },
      'waiting in 100 ms → retry',
    ],
    ['the same when in doubt', { ...away, word: 'retry' }, { ...spent, ...doubtful }, 'waiting in 100 ms → unknown'],
    ['that was held back', { word: 'held_back', problem, waitMs: 30 }, {}, 'waiting in 30 ms → nothing written'],
    ['that came to no request', { word: 'reject', problem }, {}, 'rejected → failed'],
    ['that is unsent in doubt', { word: 'reject', problem }, doubtful, 'held unknown_outcome → nothing written'],
    ['whose carrier asks for patience', { word: 'retry', problem, waitMs: 500 }, {}, 'waiting in 500 ms → retry'],
    ['that succeeded in doubt', { word: 'succeed', exchange } as CallOutcome, doubtful, 'succeeded → succeeded'],
  ])('%s', async (_, outcome, given, ended) => {
    expect(await recorded(outcome, given)).toBe(ended);
  });
});
